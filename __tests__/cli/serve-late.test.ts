import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Browser } from '../dashboard/sign-in/sign-in-browser.js';
import { build, type RunningProgram, startProgram } from '../support/built-cli.js';
import { commandLine } from '../support/command-line.js';
import { startStoreProxy } from '../support/store-proxy.js';
import { eventually } from '../support/store-wait.js';
import { onServer, placesOf, sharedEngines, type TestPlace } from '../support/test-stores.js';

const SERVE = ['serve', '--audience', 'https://api.test', '--port', '0', '--json', '--sign-in-links'];
const headers = { connection: 'close' };
const TIMEOUT_MS = 30_000;

interface Line {
  readonly issuer?: string;
  readonly port?: number;
  readonly dashboard?: { readonly account: string; readonly owner: string } | null;
}

let folder: string;
let program: RunningProgram | undefined;

beforeAll(build);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyward-late-'));
});
afterEach(async () => {
  program?.child.kill('SIGKILL');
  await program?.ended;
  rmSync(folder, { recursive: true, force: true });
});

/** Serves, and collects the lines that it prints. */
async function start(url: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const running = startProgram([...SERVE, ...args], { KEYWARD_DATABASE: url, ...env }, folder);
  program = running;
  let out = '';
  running.child.stdout.on('data', (text: string) => {
    out += text;
  });
  const first: Line = JSON.parse(await running.firstLine);
  const lines = (): readonly Line[] =>
    out
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text));
  const statusOf = async (path: string) => (await fetch(first.issuer + path, { headers })).status;
  return { running, first, lines, statusOf };
}

async function obtainToken(issuer: string | undefined, id: string, secret: string): Promise<number> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret });
  return (await fetch(`${issuer}/connect/token`, { method: 'POST', body, headers })).status;
}

describe.each(sharedEngines)('keyward serve before there is an account, on %s', (engine) => {
  let place: TestPlace;
  beforeEach(async () => {
    place = await placesOf[engine]();
  });
  afterEach(() => place.remove());

  it.each([
    ['the only one', []],
    ['the one that is named', ['--account', 'acme']],
  ])('N38 %s: Dashboard and readiness follow automatically', async (_what, args) => {
    const { first, lines, statusOf } = await start(place.url, args);
    expect(first.dashboard).toBeNull();
    expect([await statusOf('/readyz'), await statusOf('/dashboard'), await statusOf('/healthz')]).toEqual([
      503, 503, 200,
    ]);
    const waitsFor = async () =>
      ((await (await fetch(`${first.issuer}/readyz`, { headers })).json()) as { waitsFor: string }).waitsFor;
    await eventually(async () => (await waitsFor()) === 'account', TIMEOUT_MS);
    const dashboard = await fetch(`${first.issuer}/dashboard`, { headers });
    expect(await dashboard.text()).toBe(
      'The Dashboard is not available yet: the account that it manages does not exist or cannot be read. For the cause, see the output of "keyward serve".\n',
    );

    await commandLine(place).json('accounts', 'put', 'acme', '--api', 'payments', '--scope', 'payments');
    await eventually(async () => (await statusOf('/readyz')) === 200, TIMEOUT_MS);
    await eventually(() => lines().length > 1, TIMEOUT_MS);
    const owner = lines()[1]?.dashboard?.owner ?? '';
    expect((await new Browser(first.port ?? 0).signIn(owner)).status).toBe(303);
    const { id, secret } = await commandLine(place).json<{ id: string; secret: string }>(
      ...['access-keys', 'create', '--account', 'acme', '--scope', 'payments'],
    );
    expect(await obtainToken(first.issuer, id, secret)).toBe(200);
  });

  it('N38 --no-dashboard waits for no account', async () => {
    const { statusOf } = await start(place.url, ['--no-dashboard']);
    await eventually(async () => (await statusOf('/readyz')) === 200, TIMEOUT_MS);
    expect(await statusOf('/dashboard')).toBe(404);
  });
});

onServer('keyward serve before its database is up', () => {
  it('N38 becomes ready automatically, with the Dashboard', async () => {
    const place = await placesOf.PostgreSQL();
    const proxy = await startStoreProxy(place.url);
    try {
      await commandLine(place).json('accounts', 'put', 'acme', '--api', 'payments', '--scope', 'payments');
      const { id, secret } = await commandLine(place).json<{ id: string; secret: string }>(
        ...['access-keys', 'create', '--account', 'acme', '--scope', 'payments'],
      );
      await proxy.refuse();
      const { first, lines, statusOf } = await start(proxy.urlOf(place.url));
      expect(first.dashboard).toBeNull();
      const unready = await fetch(`${first.issuer}/readyz`, { headers });
      expect([unready.status, await unready.json()]).toEqual([503, { status: 'unavailable', waitsFor: 'database' }]);
      const dashboard = await fetch(`${first.issuer}/dashboard`, { headers });
      expect(await dashboard.text()).toBe('The Dashboard is not available yet: the database cannot be reached.\n');
      expect(await obtainToken(first.issuer, id, secret)).toBe(503);
      await proxy.accept();
      await eventually(async () => (await statusOf('/readyz')) === 200, TIMEOUT_MS);
      await eventually(() => lines().length > 1, TIMEOUT_MS);
      expect(lines()[1]?.dashboard).toMatchObject({ account: 'acme' });
      expect(await obtainToken(first.issuer, id, secret)).toBe(200);
    } finally {
      program?.child.kill('SIGKILL');
      await program?.ended;
      await proxy.close();
      await place.remove();
    }
  });
});

describe('keyward serve', () => {
  const database = () => `file:${join(folder, 'keyward.db')}`;

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('N34 %s ends it with %i, also while it waits for an account', async (signal, exitCode) => {
    const { running } = await start(database(), ['--no-log']);
    running.child.kill(signal);
    const { code, err } = await running.ended;
    expect(code).toBe(exitCode);
    expect(JSON.parse(err.trimEnd().split('\n').at(-1) ?? '')).toEqual({
      error: { code: 'signal', message: `the server was stopped by ${signal}`, exitCode },
    });
  });

  it('reads port, host, audience and issuer from the environment; options come first', async () => {
    const env = {
      KEYWARD_DATABASE: database(),
      KEYWARD_AUDIENCE: 'https://api.test',
      KEYWARD_ISSUER: 'https://a.test',
    };
    program = startProgram(['serve', '--json', '--no-log'], { ...env, PORT: '0', KEYWARD_HOST: '0.0.0.0' }, folder);
    expect(JSON.parse(await program.firstLine)).toMatchObject({ issuer: 'https://a.test' });
    program.child.kill('SIGKILL');
    await program.ended;
    program = startProgram(
      ['serve', '--json', '--no-log', '--issuer', 'https://b.test', '--port', '0'],
      { ...env, PORT: 'x' },
      folder,
    );
    expect(JSON.parse(await program.firstLine)).toMatchObject({ issuer: 'https://b.test' });
  });

  it('names a variable that is wrong', async () => {
    program = startProgram(['serve', '--audience', 'x'], { KEYWARD_DATABASE: database(), PORT: 'http' }, folder);
    expect(await program.ended).toMatchObject({ code: 2, err: 'PORT: expected a port from 0 to 65535\n' });
  });

  it('prints no sign-in link to a log, unless SIGUSR2 requests it', async () => {
    await commandLine({ url: database() }).json('accounts', 'put', 'acme', '--api', 'payments');
    program = startProgram(
      ['serve', '--audience', 'https://api.test', '--port', '0'],
      { KEYWARD_DATABASE: database() },
      folder,
    );
    let out = '';
    program.child.stdout.on('data', (text: string) => {
      out += text;
    });
    await eventually(() => out.includes('Ctrl-C'), TIMEOUT_MS);
    expect(out).toMatch(/^Dashboard {2}http:\S+, account acme$/m);
    expect(out).not.toContain('token=');
    program.child.kill('SIGUSR2');
    await eventually(() => /Sign in as Owner.*\n\S+token=\S+\n/.test(out), TIMEOUT_MS);
  });

  it('logs requests and refused token requests, without queries and secrets', async () => {
    await commandLine({ url: database() }).json('accounts', 'put', 'acme', '--api', 'payments');
    const { running, first } = await start(database());
    expect(await obtainToken(first.issuer, 'ack_x', 'secret-canary')).toBe(401);
    await fetch(`${first.issuer}/dashboard/sign-in?token=link-canary`, { headers });
    await fetch(`${first.issuer}/%1b%5b2J`, { headers });
    await fetch(`${first.issuer}/readyz`, { headers });
    running.child.kill('SIGTERM');
    const { err } = await running.ended;
    const lines = err
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text));
    expect(lines).toContainEqual({
      at: expect.any(String),
      event: 'token',
      outcome: 'refused',
      reason: 'unknown',
    });
    const requests = lines.filter(({ event }) => event === 'request');
    expect(requests.map(({ method, path, status }) => `${method} ${path} ${status}`)).toEqual([
      'POST /connect/token 401',
      'GET /dashboard/sign-in 200',
      'GET /%1b%5b2J 404',
    ]);
    expect(requests[0]).toMatchObject({ ip: '127.0.0.1', ms: expect.any(Number) });
    expect(err).not.toMatch(/canary/);
  });
});
