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

it('what else keyward routes knows of a route', async () => {
  const module = file(
    'more.mjs',
    `import express from 'express';
    import { apiKeys, requireApi, requireBearer, requireScopes } from 'keyward';
    import { createIssuer } from 'keyward/issuer';
    import { openApiGate } from 'keyward/openapi';
    import { openStore } from 'keyward/store';
    const keys = apiKeys({ resolver: () => null, kinds: ['secret'], environment: 'live' });
    const document = {
      openapi: '3.1.0', info: { title: 'Shop', version: '1' },
      components: { securitySchemes: { secretKey: { type: 'http', scheme: 'bearer' } } },
      paths: { '/health': { get: { security: [] } }, '/pets': { get: { security: [{ secretKey: [] }] } } },
    };
    const store = await openStore('memory:', { encryptionKey: new Uint8Array(32) });
    const issuer = 'http://127.0.0.1:4000';
    export default express()
      .use(createIssuer({ issuer, audience: 'https://api.test', accessKeys: store, signingKeys: store }))
      .use('/shop', openApiGate(document, { basePath: '/shop', schemes: { secretKey: keys } }))
      .get('/shop/health', (req, res) => res.end())
      .get('/shop/pets', requireApi('payments'), requireScopes('payments:read'), (req, res) => res.end());
    await store.close();`,
  );
  expect(await run('routes', module)).toMatchSnapshot();
});

it.each(['null', '7', 'undefined'])('keyward openapi needs schemes, which are not %s', async (value) => {
  const named = file(`named-${value}.mjs`, `export { app } from './app.mjs'; export const schemes = ${value};`);
  // `null` is read only from a default export: a named export that is null counts as missing.
  const main = `import { app } from './app.mjs'; export default { app, schemes: ${value} };`;
  for (const module of [named, file(`default-${value}.mjs`, main)]) {
    expect(await run('openapi', 'describe', module, bare)).toBe(
      `[standard error]\n${module.replaceAll(folder, 'FOLDER')} does not export "schemes"; export an object that maps the name of each security scheme to its verifier\n[exit code 2]`,
    );
  }
});

it('keyward openapi prints an unexpected error of the app with its stack', async () => {
  const module = file(
    'fault.mjs',
    `export { app } from './app.mjs';
    export const schemes = { get secretKey() { throw new TypeError('after describeSecurity: a fault'); } };`,
  );
  const { code, out, err } = await runProgram(['openapi', 'describe', module, bare]);
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(/TypeError: after describeSecurity: a fault\n +at /);
});
