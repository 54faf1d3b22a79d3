import { beforeAll, expect, it } from '@jest/globals';
import { build, runProgram } from '../../support/built-cli.js';
import { folderInRepository } from '../../support/folder-in-repository.js';

const { folder, file } = folderInRepository('.routes-');

beforeAll(build);

const APP = file(
  'app.mjs',
  `import express from 'express';
  import { apiKeys, requireBearer, requireScopes } from 'keyward';
  const keys = apiKeys({ resolver: () => null, kinds: ['secret'], environment: 'live' });
  export const schemes = { secretKey: keys };
  export const app = express();
  app.get('/health', (req, res) => res.end());
  app.post('/hooks', (req, res) => res.end());
  app.use('/payments', requireBearer({ accept: [keys] }), requireScopes('payments:read'));
  app.get('/payments/:id', (req, res) => res.end());`,
);
const HEAD = { openapi: '3.1.0', info: { title: 'Shop', version: '1' } };
const PLAIN = { '/health': { get: {} }, '/hooks': { post: {} }, '/payments/{id}': { get: {} } };
const bare = file('bare.json', JSON.stringify({ ...HEAD, paths: PLAIN }));
const other = file(
  'other.json',
  JSON.stringify({
    ...HEAD,
    paths: { ...PLAIN, '/gone': { get: {} }, '/health': { get: { security: [{ secretKey: [] }] } } },
    components: { securitySchemes: { secretKey: { type: 'http', scheme: 'bearer' } } },
  }),
);

async function run(...args: string[]): Promise<string> {
  const { code, out, err } = await runProgram(args);
  const said = err === '' ? '' : `[standard error]\n${err}`;
  return `${out}${said}[exit code ${code}]`.replaceAll(folder, 'FOLDER');
}

it('the whole output of keyward routes', async () => {
  expect(await run('routes', APP)).toMatchSnapshot();
  expect(await run('routes', APP, '--except', 'GET /health', '--json')).toMatchSnapshot();
  expect(await run('routes', APP, '--except', 'GET /health', '--except', 'POST /hooks')).toMatchSnapshot();
});

it('the whole output of keyward openapi', async () => {
  expect(await run('openapi', 'check', APP, other)).toMatchSnapshot();
  expect(await run('openapi', 'check', APP, other, '--except', 'GET /gone', '--json')).toMatchSnapshot();
  expect(await run('openapi', 'describe', APP, bare)).toMatchSnapshot();
  expect(await run('openapi', 'describe', APP, other)).toMatchSnapshot();
});
