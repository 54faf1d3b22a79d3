import { request } from 'node:http';
import { afterAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { DashboardWarning } from 'keyward/dashboard';
import { type AuditEntry, ManagementError } from 'keyward/management';
import { canariesOf, printed } from '../../support/canaries.js';
import { eavesdrop } from '../../support/eavesdrop.js';
import { managed } from '../../support/managed.js';
import { editForm, madeKey, newForm } from '../key-forms.js';
import { altered, MOUNT, servedDashboard } from '../served-dashboard.js';

const CANARY = 'sk_canarycanarycanarycanary';

const at = managed('memory');
const heard = eavesdrop();
const warnings = () => heard.heard<DashboardWarning>('keyward:dashboard');

beforeEach(() => heard.clear());
afterAll(() => heard.stop());

describe('an unexpected error', () => {
  const dashboard = servedDashboard(at, {
    management: altered(at, ({ keys }) => ({
      keys: { ...keys, list: () => Promise.reject(Object.assign(new RangeError(CANARY), { code: 'E_ODD' })) },
    })),
  });

  it('gives a page without details; the operator gets an event without the error message', async () => {
    const { owner } = await at.account();
    const { status, body, headers } = await dashboard.browser(owner).get('/?text=x');
    expect(status).toBe(500);
    expect(body).toContain('<h1>Something went wrong</h1>');
    expect(body).not.toContain('RangeError');
    expect(dashboard.passedOn).toEqual([]);
    expect(warnings()).toEqual([
      {
        ...{ warning: 'failed', method: 'GET', route: '/', detail: 'RangeError E_ODD' },
        where: expect.arrayContaining([expect.stringMatching(/failures\.test\.ts:\d+:\d+$/)]),
      },
    ]);
    expect(canariesOf([CANARY]).heardIn(`${body}${JSON.stringify(headers)}${printed(warnings())}`)).toEqual([]);
  });

  it('in a body that was already consumed is handled in the same way', async () => {
    const { owner } = await at.account();
    const read = swallowing.browser(owner);
    expect((await read.post('/keys', newForm('keys'))).status).toBe(500);
    expect(warnings()).toMatchObject([{ warning: 'failed', detail: 'Error' }]);
  });

  const swallowing = servedDashboard(at, {}, (app) => {
    app.use((req, _res, next) => {
      req.resume().on('end', () => next());
    });
  });
});

describe('a store that cannot be reached', () => {
  const away = () =>
    Promise.reject(
      new ManagementError(
        'unavailable',
        'the store',
        undefined,
        Object.assign(new Error(CANARY), { code: 'ECONNREFUSED' }),
      ),
    );
  const dashboard = servedDashboard(at, {
    management: altered(at, ({ keys }) => ({ keys: { ...keys, list: away, view: away, create: away, edit: away } })),
  });

  it.each(['/', '/keys/key_a', '/keys/key_a/edit'])('%s: 503 with Retry-After', async (path) => {
    const { owner } = await at.account();
    const { status, headers, body } = await dashboard.browser(owner).get(path);
    expect([status, headers['retry-after']]).toEqual([503, '1']);
    expect(body).toContain('Try again later.');
    expect(warnings()).toMatchObject([{ warning: 'unavailable', method: 'GET', detail: 'Error ECONNREFUSED' }]);
    expect(body + printed(warnings())).not.toContain(CANARY);
  });

  it('a form: 503, and the same form creates the key when the store is back', async () => {
    const holder = await at.account();
    const form = newForm('keys');
    expect((await dashboard.browser(holder.owner).post('/keys', form)).status).toBe(503);
    expect((await healthy.browser(holder.owner).post('/keys', form)).status).toBe(201);
    expect((await at.management.keys.list(holder.owner)).items).toHaveLength(1);
  });

  const healthy = servedDashboard(at);
});

describe('memberOf that', () => {
  const asked: unknown[] = [];
  const dashboard = servedDashboard(at, {
    memberOf: ({ headers: { cookie } }) => {
      asked.push(cookie);
      const which = /answer=(\w+)/.exec(cookie ?? '')?.[1];
      if (which === 'throws') throw new Error(CANARY);
      if (which === 'rejects') return Promise.reject(new Error(CANARY));
      return ODD[which ?? ''] as undefined;
    },
  });
  const ODD: Readonly<Record<string, unknown>> = {
    null: null,
    false: false,
    text: 'owner',
    empty: {},
    numbers: { id: 1, account: 2, permissions: [] },
    unnamed: { id: '', account: 'acme', permissions: ['owner'] },
    permissions: { id: 'm', account: 'acme', permissions: 'owner' },
    unknown: { id: 'm', account: 'acme', permissions: ['admin'] },
    environment: { id: 'm', account: 'acme', permissions: ['owner'], environment: 'test' },
    control: { id: 'm\0', account: 'acme', permissions: ['owner'] },
    long: { id: 'm'.repeat(257), account: 'acme', permissions: ['owner'] },
  };

  it.each(['throws', 'rejects'])('%s: 503, and nothing is changed', async (which) => {
    const { status, headers, body } = await dashboard.browser().get('/', { cookie: `answer=${which}` });
    expect([status, headers['retry-after']]).toEqual([503, '1']);
    expect(warnings()).toMatchObject([{ warning: 'unavailable', detail: 'Error' }]);
    expect(body + printed(warnings())).not.toContain(CANARY);
  });

  it.each(Object.keys(ODD))('gives %s: 401, with an event unless it means that nobody is signed in', async (which) => {
    expect((await dashboard.browser().get('/', { cookie: `answer=${which}` })).status).toBe(401);
    const detail =
      'memberOf must return undefined or { id, account, permissions }, where permissions is a list of "reader", "developer" or "owner"; the id has at most 256 characters, and the optional environment must be "live" or "sandbox"';
    const invalid = { warning: 'member_invalid', method: 'GET', route: '/', detail, where: [] };
    expect(warnings()).toEqual(which === 'null' || which === 'false' ? [] : [invalid]);
  });

  it('is called for each request, but not for assets', async () => {
    asked.length = 0;
    const browser = dashboard.browser();
    for (const path of ['/', '/', '/audit']) await browser.get(path);
    expect(asked).toHaveLength(3);
    for (const path of ['/none', '/keys']) await browser.get(path);
    expect(asked).toHaveLength(3);
  });
});

describe('memberOf that never answers', () => {
  const dashboard = servedDashboard(at, { memberOf: () => new Promise<undefined>(() => undefined) });

  it.each(['GET', 'POST'])('%s: 503 after ten seconds, with an event', async (method) => {
    jest.useFakeTimers({ doNotFake: ['Date', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate'] });
    try {
      const browser = dashboard.browser();
      let status: number | undefined;
      const sent = (method === 'GET' ? browser.get('/') : browser.post('/keys', newForm('keys'))).then((reply) => {
        status = reply.status;
        return reply;
      });
      const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
      while (jest.getTimerCount() === 0) await turn();
      jest.advanceTimersByTime(9_999);
      await turn();
      expect([status, jest.getTimerCount()]).toEqual([undefined, 1]);
      jest.advanceTimersByTime(1);
      const { headers } = await sent;
      expect([status, headers['retry-after']]).toEqual([503, '1']);
      expect(warnings()).toMatchObject([{ warning: 'unavailable', method, detail: 'TimeoutError' }]);
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('memberOf that responds itself', () => {
  const dashboard = servedDashboard(at, {
    memberOf: ({ res }) => {
      res?.redirect(302, '/sign-in-of-the-site');
      return undefined;
    },
  });

  it.each([
    ['GET', '/'],
    ['GET', '/audit.csv'],
    ['POST', '/keys'],
  ])('the visitor gets that response, without an event: %s %s', async (method, path) => {
    const browser = dashboard.browser();
    const { status, headers } = await (method === 'GET' ? browser.get(path) : browser.post(path, newForm('keys')));
    expect([status, headers.location]).toEqual([302, '/sign-in-of-the-site']);
    expect(warnings()).toEqual([]);
  });
});

describe('a visitor who is not signed in', () => {
  const plain = servedDashboard(at);
  const linked = servedDashboard(at, { signInUrl: 'https://id.example.com/?to="keys"' });

  it('gets a link to the sign-in if there is one, and no other links', async () => {
    expect((await plain.browser().get('/')).body).not.toContain('<a class="button"');
    const { body } = await linked.browser().get('/audit');
    expect(body).toContain('<a class="button" href="https://id.example.com/?to=&quot;keys&quot;">Sign in</a>');
    expect(body).not.toContain('<form');
  });

  it('does not learn whether a key exists', async () => {
    const key = await madeKey(await at.account(), 'keys');
    const [there, none] = [await plain.browser().get(`/keys/${key.id}`), await plain.browser().get('/keys/key_none')];
    expect([there.status, there.body]).toEqual([401, none.body]);
  });
});

describe('the export', () => {
  const dashboard = servedDashboard(at, {
    management: altered(at, () => ({
      audit: (_member, filter) =>
        filter?.after === undefined
          ? Promise.resolve({ items: entriesOf(200), next: 'more' })
          : Promise.reject(new ManagementError('unavailable', 'away', undefined, new Error(CANARY))),
    })),
  });

  it('is cut off if it fails, so that a part does not look complete', async () => {
    const { owner } = await at.account();
    await expect(dashboard.browser(owner).get('/audit.csv')).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(warnings()).toMatchObject([{ warning: 'unavailable', route: '/audit.csv' }]);
  });
});

describe('an export whose client goes away', () => {
  let reads = 0;
  const dashboard = servedDashboard(at, {
    management: altered(at, () => ({
      async audit() {
        reads += 1;
        // More than what fits between two sockets.
        return { items: entriesOf(200).map((entry) => ({ ...entry, after: 'x'.repeat(1_000) })), next: 'more' };
      },
    })),
  });

  it('ends without an event for the operator', async () => {
    const browser = dashboard.browser((await at.account()).owner);
    await new Promise<void>((resolve, reject) => {
      const headers = { cookie: String(browser.formHeaders.cookie) };
      const path = `${MOUNT}/audit.csv`;
      const sent = request({ port: dashboard.port, host: '127.0.0.1', path, headers, agent: false }, (res) => {
        res.on('close', () => resolve());
        res.once('data', () => res.destroy());
      });
      sent.on('error', reject);
      sent.end();
    });
    // The next one is served as ever.
    expect((await browser.get('/audit.csv')).body.split('\r\n')).toHaveLength(10_002);
    expect(reads).toBeLessThan(100);
    expect(warnings()).toEqual([]);
  });
});

describe('an unknown field', () => {
  it.each([
    ['quota', 'quota'],
    ['a b', 'a b'],
    ['<b>"', '&lt;b&gt;&quot;'],
    ['k\u202egnp', 'k?gnp'],
    ['x'.repeat(40), 'x'.repeat(40)],
    ['x'.repeat(41), `${'x'.repeat(40)}...`],
  ])('is named as text, shortened: %j', async (name, shown) => {
    const browser = served.browser((await at.account()).owner);
    const replies = [
      await browser.get(`/?${encodeURIComponent(name)}=${CANARY}`),
      await browser.post('/keys', { ...newForm('keys'), [name]: CANARY }),
    ];
    for (const { status, body } of replies) {
      expect(status).toBe(400);
      expect(body).toContain(`This page does not accept the field &quot;${shown}&quot;.`);
      expect(body).not.toContain(CANARY);
    }
  });
});

it('L11 no page reveals anything about the store, its keys or the machine', async () => {
  const holder = await at.account();
  const key = await madeKey(holder, 'keys');
  const browser = served.browser(holder.owner);
  const pages = [
    '/',
    '/access-keys',
    '/audit',
    '/keys/new',
    `/keys/${key.id}`,
    `/keys/${key.id}/edit`,
    '/none',
    '/?limit=0',
  ];
  const bodies = await Promise.all(pages.map(async (path) => (await browser.get(path)).body));
  bodies.push((await browser.post(`/keys/${key.id}/edit`, editForm('keys', { version: 9 }))).body);
  for (const body of bodies) expect(body).not.toMatch(/memory:|file:|postgres|node_modules|digest|sqlite| at .*\.ts/i);
});

const served = servedDashboard(at);

function entriesOf(length: number): readonly AuditEntry[] {
  return Array.from({ length }, (_, i) => ({
    ...{ id: `aud_${i}`, at: new Date(0), account: 'a', actor: 'm', role: null, action: 'key.edit', outcome: 'done' },
    ...{ subject: null, before: null, after: null, origin: null },
  }));
}
