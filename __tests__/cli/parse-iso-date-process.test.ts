import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, it } from '@jest/globals';
import { ROOT } from '../examples/built-service.js';
import { build } from '../support/built-cli.js';
import { runSync } from '../support/run-sync.js';

beforeAll(build);

it.each(['America/St_Johns', 'Pacific/Auckland'])('a date without a time zone is in UTC on a machine in %s', (zone) => {
  const module = pathToFileURL(join(ROOT, '.build/cli/parse-iso-date.js')).href;
  const program = `import { parseIsoDate } from ${JSON.stringify(module)};
    console.log(parseIsoDate('2027-01-31').toISOString(), new Date('2027-01-31T00:00').toISOString());`;
  const args = ['--input-type=module', '-e', program];
  const { stdout, stderr } = runSync(process.execPath, args, { env: { ...process.env, TZ: zone } });
  expect(stderr).toBe('');
  const [read, local] = stdout.trim().split(' ');
  expect(read).toBe('2027-01-31T00:00:00.000Z');
  expect(local).not.toBe(read);
});
