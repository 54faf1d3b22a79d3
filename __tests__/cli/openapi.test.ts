import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { build, ROOT } from '../examples/built-service.js';
import { runProgram } from '../support/built-cli.js';

const folder = mkdtempSync(join(ROOT, '.openapi-'));
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

beforeAll(build);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const APP = `
  import express from 'express';
  import { apiKeys, requireBearer, requireScopes } from 'keyward';
  const keys = apiKeys({ resolver: () => null, kinds: ['secret'], environment: 'live' });
  export const schemes = { secretKey: keys };
  export const app = express();
  app.get('/health', (req, res) => res.end());
  app.use('/payments', requireBearer({ accept: [keys] }), requireScopes('payments:read'));
  app.get('/payments/:id', (req, res) => res.end());
`;
const YAML = `# The API of the shop.
openapi: 3.1.0
info: { title: Shop, version: 1.0.0 }
paths:
  /health:
    get: # open
      responses: { '200': { description: up } }
  /payments/{id}:
    get:
      responses:
        '200': { description: one }
`;
const SECURITY = [{ secretKey: ['payments:read'] }];

describe('keyward openapi', () => {
  const module = file('app.mjs', APP);
  const yaml = file('openapi.yaml', YAML);
  const json = file('openapi.json', JSON.stringify(parse(YAML)));

  it('O13 describe writes YAML to standard output, and keeps the comments', async () => {
    const { code, out } = await runProgram(['openapi', 'describe', module, yaml]);
    expect(code).toBe(0);
    expect(out).toMatch(/^# The API of the shop\.\n/);
    expect(out).toContain('# open\n');
    const { paths, components } = parse(out);
    expect(paths['/payments/{id}'].get.security).toEqual(SECURITY);
    expect(paths['/health'].get.security).toEqual([]);
    expect(components).toEqual({ securitySchemes: { secretKey: { type: 'http', scheme: 'bearer' } } });
  });

  it('O13 describe writes JSON as JSON, and the format of --out', async () => {
    const { code, out } = await runProgram(['openapi', 'describe', module, json]);
    expect([code, JSON.parse(out).paths['/payments/{id}'].get.security]).toEqual([0, SECURITY]);
    const target = join(folder, 'out.yml');
    const written = await runProgram(['openapi', 'describe', module, json, '--out', target]);
    expect([written.code, written.out]).toEqual([0, '']);
    const text = readFileSync(target, 'utf8');
    expect(text).toMatch(/^openapi: /);
    expect(parse(text).paths['/payments/{id}'].get.security).toEqual(SECURITY);
  });

  it('O16 check exits with 0 if both agree, and with 1 and a list if they differ', async () => {
    const described = join(folder, 'described.yaml');
    await runProgram(['openapi', 'describe', module, yaml, '--out', described]);
    const agreeing = await runProgram(['openapi', 'check', module, described]);
    expect([agreeing.code, agreeing.out]).toEqual([0, 'The app matches the document.\n']);

    const text = readFileSync(described, 'utf8');
    const other = file('other.yaml', text.replace('payments:read', 'payments:write'));
    const differing = await runProgram(['openapi', 'check', module, other]);
    const line =
      'GET /payments/{id}: the document asks for secretKey with payments:write; the app asks for secretKey with payments:read';
    expect(differing).toMatchObject({ code: 1, out: `${line}\n`, err: 'app and document differ in 1 place\n' });
    const listed = await runProgram(['openapi', 'check', module, other, '--json']);
    expect([listed.code, JSON.parse(listed.out)]).toEqual([1, { differences: [line] }]);
    const excepted = await runProgram(['openapi', 'check', module, other, '--except', 'GET /payments/{id}']);
    expect(excepted.code).toBe(0);
  });

  it('O15 describe exits with 1 on a conflict and writes nothing', async () => {
    const stated = file('stated.json', JSON.stringify({ ...parse(YAML), security: [], components: {} }));
    const { code, out, err } = await runProgram(['openapi', 'describe', module, stated]);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(
      /GET \/payments\/\{id\}: the document asks for nothing; the app asks for secretKey with payments:read/,
    );
  });

  it.each([
    ['a document that is not there', () => [module, join(folder, 'none.yaml')], /none\.yaml cannot be read/],
    ['JSON that is none', () => [module, file('bad.json', '{')], /bad\.json is not JSON/],
    ['YAML that is none', () => [module, file('bad.yaml', 'a: [')], /bad\.yaml is not YAML/],
    ['a document that is a text', () => [module, file('text.yaml', 'text')], /text\.yaml is not an OpenAPI document/],
    ['Swagger 2', () => [module, file('old.json', '{"swagger":"2.0"}')], /expected OpenAPI 3.0, 3.1 or 3.2/],
    [
      'a module without schemes',
      () => [file('bare.mjs', APP.replace('export const schemes', 'const schemes')), json],
      /does not export "schemes"/,
    ],
    ['a module that is not there', () => [join(folder, 'none.mjs'), json], /there is no file/],
  ])('O16 exits with 2 for %s', async (_name, args, message) => {
    for (const command of ['check', 'describe']) {
      const { code, out, err } = await runProgram(['openapi', command, ...args()]);
      expect([code, out]).toEqual([2, '']);
      expect(err).toMatch(message);
    }
  });
});
