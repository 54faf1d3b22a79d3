import { chmodSync, lstatSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { build, runProgram } from '../support/built-cli.js';
import { folderInRepository } from '../support/folder-in-repository.js';

const { folder, file } = folderInRepository('.openapi-');

beforeAll(build);

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

  it('describe expands an alias that it changes, and keeps the comments', async () => {
    const aliased = YAML.replace('get: # open\n', 'get: &open # open\n').replace(
      "get:\n      responses:\n        '200': { description: one }",
      'get: *open # the same',
    );
    const { code, out, err } = await runProgram(['openapi', 'describe', module, file('alias.yaml', aliased)]);
    expect([code, err]).toEqual([0, '']);
    for (const comment of ['# The API of the shop.\n', '# open\n', '# the same\n']) expect(out).toContain(comment);
    const { paths } = parse(out);
    const responses = { '200': { description: 'up' } };
    expect(paths['/health'].get).toEqual({ responses, security: [] });
    expect(paths['/payments/{id}'].get).toEqual({ responses, security: SECURITY });
  });

  it('describe warns if the comments cannot stay, and writes the right document', async () => {
    const [before] = YAML.split('  /payments/{id}:');
    const merged = `x-item: &item\n  get: { responses: {}, summary: one }\n${before}  /payments/{id}:\n    <<: *item\n`;
    const name = file('merged.yaml', merged);
    const { code, out, err } = await runProgram(['openapi', 'describe', module, name]);
    expect([code, err]).toEqual([
      0,
      `warning: the YAML was written without the comments and anchors of ${name}, because a change affects an alias or a merge key\n`,
    ]);
    const { paths } = parse(out, { merge: true });
    expect(paths['/payments/{id}'].get).toEqual({ responses: {}, summary: 'one', security: SECURITY });
  });

  it('describe replaces a file as a whole, behind a link and with its mode', async () => {
    const target = file('target.yaml', YAML);
    chmodSync(target, 0o640);
    symlinkSync(target, join(folder, 'link.yaml'));
    const { ino } = statSync(target);
    const args = ['openapi', 'describe', module, target, '--out', join(folder, 'link.yaml')];
    expect(await runProgram(args)).toEqual({ code: 0, out: '', err: '' });
    expect(lstatSync(join(folder, 'link.yaml')).isSymbolicLink()).toBe(true);
    expect(statSync(target).mode & 0o777).toBe(0o640);
    expect(statSync(target).ino).not.toBe(ino);
    expect(parse(readFileSync(target, 'utf8')).paths['/payments/{id}'].get.security).toEqual(SECURITY);
  });

  it('describe exits with 2 if --out is a folder', async () => {
    const { code, out, err } = await runProgram(['openapi', 'describe', module, yaml, '--out', folder]);
    expect([code, out, err]).toEqual([2, '', expect.stringMatching(/ cannot be written: .*EISDIR/)]);
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
      'GET /payments/{id}: the document requires secretKey with the scope payments:write, but the app requires secretKey with the scope payments:read';
    expect(differing).toMatchObject({ code: 1, out: `${line}\n`, err: 'the app and the document differ in 1 place\n' });
    const listed = await runProgram(['openapi', 'check', module, other, '--json']);
    expect([listed.code, JSON.parse(listed.out)]).toEqual([1, { differences: [line] }]);
    const excepted = await runProgram(['openapi', 'check', module, other, '--except', 'GET /payments/{id}']);
    expect(excepted.code).toBe(0);
  });

  it('--base-path is the prefix of every path of the app in the document', async () => {
    const described = join(folder, 'based.yaml');
    const based = file('based.mjs', APP.replaceAll("'/payments", "'/v1/payments").replace("'/health'", "'/v1/health'"));
    const args = [based, yaml, '--base-path', '/v1'];
    expect(await runProgram(['openapi', 'describe', ...args, '--out', described])).toMatchObject({ code: 0, out: '' });
    expect(parse(readFileSync(described, 'utf8')).paths['/payments/{id}'].get.security).toEqual(SECURITY);
    const same = await runProgram(['openapi', 'check', based, described, '--base-path', '/v1', '--json']);
    expect([same.code, JSON.parse(same.out)]).toEqual([0, { differences: [] }]);
    expect((await runProgram(['openapi', 'check', based, described])).code).toBe(1);
  });

  it('O15 describe exits with 1 on a conflict and writes nothing', async () => {
    const stated = file('stated.json', JSON.stringify({ ...parse(YAML), security: [], components: {} }));
    const { code, out, err } = await runProgram(['openapi', 'describe', module, stated]);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(
      /GET \/payments\/\{id\}: the document requires no credential, but the app requires secretKey with the scope payments:read/,
    );
  });

  it.each([
    ['a document that is not there', () => [module, join(folder, 'none.yaml')], /none\.yaml does not exist\n$/],
    ['JSON that is none', () => [module, file('bad.json', '{')], /bad\.json is not valid JSON/],
    ['YAML that is none', () => [module, file('bad.yaml', 'a: [')], /bad\.yaml is not valid YAML: .*[^:]$/m],
    ['a document that is a text', () => [module, file('text.yaml', 'text')], /text\.yaml is not an OpenAPI document/],
    ['Swagger 2', () => [module, file('old.json', '{"swagger":"2.0"}')], /expected OpenAPI 3.0, 3.1 or 3.2/],
    [
      'a module without schemes',
      () => [file('bare.mjs', APP.replace('export const schemes', 'const schemes')), json],
      /does not export "schemes"/,
    ],
    ['a module that is not there', () => [join(folder, 'none.mjs'), json], /the file .* does not exist/],
  ])('O16 exits with 2 for %s', async (_name, args, message) => {
    for (const command of ['check', 'describe']) {
      const { code, out, err } = await runProgram(['openapi', command, ...args()]);
      expect([code, out]).toEqual([2, '']);
      expect(err).toMatch(message);
    }
  });

  it('shows an error of the module with its stack, because it is no mistake in the command', async () => {
    const broken = APP.replace('{ secretKey: keys }', '{ get secretKey() { return undefined.verify; } }');
    for (const command of ['check', 'describe']) {
      const { code, out, err } = await runProgram(['openapi', command, file('broken.mjs', broken), json]);
      expect([code, out]).toEqual([1, '']);
      expect(err).toMatch(/TypeError: Cannot read properties of undefined.*\n +at .*broken\.mjs/);
    }
  });

  it('shows any other error of keyward with its stack, because it is not a difference', async () => {
    const text = APP.replace(
      '{ secretKey: keys }',
      '{ get secretKey() { throw new KeywardError("other", "no such store"); } }',
    );
    const broken = file('other.mjs', text.replace('import { ', 'import { KeywardError, '));
    for (const command of ['check', 'describe']) {
      const { code, out, err } = await runProgram(['openapi', command, broken, json]);
      expect([code, out]).toEqual([1, '']);
      expect(err).toMatch(/KeywardError: .*\n(?:.*\n)* +at .*other\.mjs/);
    }
  });

  it.each([
    [
      'an unknown route in --except',
      ['--except', 'GET /none'],
      APP,
      '--except has entries that are neither a route of the app nor an operation of the document: GET /none',
    ],
    ['a wrong --base-path', ['--base-path', 'v1'], APP, "--base-path must be a path such as '/v1'"],
    [
      'a scheme that is no verifier',
      [],
      APP.replace('secretKey: keys', 'secretKey: {}'),
      'the export "schemes.secretKey" must be \'mutualTLS\' or a verifier, such as the result of accessTokens() or apiKeys(), got an object',
    ],
    [
      'a scheme without a verifier',
      [],
      APP.replace('secretKey: keys', ''),
      'OpenAPI document, #/components/securitySchemes/secretKey: the export "schemes" has no verifier for the scheme "secretKey"',
    ],
    [
      'a verifier without a scheme',
      [],
      APP.replace('secretKey: keys', 'secretKey: keys, other: keys'),
      'the export "schemes.other" does not match a scheme in components.securitySchemes of the document; correct the name, remove it, or add the scheme to the document: "keyward openapi describe" does so',
    ],
  ])('check names %s in the words of a command', async (name, options, app, message) => {
    const described = file(
      'words.json',
      JSON.stringify({
        ...parse(YAML),
        components: { securitySchemes: { secretKey: { type: 'http', scheme: 'bearer' } } },
        security: [{ secretKey: [] }],
      }),
    );
    // A module is read once in a process, so each app has a file of its own.
    const result = await runProgram(['openapi', 'check', file(`${name}.mjs`, app), described, ...options]);
    expect(result).toEqual({ code: 2, out: '', err: `${message}\n` });
  });

  it('names the document in the words of a command if it is a list, and a scheme that describe does not need', async () => {
    const listed = await runProgram(['openapi', 'describe', module, file('list.json', '[]')]);
    expect(listed).toEqual({
      code: 2,
      out: '',
      err: 'the document must be a parsed OpenAPI document, got an empty array\n',
    });
    const idle = file('idle.mjs', APP.replace('secretKey: keys', 'secretKey: keys, other: { ...keys }'));
    const { code, err } = await runProgram(['openapi', 'describe', idle, json]);
    expect([code, err]).toEqual([
      2,
      'the export "schemes.other" is a scheme that no operation of the document requires; remove it from "schemes", or add the operations of its routes to the document\n',
    ]);
  });

  it('finds the app and the schemes in an object that is the default export', async () => {
    const text = `${APP.replaceAll('export const', 'const')} export default { app, schemes };`;
    const { code, out, err } = await runProgram(['openapi', 'describe', file('object.mjs', text), json]);
    expect([code, err]).toEqual([0, '']);
    expect(JSON.parse(out).paths['/payments/{id}'].get.security).toEqual(SECURITY);
  });
});
