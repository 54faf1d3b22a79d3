import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newForm } from '../dashboard/key-forms.js';
import { formTokenIn, textIn } from '../dashboard/served-dashboard.js';
import { Browser } from '../dashboard/sign-in/sign-in-browser.js';
import { POSTGRES, placesOf, type TestPlace } from '../support/test-stores.js';
import { ROOT, type RunningService, startService } from './built-service.js';

const run = promisify(execFile);
const databases: [string, () => Promise<TestPlace>][] = [
  ['a file', async () => ({ url: 'file:keyward.db', remove: async () => undefined })],
  ...(POSTGRES === undefined ? [] : [['PostgreSQL', placesOf.PostgreSQL] as [string, () => Promise<TestPlace>]]),
];
const allFolder = mkdtempSync(join(tmpdir(), 'keyward-all-'));
const service = await startService({ args: ['--all'], folder: allFolder });
await service.until(/reason\n/);
const printed = service.printed();
const commands = [...printed.matchAll(/^ {2}(\d{3}) {2}(.+)\n +(curl .+)$/gm)].map(([, status, what, command]) => ({
  ...{ status: Number(status), what: what ?? '', command: command ?? '' },
}));
const credentials = [
  ...printed.matchAll(/^ {2}(?:secret key|public key|access token|access key, client secret).*? {2,}(\S+)/gm),
].map(([, credential]) => credential ?? '');

afterAll(async () => {
  await service.end('SIGINT');
  rmSync(allFolder, { recursive: true, force: true });
});

describe('npm start -- --all', () => {
  it('prints each of the credentials, all different', () => {
    expect(new Set(credentials).size).toBe(7);
  });

  it.each([
    [201, /a secret key/],
    [403, /^wrong API/],
    [200, /^an access key obtains an access token/],
    [200, /^a new access token, on a route/],
    [400, /^wrong scope/],
    [401, /^wrong secret/],
    [401, /^wrong kind/],
    [401, /^mistyped/],
    [401, /^expired/],
    [401, /^missing/],
  ])('prints a command that gets %i: %s', (status, what) => {
    expect(commands.filter((command) => what.test(command.what)).map((command) => command.status)).toContain(status);
  });

  it.each(commands)('$what: $status, as printed', async ({ status, command }) => {
    const { stdout } = await run('sh', ['-c', command]);
    expect(stdout).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(stdout).not.toContain('4242424242424242');
  });

  it('prints a command that calls with DPoP: 200 with a proof, 401 without', async () => {
    const [, command] = / {2}200, then 401\n +(eval .+)$/m.exec(printed) ?? [];
    // It is printed for the folder of the project, where npm starts the service.
    const here = String(command).replace('examples/', join(ROOT, 'examples/'));
    const { stdout } = await run('sh', ['-c', here], { cwd: allFolder });
    expect(stdout).toMatch(/^200 with the token and a proof: \{"account":"acc_demo",.*\n401 with the token alone: /);
  });

  it('prints a link to the Dashboard for a Developer and for an Owner', () => {
    const [, baseUrl] = /^payments-service listens on (\S+)\./m.exec(printed) ?? [];
    for (const role of ['Developer', 'Owner']) {
      expect(printed).toMatch(new RegExp(`^ {2}as ${role} +${baseUrl}/dashboard/sign-in\\?token=[\\w-]{43}$`, 'm'));
    }
  });

  it('prints the client ID of the access key together with its client secret', () => {
    expect(printed).toMatch(/^ {2}access key, client ID +ack_[a-z2-7]{26}\n {2}access key, client secret +[\w-]{86}$/m);
  });

  it('logs the reason, and never a credential or a card number', async () => {
    await service.until(/ malformed\n/);
    const decisions = service.printed().slice(printed.length);
    for (const reason of [
      'api',
      'channel',
      'scope',
      'kind_not_accepted',
      'key_malformed',
      'expired',
      'nothing_presented',
      'wrong_secret',
      'scope_not_assigned',
    ]) {
      expect(decisions).toMatch(new RegExp(`^ {2}refused .* ${reason}(, by .*)?$`, 'm'));
    }
    for (const credential of [...credentials, '4242424242424242']) expect(decisions).not.toContain(credential);
  });
});

describe('npm start', () => {
  const NPM_LINES = 4; // "> keyward@0.1.0 start", the command, and a blank line around them
  const folder = mkdtempSync(join(tmpdir(), 'keyward-start-'));
  let short: RunningService;
  let lines: readonly string[];
  beforeAll(async () => {
    short = await startService({ folder });
    await short.until(/reason\n/);
    lines = short.printed().trimEnd().split('\n');
  });
  afterAll(async () => {
    await short.end('SIGINT');
    rmSync(folder, { recursive: true, force: true });
  });

  it('prints at most 25 lines of at most 100 columns', () => {
    expect(lines.length + NPM_LINES).toBeLessThanOrEqual(25);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it("prints the Owner's link, and no credential", async () => {
    const link = lines.find((line) => line.includes('/dashboard/sign-in?token=')) ?? '';
    const { port, pathname, search } = new URL(link);
    expect((await new Browser(Number(port)).get(pathname + search)).status).toBe(200);
    expect(short.printed()).not.toMatch(/[sp]k_[a-z2-7]|ack_|eyJ/);
  });

  it('writes the credentials to a file that only its owner can read', () => {
    expect(statSync(join(folder, 'keyward.demo.env')).mode & 0o777).toBe(0o600);
  });

  it('prints five commands that get the printed status, with the credentials loaded', async () => {
    const load = lines.map((line) => /: (eval "\$\(cat .*\)")$/.exec(line)?.[1]).find(Boolean) ?? 'false';
    const short = [...lines.join('\n').matchAll(/^ {2}(\d{3}) {2}.+\n +(curl .+)$/gm)];
    expect(short).toHaveLength(5);
    for (const [, status, command] of short) {
      const { stdout } = await run('sh', ['-c', `${load}; ${command}`], { cwd: folder });
      expect(stdout).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    }
  });
});

describe('npm start -- --json', () => {
  const names = [
    ...[
      'baseUrl',
      'issuer',
      'audience',
      'dashboard',
      'secretAll',
      'secretPayments',
      'secretDisputes',
      'secretEcommerce',
      'public',
    ],
    ...['accessToken', 'tokenEndpoint', 'accessKeyId', 'accessKeySecret', 'defaultScopes', 'replaced'],
  ];
  let other: RunningService;
  let start: Start;
  beforeAll(async () => {
    other = await startService({ args: ['--json'] });
    await other.until(/\n/);
    start = JSON.parse(other.printed());
  });

  const reports = (token: string) =>
    fetch(`${start.baseUrl}/reports`, { headers: { authorization: `Bearer ${token}`, connection: 'close' } });

  it('prints one line of JSON, with every field', () => {
    expect(Object.keys(start)).toEqual(names);
    expect(other.printed().trimEnd().split('\n')).toHaveLength(1);
  });

  it('accepts the access token', async () => {
    expect((await reports(start.accessToken)).status).toBe(200);
  });

  it('issues a token with the default scopes for the access key, and accepts it', async () => {
    const body = new URLSearchParams({
      ...{ grant_type: 'client_credentials', client_id: start.accessKeyId, client_secret: start.accessKeySecret },
    });
    const response = await fetch(start.tokenEndpoint, { method: 'POST', body, headers: { connection: 'close' } });
    const { access_token: token, scope } = (await response.json()) as { access_token: string; scope: string };
    expect(scope.split(' ')).toEqual(start.defaultScopes);
    expect((await reports(token)).status).toBe(200);
  });

  it('has metadata that matches its output', async () => {
    const response = await fetch(`${start.issuer}/.well-known/oauth-authorization-server`, {
      headers: { connection: 'close' },
    });
    expect(await response.json()).toMatchObject({ issuer: start.issuer, token_endpoint: start.tokenEndpoint });
  });

  it('has a Dashboard: a key that is created there is accepted immediately, and refused immediately when it is revoked there', async () => {
    const pay = async (key: string) => {
      const headers = { authorization: `Bearer ${key}`, connection: 'close' };
      return (await fetch(`${start.baseUrl}/payments/none`, { headers })).status;
    };
    const port = Number(new URL(start.baseUrl).port);
    const [developer, owner] = [new Browser(port), new Browser(port)];
    expect((await developer.get('/dashboard')).status).toBe(401);
    expect((await developer.signIn(start.dashboard.developer)).status).toBe(303);
    expect((await owner.signIn(start.dashboard.owner)).status).toBe(303);

    const page = await developer.get('/dashboard/keys/new?kind=secret');
    const form = { 'apis.of': 'some', apis: 'payments', 'scopes.of': 'all', 'channels.of': 'all', name: 'Made there' };
    const csrf = formTokenIn(page);
    const made = await developer.post('/dashboard/keys', { ...newForm('keys', form), csrf });
    expect(made.status).toBe(201);
    // The command beside it is answered, as it stands there.
    const command = / id="command"[^>]*>(curl [^<]+)</.exec(made.body)?.[1]?.replaceAll('&#39;', "'") ?? '';
    expect(JSON.parse((await run('sh', ['-c', command])).stdout)).toMatchObject({ kind: 'secret', apis: ['payments'] });
    const id = /key_[a-z2-7]{26}/.exec(made.body)?.[0] ?? '';
    expect(await pay(textIn(made))).toBe(404);

    const path = `/dashboard/keys/${id}/revoke`;
    const confirm = 'Made there';
    expect((await developer.post(path, { confirm, csrf })).status).toBe(403);
    const token = formTokenIn(await owner.get(path));
    expect((await owner.post(path, { confirm, csrf: token })).status).toBe(303);
    expect(await pay(textIn(made))).toBe(401);
  });

  it('exits with 0', async () => {
    expect(await other.end('SIGTERM')).toBe(0);
  });
});

interface Start {
  readonly baseUrl: string;
  readonly issuer: string;
  readonly dashboard: { readonly developer: string; readonly owner: string };
  readonly secretPayments: string;
  readonly accessToken: string;
  readonly tokenEndpoint: string;
  readonly accessKeyId: string;
  readonly accessKeySecret: string;
  readonly defaultScopes: readonly string[];
}

describe('another start', () => {
  it.each(databases)('prints the same credentials, and accepts them: %s', async (_engine, place) => {
    const { url, remove } = await place();
    const folder = mkdtempSync(join(tmpdir(), 'keyward-restart-'));
    const starts = [];
    for (const _ of [1, 2]) {
      const { end, printed, until } = await startService({ args: ['--json'], database: url, folder });
      await until(/\n/);
      const start: Start = JSON.parse(printed());
      const headers = { authorization: `Bearer ${start.secretPayments}`, connection: 'close' };
      expect((await fetch(`${start.baseUrl}/payments/none`, { headers })).status).toBe(404);
      starts.push({
        ...start,
        ...{ baseUrl: '', issuer: '', tokenEndpoint: '', accessToken: '', dashboard: undefined },
      });
      await end('SIGTERM');
    }
    expect(starts[1]).toEqual(starts[0]);
    const files = readdirSync(folder).filter((name) => name.startsWith('keyward'));
    for (const file of files) expect(statSync(join(folder, file)).mode & 0o077).toBe(0);
    expect(files).toEqual(expect.arrayContaining(['keyward.demo.json', 'keyward.key']));
    rmSync(folder, { recursive: true, force: true });
    await remove();
  });
});

describe('the end of the service', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('%s: it answers the pending request, and exits with 0', async (signal) => {
    const other = await startService({ args: ['--json'] });
    await other.until(/\n/);
    const { baseUrl, secretAll } = JSON.parse(other.printed());
    const port = Number(new URL(baseUrl).port);
    const card = { type: 'card', number: '4242424242424242', expiry_month: 12, expiry_year: 2030 };
    const body = JSON.stringify({ source: card, amount: 1, currency: 'GBP', reference: 'last' });
    const lines = ['POST /payments HTTP/1.1', 'Host: localhost', `Authorization: Bearer ${secretAll}`];
    const more = ['Content-Type: application/json', `Content-Length: ${body.length}`, 'Expect: 100-continue', '', ''];

    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    let answer = '';
    socket.on('data', (text: string) => {
      answer += text;
    });
    socket.write([...lines, ...more].join('\r\n'));
    await once(socket, 'data');
    expect(answer).toContain('HTTP/1.1 100 Continue');
    const ended = Promise.all([other.end(signal), once(socket, 'close')]);
    while (!(await isRefused(port)));
    socket.write(body);

    const [exitCode] = await ended;
    expect(exitCode).toBe(0);
    expect(answer).toContain('HTTP/1.1 201 Created');
  });

  it.each([
    ['a port that is taken', 'taken', /^The port is already in use\. Choose another port: PORT=3001 npm start\n$/],
    ['a port that is none', 'none', /^PORT must be a whole number from 0 to 65535\n$/],
  ])('%s: it prints the reason, and exits with 1', async (_what, port, sentence) => {
    const taken = Number(/127\.0\.0\.1:(\d+)/.exec(printed)?.[1]);
    const other = await startService({ port: port === 'taken' ? taken : 65_536 });
    await expect(other.until(/never/)).rejects.toThrow('ended with 1');
    expect(other.printed()).toMatch(sentence);
  });
});

/** Whether nobody listens on a port. */
function isRefused(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => resolve(true));
    socket.on('connect', () => {
      socket.destroy();
      resolve(false);
    });
  });
}
