import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from '../examples/built-service.js';
import { type RunningProgram, runProgram, startProgram } from '../support/built-cli.js';
import { placesOf, sharedEngines } from '../support/test-stores.js';

const SERVE = ['serve', '--audience', 'https://api.test', '--port', '0', '--json'];
const close = { connection: 'close' };

beforeAll(build, 120_000);

interface Served {
  readonly issuer: string;
  readonly tokenEndpoint: string;
}

const served = async ({ firstLine }: RunningProgram): Promise<Served> => JSON.parse(await firstLine);

async function buy({ tokenEndpoint }: Served, id: string, secret: string): Promise<Response> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret });
  return await fetch(tokenEndpoint, { method: 'POST', body, headers: close });
}

describe.each(sharedEngines)('keyward serve, on %s', (engine) => {
  it('sells tokens for the access keys of the store, says that it is healthy, and ends cleanly', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'keyward-serve-'));
    const place = await placesOf[engine]();
    const env = { KEYWARD_DATABASE: place.url };
    await runProgram(['accounts', 'put', 'acme', '--scope', 'payments'], env, folder);
    const made = await runProgram(
      ['access-keys', 'create', '--account', 'acme', '--scope', 'payments', '--json'],
      env,
      folder,
    );
    const { id, secret } = JSON.parse(made.out);

    const kids = [];
    for (const _ of [1, 2]) {
      const program = startProgram(SERVE, env, folder);
      const server = await served(program);
      for (const path of ['/healthz', '/readyz']) {
        expect((await fetch(server.issuer + path, { headers: close })).status).toBe(200);
      }
      const bought = await buy(server, id, secret);
      expect(bought.status).toBe(200);
      expect(await bought.json()).toMatchObject({ token_type: 'Bearer', expires_in: 3_600, scope: 'payments' });
      expect((await buy(server, id, 'wrong')).status).toBe(401);
      const { keys } = (await (await fetch(`${server.issuer}/.well-known/jwks.json`, { headers: close })).json()) as {
        keys: { kid: string }[];
      };
      kids.push(keys.map(({ kid }) => kid));
      program.child.kill('SIGTERM');
      expect(await program.ended).toMatchObject({ code: 0, err: '' });
    }
    expect(kids[1]).toEqual(kids[0]);

    const file = join(folder, 'keyward.key');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toMatch(/^[\w-]{43}\n$/);
    rmSync(folder, { recursive: true, force: true });
    await place.remove();
  });
});

describe('keyward serve', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-serve-'));
  const env = { KEYWARD_DATABASE: `file:${join(folder, 'keyward.db')}` };
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('takes the key from the environment, and makes no file then', async () => {
    const key = Buffer.alloc(32, 1).toString('base64url');
    const program = startProgram(
      [...SERVE, '--encryption-key-file', 'none.key'],
      { ...env, KEYWARD_ENCRYPTION_KEY: key },
      folder,
    );
    expect((await served(program)).issuer).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    program.child.kill('SIGINT');
    expect((await program.ended).code).toBe(0);
    expect(() => statSync(join(folder, 'none.key'))).toThrow('ENOENT');
  });

  it.each([
    ['a file that others can read', 2, /can be read by others: chmod 600/, {}],
    ['a key that is none', 2, /^KEYWARD_ENCRYPTION_KEY must be 32 bytes/, { KEYWARD_ENCRYPTION_KEY: 'short' }],
  ])('refuses %s', async (_what, code, sentence, more) => {
    const file = join(folder, 'open.key');
    writeFileSync(file, 'x', { mode: 0o644 });
    const ran = await runProgram([...SERVE, '--encryption-key-file', file], { ...env, ...more }, folder);
    expect(ran.err).toMatch(sentence);
    expect(ran).toMatchObject({ code, out: '' });
  });

  it('names the file whose key is not the one that signing keys were stored with', async () => {
    const program = startProgram([...SERVE, '--encryption-key-file', 'first.key'], env, folder);
    await fetch(`${(await served(program)).issuer}/.well-known/jwks.json`, { headers: close });
    program.child.kill('SIGTERM');
    await program.ended;
    const ran = await runProgram([...SERVE, '--encryption-key-file', 'other.key'], env, folder);
    expect(ran).toMatchObject({ code: 3, out: '', err: expect.stringMatching(/: is other\.key the one/) });
  });

  it('is up and not ready while PostgreSQL is away', async () => {
    const program = startProgram(SERVE, { KEYWARD_DATABASE: 'postgres://nobody:pw-canary@127.0.0.1:1/none' }, folder);
    const server = await served(program);
    expect((await fetch(`${server.issuer}/healthz`, { headers: close })).status).toBe(200);
    expect((await fetch(`${server.issuer}/readyz`, { headers: close })).status).toBe(503);
    expect((await buy(server, 'ack_x', 'y')).status).toBe(503);
    program.child.kill('SIGTERM');
    const { code, out, err } = await program.ended;
    expect(code).toBe(0);
    expect(out + err).not.toContain('pw-canary');
  });
});
