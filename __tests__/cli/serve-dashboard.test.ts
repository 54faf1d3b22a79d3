import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sessionCookie } from '../../lib/dashboard/sign-in/session-cookie.js';
import { newForm } from '../dashboard/key-forms.js';
import { formTokenIn, textIn } from '../dashboard/served-dashboard.js';
import { Browser } from '../dashboard/sign-in/sign-in-browser.js';
import { build, type RunningProgram, runProgram, startProgram } from '../support/built-cli.js';

const SERVE = ['serve', '--audience', 'https://api.test', '--port', '0', '--sign-in-links', '--no-log'];

const folder = mkdtempSync(join(tmpdir(), 'keyward-serve-dashboard-'));
const env = { KEYWARD_DATABASE: `file:${join(folder, 'keyward.db')}` };
const keyward = (...args: string[]) => runProgram(args, env, folder);

beforeAll(build);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Start {
  readonly issuer: string;
  readonly port: number;
  readonly dashboard: Links | null;
}

interface Links {
  readonly url: string;
  readonly account: string;
  readonly developer: string;
  readonly owner: string;
}

/** Serves until the work is done, and says what it printed. */
async function serving(
  args: readonly string[],
  work: (start: Start, program: RunningProgram) => Promise<void> = async () => undefined,
  more: NodeJS.ProcessEnv = {},
) {
  const program = startProgram([...SERVE, '--json', ...args], { ...env, ...more }, folder);
  try {
    await work(JSON.parse(await program.firstLine), program);
  } finally {
    program.child.kill('SIGTERM');
  }
  const { err, ...rest } = await program.ended;
  // The last line names the signal. The first start creates the encryption key file, and says so.
  const isExpected = /\{"error":\{"code":"signal".*\n$|\{"warning":\{"message":"the encryption key file .*\n/g;
  return { ...rest, err: err.replaceAll(isExpected, '') };
}

const linksOf = ({ dashboard }: Start): Links => {
  if (dashboard === null) throw new Error('no Dashboard');
  return dashboard;
};

describe('without an account', () => {
  it('serves the token endpoint, and says how to create an account', async () => {
    const { code, err } = await serving([], async ({ issuer, dashboard }) => {
      expect(dashboard).toBeNull();
      expect((await fetch(`${issuer}/dashboard`, { headers: { connection: 'close' } })).status).toBe(503);
      expect((await fetch(`${issuer}/healthz`, { headers: { connection: 'close' } })).status).toBe(200);
    });
    expect([code, err]).toEqual([
      143,
      expect.stringMatching(
        /^{"warning":{"message":"the Dashboard is not available yet: there is no account in file:\S+; to create one, run: keyward/,
      ),
    ]);
  });

  it('says that the named account does not exist', async () => {
    const { err } = await serving(['--account', 'nobody'], async ({ dashboard }) => expect(dashboard).toBeNull());
    expect(JSON.parse(err).warning.message).toMatch(
      /^the Dashboard is not available yet: there is no account "nobody" in file:\S+; to create one, run: keyward accounts put/,
    );
  });
});

describe('with one account', () => {
  beforeAll(async () => {
    await keyward('accounts', 'put', 'acme', '--api', 'payments');
  });

  it('prints a link for a Developer and one for an Owner, at the URL of the issuer', async () => {
    await serving([], async (start) => {
      const { url, account, developer, owner } = linksOf(start);
      expect([url, account]).toEqual([`${start.issuer}/dashboard`, 'acme']);
      for (const [link, may] of [
        [developer, false],
        [owner, true],
      ] as const) {
        expect(link).toMatch(new RegExp(`^${url}/sign-in\\?token=[\\w-]{43}$`));
        const browser = new Browser(start.port);
        expect((await browser.get('/dashboard')).status).toBe(401);
        expect((await browser.signIn(link)).status).toBe(303);
        expect(browser.cookies.has(sessionCookie(url).name)).toBe(true);
        const csrf = formTokenIn(await browser.get('/dashboard/keys/new?kind=secret'));
        const made = await browser.post('/dashboard/keys', { ...newForm('keys'), csrf });
        expect(made.status).toBe(201);
        expect(made.body).toContain('https://api.test');
        const id = /key_[a-z2-7]{26}/.exec(made.body)?.[0] ?? '';
        expect(await keyward('keys', 'inspect', textIn(made))).toMatchObject({ code: 0 });
        const gone = await browser.post(`/dashboard/keys/${id}/revoke`, { confirm: id, csrf });
        expect(gone.status).toBe(may ? 303 : 403);
      }
    });
    const { out } = await keyward('audit', '--account', 'acme', '--action', 'sign_in');
    expect(out).toMatch(/serve:developer +developer +127\.0\.0\.1 +sign_in +done/);
    expect(out).toMatch(/serve:owner +owner +127\.0\.0\.1 +sign_in +done/);
  });

  it('shows a curl command with the URL of --api-url', async () => {
    const page = 'https://api.test/v1/ping';
    await serving(['--api-url', page], async (start) => {
      const browser = new Browser(start.port);
      await browser.signIn(linksOf(start).owner);
      const csrf = formTokenIn(await browser.get('/dashboard/keys/new?kind=secret'));
      expect((await browser.post('/dashboard/keys', { ...newForm('keys'), csrf })).body).toContain(page);
    });
    const { code, err } = await keyward(...SERVE, '--api-url', 'http://api.test');
    expect([code, err]).toEqual([2, expect.stringContaining('--api-url')]);
  });

  it('prints new links after a signal; earlier links are no longer valid', async () => {
    await serving([], async (start, program) => {
      const { owner } = linksOf(start);
      const line = once(program.child.stdout, 'data');
      program.child.kill('SIGUSR2');
      const [text] = await Promise.race([line, once(program.child, 'exit')]);
      const { dashboard } = JSON.parse(String(text)) as Start;
      expect(dashboard?.owner).not.toBe(owner);
      expect((await new Browser(start.port).signIn(owner)).status).toBe(401);
      expect((await new Browser(start.port).signIn(String(dashboard?.owner))).status).toBe(303);
    });
  });

  it('ends sessions with the process', async () => {
    let session = '';
    await serving([], async (start) => {
      const browser = new Browser(start.port);
      await browser.signIn(linksOf(start).owner);
      session = String(browser.cookies.get(sessionCookie(linksOf(start).url).name));
      expect((await browser.get('/dashboard')).status).toBe(200);
    });
    await serving([], async (start) => {
      const browser = new Browser(start.port);
      browser.cookies.set(sessionCookie(linksOf(start).url).name, session);
      const page = await browser.get('/dashboard');
      expect(page.status).toBe(401);
      expect(page.body).toContain('href="/dashboard/sign-in"');
      const how = await browser.get('/dashboard/sign-in');
      expect(how.body).toMatch(/keyward serve.* prints sign-in links when it starts/);
    });
  });

  it('--no-dashboard: no pages, and no output about them', async () => {
    const { err } = await serving(['--no-dashboard'], async ({ issuer, dashboard }) => {
      expect(dashboard).toBeNull();
      expect((await fetch(`${issuer}/dashboard`, { headers: { connection: 'close' } })).status).toBe(404);
    });
    expect(err).toBe('');
  });

  it('behind a proxy that ends TLS: links use --issuer, and TLS is known only with --trust-proxy', async () => {
    const issuer = 'https://access.test';
    const through = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.1', origin: issuer };
    for (const [args, status] of [
      [['--trust-proxy'], 303],
      [[], 403],
    ] as const) {
      await serving(['--issuer', issuer, ...args], async (start) => {
        const { owner } = linksOf(start);
        expect(owner).toMatch(/^https:\/\/access\.test\/dashboard\/sign-in\?token=/);
        const answer = await new Browser(start.port, 'access.test').signIn(owner, through);
        expect(answer.status).toBe(status);
        if (status === 403) expect(answer.body).toContain('HTTPS required');
      });
    }
  });

  it('an --issuer with a path: no Dashboard, with the reason', async () => {
    const { err } = await serving(['--issuer', 'https://access.test/auth'], async ({ dashboard }) => {
      expect(dashboard).toBeNull();
    });
    expect(JSON.parse(err).warning.message).toBe(
      'the Dashboard is not available: it needs a URL without a path in --issuer',
    );
  });

  it('L11 banner and pages contain no signing key, no key of the store and no password of its URL', async () => {
    const program = startProgram(SERVE, env, folder);
    let banner = '';
    while (!banner.includes('Ctrl-C')) banner += String((await once(program.child.stdout, 'data'))[0]);
    expect(banner).toMatch(/^Issuer +http:.*\nTokens .*\nHealth .*\nDashboard +http:.*, account acme\n/);
    const columns = banner
      .trimEnd()
      .split('\n')
      .map((line) => line.length);
    expect([columns.length <= 25, Math.max(...columns) <= 100]).toEqual([true, true]);
    const [, port = ''] = /^Issuer +http:\/\/127\.0\.0\.1:(\d+)/.exec(banner) ?? [];
    const [, owner = ''] = /^Sign in as Owner.*\n(\S+)$/m.exec(banner) ?? [];
    expect(banner).toContain(`kill -USR2 ${program.child.pid}`);
    const browser = new Browser(Number(port));
    const { pathname, search } = new URL(owner);
    const pages = [await browser.get(pathname + search), await browser.get('/dashboard'), await browser.get(pathname)];
    await browser.signIn(owner);
    for (const path of [
      '/dashboard',
      '/dashboard/access-keys',
      '/dashboard/keys/new?kind=secret',
      '/dashboard/audit',
    ]) {
      pages.push(await browser.get(path));
    }
    program.child.kill('SIGTERM');
    const { out, err } = await program.ended;
    const said = [out, err, ...pages.map(({ body, headers }) => body + JSON.stringify(headers))].join('\n');
    expect(said).not.toContain(readFileSync(join(folder, 'keyward.key'), 'utf8').trim());
    expect(said).not.toContain('keyward.db');
    expect(said).not.toMatch(/PRIVATE KEY|"d":|"kty"/);
  });

  it('L11 a database that cannot be reached: its password is not printed', async () => {
    const away = { KEYWARD_DATABASE: 'postgres://nobody:pw-canary@127.0.0.1:1/none' };
    for (const args of [[], ['--account', 'acme']]) {
      let page = '';
      const { out, err } = await serving(
        args,
        async (start) => {
          expect(start.dashboard).toBeNull();
          const answer = await new Browser(start.port).get('/dashboard');
          expect(answer.status).toBe(503);
          page = answer.body;
        },
        away,
      );
      expect(out + err + page).not.toContain('pw-canary');
      expect(err).toContain(
        'the Dashboard is not available yet: the database postgres://127.0.0.1:1/none cannot be reached',
      );
    }
  });
});

describe('with two accounts', () => {
  beforeAll(async () => {
    await keyward('accounts', 'put', 'acme', '--api', 'payments');
    await keyward('accounts', 'put', 'other', '--api', 'payments');
  });

  it('asks for the account of the Dashboard', async () => {
    const { err } = await serving([], async ({ dashboard }) => expect(dashboard).toBeNull());
    expect(JSON.parse(err).warning.message).toBe(
      'the Dashboard is not available: there are several accounts; choose one with --account ID',
    );
  });

  it('--account selects it', async () => {
    await serving(['--account', 'other'], async (start) => {
      expect(linksOf(start).account).toBe('other');
      const browser = new Browser(start.port);
      await browser.signIn(linksOf(start).developer);
      expect((await browser.get('/dashboard')).body).toContain('<bdi>other</bdi>');
    });
  });
});
