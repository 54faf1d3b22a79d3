import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, it } from '@jest/globals';
import { build, ROOT } from '../examples/built-service.js';
import { isRoot, NOBODY } from '../support/as-nobody.js';
import { runSync } from '../support/run-sync.js';

const MODULE = pathToFileURL(join(ROOT, '.build/cli/replace-file.js')).href;
const REPLACE = `import { replaceFile } from ${JSON.stringify(MODULE)};
await replaceFile(process.argv[1], 'new').catch(({ code }) => process.stdout.write(code));`;

beforeAll(build);

// In a process of its own: access(2) checks the real user, and a process cannot become root again if that changes.
it('replaceFile does not replace a file that is protected from writing, although its folder is not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-replace-'));
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'in'));
  chmodSync(join(folder, 'in'), 0o777);
  const path = join(folder, 'in/openapi.yaml');
  writeFileSync(path, 'old', { mode: 0o444 });
  if (isRoot) chownSync(path, NOBODY, NOBODY);
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const args = ['--input-type=module', '-e', REPLACE, path];
  const { stdout, stderr } = runSync(process.execPath, args, user);
  expect([stdout, stderr]).toEqual(['EACCES', '']);
  expect(readFileSync(path, 'utf8')).toBe('old');
  expect(readdirSync(join(folder, 'in'))).toEqual(['openapi.yaml']);
  rmSync(folder, { recursive: true, force: true });
});
