import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ROOT } from '../examples/built-service.js';
import { build, runProgram } from '../support/built-cli.js';
import { folderInRepository } from '../support/folder-in-repository.js';
import { runSync } from '../support/run-sync.js';

const MAIN = join(ROOT, 'dist/cli/main.js');
const { folder, file } = folderInRepository('.openapi-');

beforeAll(build);

const APP = `
  import express from 'express';
  export const schemes = {};
  export const app = express();
  app.get('/health', (req, res) => res.end());
`;
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1.0.0' },
  paths: { '/health': { get: { responses: { 200: { description: 'up' } } } } },
};

describe('keyward openapi', () => {
  const module = file('app.mjs', APP);
  const json = file('openapi.json', JSON.stringify(DOCUMENT));

  it('describe leaves the file as it was if the new one cannot be written as a whole, and exits with 4', async () => {
    const long = file('long.yaml', JSON.stringify({ ...DOCUMENT, 'x-notes': 'long '.repeat(10_000) }));
    // A limit for the size of files fails as a full disk does: a part of the text is written.
    const limited = 'ulimit -f 1; exec "$0" "$@"';
    const args = [MAIN, 'openapi', 'describe', module, long, '--out', long];
    const { status, stderr } = runSync('sh', ['-c', limited, process.execPath, ...args]);
    expect([status, stderr]).toEqual([4, expect.stringMatching(/long\.yaml cannot be written: EFBIG/)]);
    expect(readFileSync(long, 'utf8')).toMatch(/(long ){10000}"\}$/);
    expect(readdirSync(folder).filter((name) => name.startsWith('long.yaml'))).toEqual(['long.yaml']);
    expect(await runProgram(['openapi', 'describe', module, json, '--out', '/dev/full'])).toMatchObject({ code: 4 });
  });

  it('describe writes only the document to standard output, not what the app prints', async () => {
    const noisy = file('noisy.mjs', `${APP} console.log('injected env (3) from .env');`);
    const { code, out, err } = await runProgram(['openapi', 'describe', noisy, json]);
    expect([code, err]).toEqual([0, 'injected env (3) from .env\n']);
    expect(JSON.parse(out).paths['/health'].get.security).toEqual([]);
  });

  it('describe writes in place what is not a regular file', () => {
    // The streams of a child process of Node are sockets, which cannot be opened by a path.
    const args = [MAIN, 'openapi', 'describe', module, json, '--out', '/dev/stdout'];
    const { stdout } = runSync('sh', ['-c', '"$0" "$@" | cat', process.execPath, ...args]);
    expect(JSON.parse(stdout).paths['/health'].get.security).toEqual([]);
  });
});
