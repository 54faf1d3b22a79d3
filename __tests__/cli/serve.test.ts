import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build, type RunningProgram, runProgram, startProgram } from '../support/built-cli.js';
import { eventually } from '../support/store-wait.js';
import { placesOf, sharedEngines } from '../support/test-stores.js';

const SERVE = ['serve', '--audience', 'https://api.test', '--port', '0', '--json', '--no-log'];
const close = { connection: 'close' };
const endedBy = (signal: string, exitCode: number) =>
  `${JSON.stringify({ error: { code: 'signal', message: `the server was stopped by ${signal}`, exitCode } })}\n`;

beforeAll(build);

interface Served {
  readonly issuer: string;
  readonly tokenEndpoint: string;
}

const served = async ({ firstLine }: RunningProgram): Promise<Served> => JSON.parse(await firstLine);

async function obtainToken({ tokenEndpoint }: Served, id: string, secret: string): Promise<Response> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret });
  return await fetch(tokenEndpoint, { method: 'POST', body, headers: close });
}

describe.each(sharedEngines)('keyward serve, on %s', (engine) => {
  it('issues tokens for the access keys of the store, reports health, and ends cleanly', async () => {
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
    for (const start of ['first', 'second']) {
      const program = startProgram(SERVE, env, folder);
      const server = await served(program);
      for (const path of ['/healthz', '/readyz']) {
        await eventually(async () => (await fetch(server.issuer + path, { headers: close })).status === 200);
      }
      const issued = await obtainToken(server, id, secret);
      expect(issued.status).toBe(200);
      expect(await issued.json()).toMatchObject({ token_type: 'Bearer', expires_in: 3_600, scope: 'payments' });
      expect((await obtainToken(server, id, 'wrong')).status).toBe(401);
      const { keys } = (await (await fetch(`${server.issuer}/.well-known/jwks.json`, { headers: close })).json()) as {
        keys: { kid: string }[];
      };
      kids.push(keys.map(({ kid }) => kid));
      program.child.kill('SIGTERM');
      const { code, err } = await program.ended;
      const isAbout = /^\{"warning":\{"message":"the encryption key file \S+keyward\.key was created; .*back it up.*\n/;
      expect([code, isAbout.test(err), err.replace(isAbout, '')]).toEqual([
        143,
        start === 'first',
        endedBy('SIGTERM', 143),
      ]);
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

  it('reads the key from the environment, and then creates no file', async () => {
    const key = Buffer.alloc(32, 1).toString('base64url');
    const program = startProgram(
      [...SERVE, '--encryption-key-file', 'none.key'],
      { ...env, KEYWARD_ENCRYPTION_KEY: key },
      folder,
    );
    expect((await served(program)).issuer).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    program.child.kill('SIGINT');
    expect((await program.ended).code).toBe(130);
    expect(() => statSync(join(folder, 'none.key'))).toThrow('ENOENT');
  });

  it.each([
    [640, 'its group'],
    [604, 'all users'],
  ])('refuses a file with the mode %i, which %s can read', async (mode) => {
    const file = join(folder, `${mode}.key`);
    writeFileSync(file, 'x', { mode: `${mode}` });
    const ran = await runProgram([...SERVE, '--encryption-key-file', file], env, folder);
    expect(ran.err).toMatch(/other users have access to the encryption key file \S+; run: chmod 600/);
    expect(ran).toMatchObject({ code: 2, out: '' });
  });

  it('refuses a key that is none', async () => {
    const ran = await runProgram(SERVE, { ...env, KEYWARD_ENCRYPTION_KEY: 'short' }, folder);
    expect(ran.err).toMatch(/KEYWARD_ENCRYPTION_KEY must contain a key of 32 bytes in base64url/);
    expect(ran).toMatchObject({ code: 2, out: '' });
  });

  it('names the file if its key does not decrypt the stored signing keys', async () => {
    const env = { KEYWARD_DATABASE: `file:${join(folder, 'another.db')}` };
    const program = startProgram([...SERVE, '--encryption-key-file', 'first.key'], env, folder);
    // No signing key was made yet.
    await served(program);
    program.child.kill('SIGTERM');
    await program.ended;
    const ran = await runProgram([...SERVE, '--encryption-key-file', 'other.key'], env, folder);
    expect(ran).toMatchObject({
      code: 3,
      out: '',
      err: expect.stringMatching(/no key in \S*other\.key can decrypt the signing keys of this database; use the key/),
    });
  });

  const other = { KEYWARD_DATABASE: `file:${join(folder, 'http.db')}` };

  it('R17 serves an issuer by http with --allow-http, without a Dashboard', async () => {
    const program = startProgram(
      [...SERVE, '--issuer', 'http://keyward:4000/', '--allow-http', '--encryption-key-file', 'http.key'],
      other,
      folder,
    );
    expect(JSON.parse(await program.firstLine)).toMatchObject({
      issuer: 'http://keyward:4000/',
      tokenEndpoint: 'http://keyward:4000/connect/token',
      dashboard: null,
    });
    program.child.kill('SIGTERM');
    expect(await program.ended).toMatchObject({
      code: 143,
      err: expect.stringContaining('it needs an https URL in --issuer'),
    });
  });

  it('R17 refuses an issuer by http without it', async () => {
    const ran = await runProgram(
      [...SERVE, '--issuer', 'http://keyward:4000', '--encryption-key-file', 'http.key'],
      other,
      folder,
    );
    expect(ran).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/--issuer must be .*--allow-http/) });
  });

  it('names the variable whose URL of the issuer is refused', async () => {
    const args = [...SERVE, '--encryption-key-file', 'http.key'];
    const ran = await runProgram(args, { ...other, KEYWARD_ISSUER: 'ftp://a.test' }, folder);
    expect([ran.code, ran.out]).toEqual([2, '']);
    expect(ran.err).toMatch(/(?:^|"message":")KEYWARD_ISSUER must be an https URL/m);
  });

  it('is alive but not ready while PostgreSQL cannot be reached', async () => {
    const program = startProgram(SERVE, { KEYWARD_DATABASE: 'postgres://nobody:pw-canary@127.0.0.1:1/none' }, folder);
    const server = await served(program);
    expect((await fetch(`${server.issuer}/healthz`, { headers: close })).status).toBe(200);
    expect((await fetch(`${server.issuer}/readyz`, { headers: close })).status).toBe(503);
    expect((await obtainToken(server, 'ack_x', 'y')).status).toBe(503);
    program.child.kill('SIGTERM');
    const { code, out, err } = await program.ended;
    expect(code).toBe(143);
    expect(out + err).not.toContain('pw-canary');
  });
});
