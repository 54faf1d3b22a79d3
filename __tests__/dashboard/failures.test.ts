import { request } from 'node:http';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DashboardNotice } from 'keyward/dashboard';
import { type AuditEntry, ManagementError } from 'keyward/management';
import { canariesOf, printed } from '../support/canaries.js';
import { eavesdrop } from '../support/eavesdrop.js';
import { managed } from '../support/managed.js';
import { editForm, madeKey, newForm } from './key-forms.js';
import { altered, MOUNT, servedDashboard } from './served-dashboard.js';

const CANARY = 'sk_canarycanarycanarycanary';

const at = managed('memory');
const heard = eavesdrop();
const notices = () => heard.heard<DashboardNotice>('keyward:dashboard');

beforeEach(() => heard.clear());
afterAll(() => heard.stop());

describe('something unexpected', () => {
  const dashboard = servedDashboard(at, {
    management: altered(at, ({ keys }) => ({
      keys: { ...keys, list: () => Promise.reject(Object.assign(new RangeError(CANARY), { code: 'E_ODD' })) },
    })),
  });

  it('is answered by a page that tells nothing; the operator hears of it, without what was in its message', async () => {
    const { owner } = await at.account();
    const { status, body, headers } = await dashboard.browser(owner).get('/?text=x');
    expect(status).toBe(500);
    expect(body).toContain('<h1>Something went wrong</h1>');
    expect(body).not.toContain('RangeError');
    expect(dashboard.passedOn).toEqual([]);
    expect(notices()).toEqual([
      {
        ...{ notice: 'failed', method: 'GET', route: '/', detail: 'RangeError E_ODD' },
        where: expect.arrayContaining([expect.stringMatching(/^ {4}at .*failures\.test\.ts/)]),
      },
    ]);
    expect(canariesOf([CANARY]).heardIn(`${body}${JSON.stringify(headers)}${printed(notices())}`)).toEqual([]);
  });

  it('of a body that was read, with nothing left of it, is the same', async () => {
    const { owner } = await at.account();
    const read = swallowing.browser(owner);
    expect((await read.post('/keys', newForm('keys'))).status).toBe(500);
    expect(notices()).toMatchObject([{ notice: 'failed', detail: 'Error' }]);
  });

  const swallowing = servedDashboard(at, {}, (app) => {
    app.use((req, _res, next) => {
      req.resume().on('end', () => next());
    });
  });
});

describe('the store out of reach', () => {
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
    expect(body).toContain('Try again soon.');
    expect(notices()).toMatchObject([{ notice: 'unavailable', method: 'GET', detail: 'Error ECONNREFUSED' }]);
    expect(body + printed(notices())).not.toContain(CANARY);
  });

  it('a form: 503, and the same form makes the key when the store is back', async () => {
    const holder = await at.account();
    const form = newForm('keys');
    expect((await dashboard.browser(holder.owner).post('/keys', form)).status).toBe(503);
    expect((await healthy.browser(holder.owner).post('/keys', form)).status).toBe(201);
    expect((await at.management.keys.list(holder.owner)).items).toHaveLength(1);
  });

  const healthy = servedDashboard(at);
});

describe('a sign-in that', () => {
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
  };

  it.each(['throws', 'rejects'])('%s: 503, and nothing was done', async (which) => {
    const { status, headers, body } = await dashboard.browser().get('/', { cookie: `answer=${which}` });
    expect([status, headers['retry-after']]).toEqual([503, '1']);
    expect(notices()).toMatchObject([{ notice: 'unavailable', detail: 'Error' }]);
    expect(body + printed(notices())).not.toContain(CANARY);
  });

  it.each(Object.keys(ODD))('gives %s: 401', async (which) => {
    expect((await dashboard.browser().get('/', { cookie: `answer=${which}` })).status).toBe(401);
    expect(notices()).toEqual([]);
  });

  it('is asked for each request, and not where nobody has to be known', async () => {
    asked.length = 0;
    const browser = dashboard.browser();
    for (const path of ['/', '/', '/audit']) await browser.get(path);
    expect(asked).toHaveLength(3);
    for (const path of ['/none', '/keys']) await browser.get(path);
    expect(asked).toHaveLength(3);
  });
});

describe('who is not signed in', () => {
  const plain = servedDashboard(at);
  const linked = servedDashboard(at, { signInUrl: 'https://id.example.com/?to="keys"' });

  it('has a link to the sign-in where there is one, and no other way on', async () => {
    expect((await plain.browser().get('/')).body).not.toContain('<a class="button"');
    const { body } = await linked.browser().get('/audit');
    expect(body).toContain('<a class="button" href="https://id.example.com/?to=&quot;keys&quot;">Sign in</a>');
    expect(body).not.toContain('<form');
  });

  it('is not told whether a key is there', async () => {
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

  it('breaks off where it cannot go on, so that nobody takes a part for the whole', async () => {
    const { owner } = await at.account();
    await expect(dashboard.browser(owner).get('/audit.csv')).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(notices()).toMatchObject([{ notice: 'unavailable', route: '/audit.csv' }]);
  });
});

describe('an export that nobody waits for', () => {
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

  it('ends, and the operator is not bothered', async () => {
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
    expect(notices()).toEqual([]);
  });
});

describe('a field that a page does not know', () => {
  it.each([
    ['limits', 'limits'],
    ['a b', 'a b'],
    ['<b>"', '&lt;b&gt;&quot;'],
    ['k\u202egnp', 'k?gnp'],
    ['x'.repeat(40), 'x'.repeat(40)],
    ['x'.repeat(41), `${'x'.repeat(40)}...`],
  ])('is named, as text, and no more of it than a name has: %j', async (name, shown) => {
    const browser = served.browser((await at.account()).owner);
    const replies = [
      await browser.get(`/?${encodeURIComponent(name)}=${CANARY}`),
      await browser.post('/keys', { ...newForm('keys'), [name]: CANARY }),
    ];
    for (const { status, body } of replies) {
      expect(status).toBe(400);
      expect(body).toContain(`There is a field that this page does not know: &quot;${shown}&quot;.`);
      expect(body).not.toContain(CANARY);
    }
  });
});

it('L11 no page tells of the store, its keys or the machine', async () => {
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
