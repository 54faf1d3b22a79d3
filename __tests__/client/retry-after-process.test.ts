import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, it } from '@jest/globals';
import { ROOT } from '../examples/built-service.js';
import { build } from '../support/built-cli.js';
import { runSync } from '../support/run-sync.js';

beforeAll(build);

it.each(['America/St_Johns', 'Pacific/Auckland'])('Retry-After in the format of asctime is GMT in %s', (zone) => {
  const module = pathToFileURL(join(ROOT, '.build/client/retry-after.js')).href;
  const program = `import { retryAfterOf } from ${JSON.stringify(module)};
    const response = new Response(null, { status: 503, headers: { 'retry-after': 'Fri Nov 20 15:04:10 2026' } });
    console.log(retryAfterOf(response, Date.parse('2026-11-20T15:04:00Z')), new Date().getTimezoneOffset() === 0);`;
  const args = ['--input-type=module', '-e', program];
  const { stdout, stderr } = runSync(process.execPath, args, { env: { ...process.env, TZ: zone } });
  expect(stderr).toBe('');
  expect(stdout.trim()).toBe('10 false');
});
