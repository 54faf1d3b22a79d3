import { describe, expect, it } from '@jest/globals';
import type { KeySettings } from 'keyward/management';
import { keyTable } from '../../../lib/dashboard/components/key-table.js';
import { formatTime } from '../../../lib/dashboard/components/times.js';
import { API_KEYS } from '../../../lib/dashboard/key-type.js';
import { managed } from '../../support/managed.js';
import { engines } from '../../support/test-stores.js';
import { KEY_TYPES, LIST, madeKey } from '../key-forms.js';
import { MOUNT, type Reply, servedDashboard } from '../served-dashboard.js';

const DAY = 86_400_000;
/** The names in a list, as they stand there. */
const namesIn = ({ body }: Reply) =>
  [...body.matchAll(/role="rowheader"><a href="[^"]*"><bdi>([^<]*)<\/bdi>/g)].map(([, name]) => name);
/** Where a link of a page leads. */
const linkIn = ({ body }: Reply, text: string) =>
  new RegExp(`href="${MOUNT}([^"]*)">${text}`).exec(body)?.[1]?.replaceAll('&amp;', '&') ?? '';

describe.each(engines.filter((engine) => engine !== 'SQLite'))('on %s', (engine) => {
  const at = managed(engine);
  const dashboard = servedDashboard(at);

  it.each(KEY_TYPES)('of an account whose %s are all revoked leads to them', async (keyType) => {
    const holder = await at.account();
    const browser = dashboard.browser(holder.owner);
    expect((await browser.get(LIST[keyType])).body).not.toMatch(/class="filters"|View revoked keys/);
    const { id } = await madeKey(holder, keyType);
    await at.management[keyType].revoke(holder.owner, id);
    const list = await browser.get(LIST[keyType]);
    expect(list.body).toContain('are revoked.');
    expect(list.body).toContain('class="filters"');
    expect(list.body).not.toMatch(/match your filters|Next steps/);
    expect((await browser.get(linkIn(list, 'View revoked keys'))).body).toContain(id);
    expect((await browser.get(`${LIST[keyType]}?text=x`)).body).toContain('match your filters');
  });

  it('lists keys with their details, filtered by the query, page by page', async () => {
    const holder = await at.account();
    const made: readonly [string, Partial<KeySettings>][] = [
      ['Till', { apis: ['payments', 'disputes'], environment: 'sandbox' }],
      ['Desk', { kind: 'public', apis: ['disputes'], channels: ['pc_1'] }],
      ['Shop 8', { apis: 'all', expiresAt: new Date(at.clock.now() + 5 * DAY) }],
    ];
    for (const [name, settings] of made) {
      await holder.key({ name, ...settings });
      at.clock.advance(1_000);
    }
    const { key } = await holder.key({ name: 'Gone' });
    await at.management.keys.revoke(holder.owner, key.id);
    const browser = dashboard.browser(holder.developer);
    const names = async (query: string) => namesIn(await browser.get(`/${query}`));

    const all = await browser.get('/');
    expect(namesIn(all)).toEqual(['Shop 8', 'Desk', 'Till']);
    const [first] = (await at.management.keys.list(holder.developer)).items;
    for (const cell of [first?.hint, 'Sandbox', 'Public', 'Expires <time', 'in 5 days', 'Active', 'Never used']) {
      expect(all.body).toContain(cell);
    }
    expect(await names('?kind=public')).toEqual(['Desk']);
    expect(await names('?api=payments')).toEqual(['Shop 8', 'Till']);
    expect(await names('?state=revoked')).toEqual(['Gone']);
    expect(await names('?environment=sandbox')).toEqual(['Till']);
    expect(await names('?environment=live')).toEqual(['Shop 8', 'Desk']);
    const live = (await browser.get('/?environment=live&kind=public')).body;
    expect(live).toContain('href="/admin/keys/?environment=sandbox&amp;kind=public">Sandbox</a>');
    expect(live).toContain('<input type="hidden" name="environment" value="live">');
    // No id or hint has a space or an 8 in it.
    expect(await names('?text=P+8&kind=&api=&state=')).toEqual(['Shop 8']);
    const page = await browser.get('/?limit=2&api=disputes');
    expect(namesIn(page)).toEqual(['Shop 8', 'Desk']);
    const second = await browser.get(linkIn(page, 'Next page'));
    expect(namesIn(second)).toEqual(['Till']);
    expect(linkIn(second, 'Next page')).toBe('');
    expect(linkIn(second, 'First page')).toBe('/?api=disputes&limit=2');
  });
});

describe('a list', () => {
  const at = managed('memory');
  const dashboard = servedDashboard(at);

  it.each(KEY_TYPES)('of %s without keys says what to do', async (keyType) => {
    const browser = dashboard.browser((await at.account()).developer);
    const none = await browser.get(LIST[keyType]);
    expect(none.body).toContain('<h2>Next steps</h2>');
    expect(none.body.includes('Where will you use the key?')).toBe(keyType === 'keys');
    expect(none.body).not.toContain('role="search"');
    const unmatched = await browser.get(`${LIST[keyType]}?text=x`);
    expect(unmatched.body).toContain('match your filters.');
    expect(unmatched.body).not.toContain('Where will you use the key?');
    expect(linkIn(unmatched, 'Clear filters')).toBe(LIST[keyType]);
  });

  it('is sorted by the headings of its columns, and keeps that over pages and filters', async () => {
    const holder = await at.account();
    for (const name of ['Till', 'desk', 'Shop']) {
      await holder.key({ name });
      at.clock.advance(1_000);
    }
    const browser = dashboard.browser(holder.developer);
    const first = await browser.get('/?limit=2');
    expect(first.body).toMatch(/aria-sort="descending"><a href="[^"]*">Created/);
    const byName = await browser.get(linkIn(first, 'Name</a>'));
    expect(namesIn(byName)).toEqual(['desk', 'Shop']);
    expect(byName.body).toMatch(/aria-sort="ascending"><a href="[^"]*">Name/);
    expect(byName.body).toContain('<option value="name" selected>');
    const second = await browser.get(linkIn(byName, 'Next page'));
    expect(namesIn(second)).toEqual(['Till']);
    expect(linkIn(second, 'First page')).toBe('/?sort=name&limit=2');
    expect(namesIn(await browser.get(linkIn(byName, 'Name</a>')))).toEqual(['Till', 'Shop']);
    expect(linkIn(await browser.get(linkIn(byName, 'Created</a>')), 'Name</a>')).toBe('/?sort=name&limit=2');
    expect(linkIn(first, 'Last used</a>')).toBe('/?sort=-used&limit=2');
    expect(linkIn(await browser.get('/?sort=name'), 'Live</a>')).toBe('/?sort=name&environment=live');
    const other = linkIn(first, 'Next page').replace('?', '?sort=name&');
    expect((await browser.get(other)).status).toBe(400);
  });

  it('has the requests of the last 30 days, as a number and as a bar', async () => {
    const holder = await at.account();
    const keys = [await holder.key({ name: 'Busy' }), await holder.key({ name: 'Idle' }), await holder.key()];
    const [busy, some] = keys.map(({ key }) => key.id);
    const usage = new Map([
      [String(busy), { accepted: 123_456, refused: 5 }],
      [String(some), { accepted: 1, refused: 0 }],
    ]);
    const options = { base: '/x', now: at.clock.now(), usage, order: '-created', linkTo: (order: string) => order };
    const { text } = keyTable(
      API_KEYS,
      keys.map(({ key }) => key),
      options,
    );
    expect(text).toContain('<path d="M0 3h56" stroke="currentColor" stroke-width="6"/></svg> 123,456');
    expect(text).toContain('123,456 accepted,<br><span class="muted">5 refused</span></td>');
    expect(text).toContain('<path d="M0 3h1" stroke="currentColor" stroke-width="6"/></svg> 1 accepted</td>');
    expect(text.match(/class="recent"><span class="muted">0</g)).toHaveLength(1);
    expect((await dashboard.browser(holder.developer).get('/')).body.match(/class="recent"><span/g)).toHaveLength(3);
  });

  it('shows the filters in its form', async () => {
    const { body } = await dashboard
      .browser((await at.account()).developer)
      .get('/?kind=public&api=repository&state=expired&text=a%26b&limit=7');
    for (const field of ['public', 'repository', 'expired'])
      expect(body).toContain(`<option value="${field}" selected>`);
    expect(body).toContain('name="text" value="a&amp;b"');
    expect(body).toContain('name="limit" value="7"');
  });

  it('warns about its keys that expire within 14 days', async () => {
    const holder = await at.account();
    const ending = (days: number) => ({ expiresAt: new Date(at.clock.now() + days * DAY) });
    await holder.key({ name: 'Soon', ...ending(13.9) });
    await holder.key({ name: 'Later', ...ending(14) });
    await holder.key({ name: 'Over', ...ending(0.1) });
    const { key } = await holder.key({ name: 'Off', ...ending(3) });
    await at.management.keys.edit(holder.owner, key.id, { version: 1, disabled: true });
    at.clock.advance(0.2 * DAY);
    const { body } = await dashboard.browser(holder.developer).get('/');
    // A filter that is applied by the script replaces the results, so it replaces the banner too.
    const banner = /<div id="results">\n(<p class="banner">.*?<\/p>)/s.exec(body)?.[1];
    expect(banner).toContain('2 keys on this page will expire within the next 14 days');
    expect([...(banner ?? '').matchAll(/<bdi>(\w+)<\/bdi>/g)].map(([, name]) => name).sort()).toEqual([
      'Later',
      'Soon',
    ]);
  });

  it.each(KEY_TYPES)('of %s is filtered by their last use', async (keyType) => {
    const holder = await at.account();
    const key = () => (keyType === 'keys' ? holder.key({ name: 'Old' }) : holder.accessKey());
    const { key: old } = await key();
    at.clock.advance(29 * DAY);
    const { key: young } = await key();
    at.clock.advance(2 * DAY);
    const browser = dashboard.browser(holder.developer);
    const { body } = await browser.get(`${LIST[keyType]}?unused=30`);
    expect([body.includes(`/${old.id}"`), body.includes(`/${young.id}"`)]).toEqual([true, false]);
    expect(body).toContain('<option value="30" selected>Not used for 30 days</option>');
    expect(body).toContain('<details class="more" open>');
    at.clock.advance(6 * DAY);
    const week = (await browser.get(`${LIST[keyType]}?unused=7`)).body;
    expect([week.includes(`/${young.id}"`), week.includes('selected>Not used for 7 days</option>')]).toEqual([
      true,
      true,
    ]);
    const unfiltered = (await browser.get(`${LIST[keyType]}?text=_`)).body;
    expect(unfiltered).toContain(`/${young.id}"`);
    expect(unfiltered).toContain('<details class="more">');
  });

  it('of a disabled account without keys does not offer to create one', async () => {
    const holder = await at.account();
    await at.management.accounts.setDisabled('operator', holder.id, true);
    const browser = dashboard.browser(holder.owner);
    for (const keyType of KEY_TYPES) {
      const { body } = await browser.get(LIST[keyType]);
      expect(body).toContain('Your account is disabled, so you cannot create keys.');
      expect(body).not.toContain('Where will you use the key?');
      expect(body).not.toContain('/new');
    }
  });

  it('says that the account is disabled', async () => {
    const holder = await at.account();
    await at.management.accounts.setDisabled('operator', holder.id, true);
    expect((await dashboard.browser(holder.developer).get('/')).body).toContain('Your account is disabled');
  });

  it('counts its keys for screen readers', async () => {
    const holder = await at.account();
    const browser = dashboard.browser(holder.developer);
    const count = async (path: string) =>
      /<p class="unseen" role="status" id="found">(.*?)<\/p>/.exec((await browser.get(path)).body)?.[1];
    expect(await count('/')).toBe('');
    await holder.key();
    expect(await count('/')).toBe('1 API key on this page.');
    await holder.key();
    expect(await count('/')).toBe('2 API keys on this page.');
    expect(await count('/?limit=1')).toMatch(/^1 API key on this page\. There are more/);
    expect(await count('/?text=none')).toMatch(/^No API keys match/);
  });

  it('marks the environment that is shown', async () => {
    const holder = await at.account();
    await holder.key();
    const browser = dashboard.browser(holder.developer);
    for (const [path, title] of [
      ['/', 'All'],
      ['/?environment=live', 'Live'],
      ['/?environment=sandbox', 'Sandbox'],
    ] as const) {
      const { body } = await browser.get(path);
      const list = /<ul class="switch">.*?<\/ul>/.exec(body)?.[0] ?? '';
      expect([...list.matchAll(/aria-current="true">(\w+)</g)].map(([, shown]) => shown)).toEqual([title]);
    }
  });

  it('names at most five of its keys that expire soon, and links to them', async () => {
    const holder = await at.account();
    const expiresAt = new Date(at.clock.now() + DAY);
    const keys = [];
    for (let i = 0; i < 6; i += 1) keys.push((await holder.key({ name: `Till ${i}`, expiresAt })).key);
    const browser = dashboard.browser(holder.developer);
    const banner = async () =>
      /<div id="results">\n<p class="banner">(.*?)<\/p>/s.exec((await browser.get('/')).body)?.[1] ?? '';
    expect([...(await banner()).matchAll(/<a href="/g)]).toHaveLength(5);
    expect((await banner()).replace(/<[^>]+>/g, '')).toMatch(/\(tomorrow\) and 1 more\.$/);
    await at.management.keys.revoke(holder.owner, keys[0]?.id ?? '');
    expect([...(await banner()).matchAll(/<a href="/g)]).toHaveLength(5);
    expect(await banner()).not.toContain(' more');
    expect(await banner()).toContain(`<a href="${MOUNT}/keys/${keys[1]?.id}"><bdi>Till 1</bdi></a>`);
  });

  it.each(['kind=public', 'api=payments', 'state=active', 'sort=name', 'unused=7'])(
    'opens its filters for ?%s',
    async (query) => {
      const holder = await at.account();
      await holder.key();
      const { body } = await dashboard.browser(holder.developer).get(`/?${query}`);
      expect(body).toContain('<details class="more" open>');
    },
  );

  it('keeps the filters closed for a search or an environment', async () => {
    const holder = await at.account();
    const { body } = await dashboard.browser(holder.developer).get('/?text=a&environment=live&limit=7');
    expect(body).toContain('<details class="more">');
  });

  it('of an account with all APIs has a text field for one', async () => {
    const holder = await at.account({ apis: 'all' });
    const { body } = await dashboard.browser(holder.developer).get('/?api=repository');
    expect(body).toMatch(/<input type="search" name="api" value="repository"/);
  });

  it('that finds nothing says what a search covers, and how to find revoked keys', async () => {
    const browser = dashboard.browser((await at.account()).developer);
    const empty = async (query: string) =>
      /<div class="empty">.*?<\/div>/s.exec((await browser.get(`/?${query}`)).body)?.[0] ?? '';
    expect(await empty('text=x')).toMatch(/The search covers .*choose the state \u201cRevoked\u201d/);
    expect(await empty('kind=public')).not.toContain('The search covers');
    expect(await empty('text=x&state=revoked')).not.toContain('choose the state');
  });

  it('of a later page without keys does not say what to do first', async () => {
    const holder = await at.account();
    for (let i = 0; i < 2; i += 1) {
      await holder.key();
      at.clock.advance(1_000);
    }
    const browser = dashboard.browser(holder.developer);
    const next = linkIn(await browser.get('/?limit=1'), 'Next page');
    for (const { id } of (await at.management.keys.list(holder.owner)).items)
      await at.management.keys.revoke(holder.owner, id);
    const { body } = await browser.get(next);
    expect(body).not.toContain('<h2>Next steps</h2>');
    expect(body).toContain('>First page</a>');
  });

  it.each(KEY_TYPES)('of %s without keys links to the form for each kind, and to the other list', async (keyType) => {
    const { body } = await dashboard.browser((await at.account()).developer).get(LIST[keyType]);
    const start = /<div class="start">.*?<\/div>/s.exec(body)?.[0] ?? '';
    const paths = [...start.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href.slice(MOUNT.length));
    expect(paths).toEqual(
      keyType === 'keys'
        ? ['/keys/new?kind=secret', '/keys/new?kind=public', '/access-keys']
        : ['/access-keys/new', '/'],
    );
  });

  it.each(KEY_TYPES)('of %s of a disabled account offers no new key', async (keyType) => {
    const holder = await at.account();
    await (keyType === 'keys' ? holder.key() : holder.accessKey());
    await at.management.accounts.setDisabled('operator', holder.id, true);
    const { body } = await dashboard.browser(holder.owner).get(LIST[keyType]);
    expect(body).toContain('Your account is disabled. All its keys are refused');
    expect(body).not.toContain('/new');
  });

  it('of an account that the store does not have is empty', async () => {
    const { owner } = await at.account();
    const { status, body } = await dashboard.browser({ ...owner, account: 'not-there-yet' }).get('/');
    expect([status, body]).toEqual([200, expect.stringContaining('<div class="start">')]);
  });

  it('has the columns of its type, with two names and the number of the others', async () => {
    const holder = await at.account({ scopes: ['a', 'b', 'c', 'd'], apis: ['a', 'b', 'c', 'd'] });
    const browser = dashboard.browser(holder.developer);
    const { key: api } = await holder.key({ apis: ['a', 'b', 'c'], environment: 'sandbox' });
    const { key: access } = await holder.accessKey(['a', 'b', 'c', 'd']);
    const cellsIn = async (path: string) =>
      [...(await browser.get(path)).body.matchAll(/<t[hd] role="(?:rowheader|cell)".*?>(.*?)<\/t[hd]>/g)].map(
        ([, cell = '']) => cell.replace(/<[^>]+>/g, ''),
      );
    const created = ['just now', 'Never used', '0', 'Active'];
    expect(await cellsIn('/')).toEqual([
      ...[`${api.id} Sandbox`, api.hint, 'Secret', 'Sandbox', 'a, b and 1 more'],
      ...created,
    ]);
    expect(await cellsIn('/access-keys')).toEqual([access.id, access.id, 'Live', 'a, b and 2 more', ...created]);
    const { key: two } = await holder.accessKey(['a', 'b']);
    expect((await cellsIn(`/access-keys?text=${two.id}`))[3]).toBe('a, b');
  });

  it('shows a grace period and an expiry only of active keys', async () => {
    const holder = await at.account();
    const { key } = await holder.key({ expiresAt: new Date(at.clock.now() + 30 * DAY) });
    await at.management.keys.rotate(holder.owner, key.id, 3_600);
    const browser = dashboard.browser(holder.developer);
    const state = async (query: string) =>
      /class="state">(.*?)<\/td>/.exec((await browser.get(`/${query}`)).body)?.[1]?.replace(/<[^>]+>/g, ' ');
    expect(await state('')).toMatch(/Active .*Grace period until .*Expires .*in 30 days/);
    await at.management.keys.edit(holder.owner, key.id, { version: 2, disabled: true });
    expect((await state(''))?.trim()).toBe('Disabled');
    at.clock.advance(30 * DAY);
    await at.management.keys.edit(holder.owner, key.id, { version: 3, disabled: false });
    expect((await state('?state=expired'))?.trim()).toBe('Expired');
  });

  it('has a tooltip with the exact end of a grace period', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    await at.management.keys.rotate(holder.owner, key.id, 3_600);
    const { body } = await dashboard.browser(holder.developer).get('/');
    const until = formatTime(new Date(at.clock.now() + 3_600_000));
    expect(body).toContain(`title="${until}">`);
  });

  it.each([
    ['', 'newest first'],
    ['?sort=created', 'oldest first'],
    ['?sort=name', 'from A to Z'],
    ['?sort=-name', 'from Z to A'],
    ['?sort=used', 'least recently used first'],
    ['?sort=-used', 'most recently used first'],
  ])('says its order in its caption: %j', async (query, order) => {
    const holder = await at.account();
    await holder.key();
    const { body } = await dashboard.browser(holder.developer).get(`/${query}`);
    expect(/<caption class="unseen">(.*?)<\/caption>/.exec(body)?.[1]).toContain(order);
  });

  it('offers the same filters and orders as management has', async () => {
    const holder = await at.account();
    await holder.key();
    const { body } = await dashboard.browser(holder.developer).get('/');
    const optionsOf = (name: string) =>
      [
        ...(new RegExp(`<select name="${name}">(.*?)</select>`, 's').exec(body)?.[1] ?? '').matchAll(
          /<option value="([^"]*)"[^>]*>([^<]*)</g,
        ),
      ].map(([, value, title]) => [value, title]);
    expect(optionsOf('kind').slice(1)).toEqual([
      ['secret', 'Secret key'],
      ['public', 'Public key'],
    ]);
    expect(optionsOf('state').map(([value]) => value)).toEqual(['', 'active', 'disabled', 'expired', 'revoked']);
    expect(optionsOf('unused')).toEqual([
      ['', expect.any(String)],
      ...['7', '30', '90'].map((days) => [days, expect.stringContaining(` ${days} days`)]),
      ['365', expect.stringContaining('year')],
    ]);
    expect(optionsOf('sort')).toEqual([
      ['', expect.stringMatching(/^Newest/)],
      ['created', expect.stringMatching(/^Oldest/)],
      ['name', expect.stringContaining('A to Z')],
      ['-name', expect.stringContaining('Z to A')],
      ['-used', expect.stringMatching(/^Most recently/)],
      ['used', expect.stringMatching(/^Least recently/)],
    ]);
    expect(body).toMatch(/<input type="search" name="text" value="" maxlength="200" [^>]* data-shortens>/);
  });

  it('links without an order to the default one', async () => {
    const holder = await at.account();
    await holder.key();
    const byName = await dashboard.browser(holder.developer).get('/?sort=name');
    expect(linkIn(byName, 'Created</a>')).toBe('/');
  });

  it('accepts a number of days up to 9999', async () => {
    const browser = dashboard.browser((await at.account()).developer);
    const statuses = await Promise.all(
      ['1', '9999'].map(async (days) => (await browser.get(`/?unused=${days}`)).status),
    );
    expect(statuses).toEqual([200, 200]);
  });

  it('of access keys has no filter by kind or API', async () => {
    const browser = dashboard.browser((await at.account()).developer);
    for (const query of ['kind=secret', 'api=payments'])
      expect((await browser.get(`/access-keys?${query}`)).status).toBe(400);
  });

  it('has a bar in proportion to the busiest key', async () => {
    const holder = await at.account();
    const [busy, half] = [(await holder.key()).key, (await holder.key()).key];
    const usage = new Map([
      [busy.id, { accepted: 1_000, refused: 0 }],
      [half.id, { accepted: 500, refused: 0 }],
    ]);
    const options = { base: '/x', now: at.clock.now(), usage, order: '-created', linkTo: (order: string) => order };
    const lengths = [...keyTable(API_KEYS, [busy, half], options).text.matchAll(/<path d="M0 3h(\d+)"/g)];
    expect(lengths.map(([, length]) => length)).toEqual(['56', '28']);
  });

  it('shows when a key was last used', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    const options = { base: '/x', now: at.clock.now(), usage: new Map(), order: '-used', linkTo: () => '' };
    const used = { ...key, lastUsedAt: new Date(at.clock.now() - 3 * DAY) };
    expect(keyTable(API_KEYS, [used], options).text).toMatch(/class="used"><time [^>]*>3 days ago<\/time><\/td>/);
  });

  it.each([
    'limit=-1',
    'limit=1e9',
    'limit=1000000000',
    'limit=NaN',
    'limit[]=1',
    'limit=%5B1%5D',
    'limit=0',
    'limit=1.5',
    'limit=1&limit=2',
    'after=forged',
    'after=MTIz',
    `after=${Buffer.from('9999999999999999 key_a').toString('base64url')}`,
    `after=${Buffer.from('1 key_a\u001b').toString('base64url')}`,
    'unused=0',
    'unused=-30',
    'unused=month',
    'unused=99999',
    'sort=digest',
    'order=secret_digest',
    'kind=access',
    'kind=secret&kind=public',
    'state=any',
    'text=%00',
    'text=%ff',
    'text=%zz',
    '__proto__=x',
    'account=acc_1',
  ])('M36 ?%s: 400', async (query) => {
    const browser = dashboard.browser((await at.account()).owner);
    for (const keyType of KEY_TYPES) expect((await browser.get(`${LIST[keyType]}?${query}`)).status).toBe(400);
  });

  it('of 50 keys with the longest names and lists stays under 100 kB with its assets', async () => {
    const many = (prefix: string) =>
      Array.from({ length: 100 }, (_, i) => `${prefix}_${String(i).padStart(3, '0')}`.padEnd(64, 'x'));
    const [apis, channels] = [many('api'), many('pc')];
    const holder = await at.account({ apis, channels, scopes: [] });
    for (let i = 0; i < 51; i += 1) await holder.key({ name: `${i} ${'\u65e5'.repeat(96)}`, apis, channels });
    const browser = dashboard.browser(holder.owner);
    const page = await browser.get('/');
    expect(namesIn(page)).toHaveLength(50);
    const assets = [...page.body.matchAll(/"\/admin\/keys(\/assets\/[^"]+)"/g)].map(([, path]) =>
      browser.get(path ?? ''),
    );
    const bytes = [page, ...(await Promise.all(assets))].map(({ body }) => Buffer.byteLength(body));
    expect(bytes).toHaveLength(4);
    expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(100_000);
  });

  it('of 50 usual keys stays under 60 kB with its assets', async () => {
    const holder = await at.account();
    for (let i = 0; i < 50; i += 1) await holder.key({ name: `order service ${i}`, apis: ['payments', 'disputes'] });
    const browser = dashboard.browser(holder.owner);
    const page = await browser.get('/');
    const assets = [...page.body.matchAll(/"\/admin\/keys(\/assets\/[^"]+)"/g)].map(([, path]) =>
      browser.get(path ?? ''),
    );
    const bytes = [page, ...(await Promise.all(assets))].map(({ body }) => Buffer.byteLength(body));
    expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(60_000);
  });
});
