import { describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { formatTime } from '../../../lib/dashboard/components/times.js';
import type { PageContext } from '../../../lib/dashboard/http/page-context.js';
import { Fields } from '../../../lib/dashboard/http/request-fields.js';
import { auditCsv } from '../../../lib/dashboard/pages/audit-csv.js';
import { type Holder, managed } from '../../support/managed.js';
import { KEY_TYPES, madeKey, newForm, PATH } from '../key-forms.js';
import { altered, MOUNT, servedDashboard } from '../served-dashboard.js';

const at = managed('memory');
const dashboard = servedDashboard(at);

const rowsOf = (body: string): Record<string, string>[] => parse(body, { columns: true });

describe('the page', () => {
  it('shows actor, action, time and changes', async () => {
    const holder = await at.account();
    const { key } = await holder.key({ name: 'Till' });
    at.clock.advance(60_000);
    await at.management.keys.edit(holder.owner, key.id, { version: 1, name: 'Desk', apis: ['disputes'] });
    at.clock.advance(60_000);
    const { body } = await dashboard.browser(holder.developer).get('/audit');
    expect(body).toContain('<bdi>Till</bdi> &rarr; <bdi>Desk</bdi>');
    expect(body).toContain('<bdi>payments</bdi> &rarr; <bdi>disputes</bdi>');
    const when = `${formatTime(new Date(at.clock.now() - 60_000))}</time> <span class="muted">(1 minute ago)</span>`;
    expect(body).toContain(when);
    expect(body).toContain(`href="${MOUNT}/keys/${key.id}"`);
    expect(body.indexOf(' edited ')).toBeLessThan(body.indexOf(' created '));
  });

  it('shows the name of a key with its ID as a tooltip, and the ID of a key without a name', async () => {
    const holder = await at.account();
    const { key: till } = await holder.key({ name: '<Till>' });
    const { key: nameless } = await holder.accessKey();
    await at.management.keys.revoke(holder.owner, till.id);
    const { body } = await dashboard.browser(holder.developer).get('/audit');
    const link = `<a href="${MOUNT}/keys/${till.id}" title="${till.id}"><bdi>&lt;Till&gt;</bdi></a>`;
    expect(body.split(link)).toHaveLength(3);
    expect(body).toContain(`<a href="${MOUNT}/access-keys/${nameless.id}"><code>${nameless.id}</code></a>`);
  });

  it('shows the name of an imported key, whatever its ID is', async () => {
    const holder = await at.account();
    const key = { kind: 'secret', apis: ['payments'] } as const;
    const ids = ['old-17', 'ack_old'];
    for (const [digit, id] of ids.entries()) {
      await at.management.keys.import('ops', holder.id, [{ ...key, id, digest: String(digit).repeat(64) }]);
      await at.management.keys.edit(holder.owner, id, { version: 1, name: `Till ${id}` });
    }
    const browser = dashboard.browser(holder.owner);
    const { body } = await browser.get('/audit');
    for (const id of ids)
      expect(body).toContain(`edited <a href="${MOUNT}/keys/${id}" title="${id}"><bdi>Till ${id}</bdi></a>`);
    const rows = rowsOf((await browser.get('/audit.csv?action=key.edit')).body);
    expect(rows.map(({ subject_name }) => subject_name)).toEqual(['Till ack_old', 'Till old-17']);
    expect((await browser.get('/audit?subject=Till%20ack')).body).toContain(`<a href="${MOUNT}/keys/ack_old"`);
  });

  it('closes the settings of a new key, and says in words why something was refused', async () => {
    const holder = await at.account();
    const { key } = await holder.key({ name: 'Till' });
    await at.management.keys.edit(holder.owner, key.id, { version: 1, name: 'Desk' });
    await at.management.keys.revoke(holder.developer, key.id).catch(() => undefined);
    const { body } = await dashboard.browser(holder.developer).get(`/audit?subject=${key.id}`);
    expect(
      body.match(/<details class="changed"><summary>Show \d+ settings<\/summary><ul class="changes"><li>kind/g),
    ).toHaveLength(1);
    expect(body).toContain('</p><ul class="changes"><li>name: <bdi>Till</bdi>');
    expect(body.replace(/<[^>]+>/g, '')).toContain(
      '(developer) tried to revoke Desk. Refused: the member did not have permission to do this.\n',
    );
    expect(body).not.toContain('<li>refused');
  });

  it('leaves out the settings that a new key does not have', async () => {
    const holder = await at.account();
    await holder.key({ name: 'Till' });
    const { body } = await dashboard.browser(holder.developer).get('/audit');
    expect(body).toContain('<li>name: <bdi>Till</bdi></li>');
    for (const absent of ['disabled', 'rate limits', 'platform']) expect(body).not.toContain(`<li>${absent}: `);
  });

  it('opens its filters if one of them is set', async () => {
    const browser = dashboard.browser((await at.account()).owner);
    expect((await browser.get('/audit?actor=a')).body).toContain('<details class="more">');
    expect((await browser.get('/audit?action=key.edit')).body).toContain('<details class="more" open>');
  });

  it('shows when the old secret of a rotated key ends', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    const { hint } = (await at.management.keys.rotate(holder.owner, key.id, 60)).key;
    const until = formatTime(new Date(at.clock.now() + 60_000));
    const { body } = await dashboard.browser(holder.developer).get('/audit');
    expect(body).toContain(
      `<li><bdi>secret added: ${hint}</bdi></li><li><bdi>secret ${key.hint}: accepted until ${until}</bdi></li>`,
    );
    const { key: ended } = await holder.key();
    const { key: young } = await at.management.keys.rotate(holder.owner, ended.id, 0);
    const text = (await dashboard.browser(holder.developer).get(`/keys/${ended.id}`)).body.replace(/<[^>]+>/g, ' ');
    expect(text).toMatch(new RegExp(`secret added: ${young.hint} +secret no longer accepted: ${ended.hint} `));
  });

  it.each([
    ['actor', (holder: Holder) => holder.owner.id, 1],
    ['action', () => 'key.create', 2],
    ['action', () => 'key.unheard_of', 0],
    ['subject', (holder: Holder) => holder.id, 1],
  ] as const)('is filtered by %s', async (name, value, count) => {
    const holder = await at.account();
    await holder.key();
    const { key } = await holder.key();
    await at.management.keys.revoke(holder.owner, key.id);
    const query = `${name}=${encodeURIComponent(value(holder))}`;
    const browser = dashboard.browser(holder.owner);
    expect(rowsOf((await browser.get(`/audit.csv?${query}`)).body)).toHaveLength(count);
    const { body } = await browser.get(`/audit?${query}`);
    expect(body.match(/<li><p><strong>/g) ?? []).toHaveLength(count);
    expect(body).toContain(`<button class="plain" formaction="${MOUNT}/audit.csv">Export as CSV</button>\n</form>`);
    if (count === 0) expect(body).toContain('No entries match your filters. <a');
  });

  it('says on a later page that no older entries match', async () => {
    const holder = await at.account();
    await holder.key();
    const browser = dashboard.browser(holder.owner);
    const [, after] = /after=([^"&]+)">Next page/.exec((await browser.get('/audit?limit=1')).body) ?? [];
    const { body } = await browser.get(`/audit?action=key.unheard_of&after=${after}`);
    expect(body).toContain('<p class="empty">No older entries match your filters. <a');
  });

  it('says that it has no entries yet, and names the account in its own entries', async () => {
    const holder = await at.account();
    const stranger = { ...holder.owner, account: 'without-entries' };
    expect((await dashboard.browser(stranger).get('/audit')).body).toContain('The audit log has no entries yet.</p>');
    const { body } = await dashboard.browser(holder.owner).get('/audit');
    expect(body).toContain(`changed the settings of the account <code>${holder.id}</code>`);
  });

  it('says that a part of the ID of a member finds nothing, and links each member to their entries', async () => {
    const holder = await at.account();
    await holder.key();
    const browser = dashboard.browser(holder.owner);
    const { body } = await browser.get(`/audit?actor=${holder.owner.id.slice(0, -1)}`);
    expect(body).toContain('The Member ID filter matches only full IDs.');
    const link = `/audit?action=key.create&amp;actor=${encodeURIComponent(holder.developer.id)}`;
    expect((await browser.get('/audit?action=key.create')).body).toContain(
      `<strong><a href="${MOUNT}${link}"><bdi>${holder.developer.id}</bdi></a></strong>`,
    );
  });

  it('is filtered by a part of the name or the ID of keys, also of revoked ones, over pages', async () => {
    const holder = await at.account();
    const shops = [await holder.key({ name: 'Shop 1' }), await holder.key({ name: 'Shop 2' })].map(({ key }) => key);
    const { key: other } = await holder.accessKey();
    for (const key of shops) {
      for (let version = 1; version <= 30; version += 1) {
        // Two entries of each millisecond.
        if (version % 2 === 0) at.clock.advance(1);
        await at.management.keys.edit(holder.owner, key.id, { version, disabled: version % 2 === 1 });
      }
    }
    await at.management.keys.revoke(holder.owner, shops[0]?.id ?? '');
    const browser = dashboard.browser(holder.owner);
    const first = (await browser.get('/audit?subject=SHOP')).body;
    const text = first.replace(/<[^>]+>/g, '');
    expect(text).toMatch(/Showing entries about 2 keys: Shop \d, Shop \d\./);
    const next = /rel="next" href="\/admin\/keys(\/audit\?[^"]*)"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const second = (await browser.get(next)).body;
    const entriesIn = (body: string) => body.match(/<li><p><strong>/g)?.length ?? 0;
    expect(entriesIn(first)).toBeGreaterThan(40);
    expect(entriesIn(first) + entriesIn(second)).toBe(63);
    expect(second).not.toContain('rel="next"');
    const rows = rowsOf((await browser.get('/audit.csv?subject=shop')).body);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(63);
    expect(new Set(rows.map((row) => `${row.subject} ${row.subject_name}`))).toEqual(
      new Set(shops.map(({ id, name }) => `${id} ${name}`)),
    );

    for (const part of [other.id, other.id.slice(0, -1), other.id.slice(3)]) {
      expect(rowsOf((await browser.get(`/audit.csv?subject=${part}`)).body).map(({ subject }) => subject)).toEqual([
        other.id,
      ]);
    }
    expect((await browser.get(`/audit?subject=${encodeURIComponent(other.hint)}`)).body).toContain(
      'Showing entries about the key <a',
    );
    expect((await browser.get('/audit?subject=nobody')).body).toContain(
      'No keys match. Enter part of the name or ID of a key, or the last characters of a key or client secret.',
    );
    expect((await browser.get('/audit?subject=shop&limit=0')).status).toBe(400);
  });

  it.each([
    [1, '', 61],
    [2, '&limit=1', 61],
    [3, '', 60],
  ])(
    'shows each entry of several keys once over its pages, also if a page ends within a millisecond: %i',
    async (_number, query, edits) => {
      const holder = await at.account();
      await holder.key({ name: 'Till 1' });
      at.clock.advance(1);
      const { key } = await holder.key({ name: 'Till 2' });
      for (let version = 1; version <= edits; version += 1) {
        // Two entries of each millisecond.
        if (version % 2 === 1) at.clock.advance(1);
        await at.management.keys.edit(holder.owner, key.id, { version, name: `Till ${version + 2}` });
      }
      const browser = dashboard.browser(holder.owner);
      const names: (string | undefined)[] = [];
      for (let path: string | undefined = `/audit?subject=till${query}`; path !== undefined; ) {
        const { body } = await browser.get(path);
        names.push(...[...body.matchAll(/&rarr; <bdi>(Till \d+)<\/bdi>/g)].map(([, name]) => name));
        path = /rel="next" href="\/admin\/keys(\/audit\?[^"]*)"/.exec(body)?.[1]?.replaceAll('&amp;', '&');
      }
      expect(names).toHaveLength(edits);
      expect(new Set(names).size).toBe(edits);
    },
  );

  it('shows the entries of several keys together if all are of one millisecond', async () => {
    const holder = await at.account();
    for (const name of ['Till 1', 'Till 2']) {
      const { key } = await holder.key({ name });
      for (let version = 1; version <= 30; version += 1) {
        await at.management.keys.edit(holder.owner, key.id, { version, disabled: version % 2 === 1 });
      }
    }
    const { body } = await dashboard.browser(holder.owner).get('/audit?subject=till');
    expect(body.match(/<li><p><strong>/g)).toHaveLength(62);
  });

  it('lists no entries for a part of a name that more than 20 keys have', async () => {
    const holder = await at.account();
    for (let i = 0; i < 21; i += 1) await holder.key({ name: `Till ${i}` });
    const browser = dashboard.browser(holder.owner);
    const says = 'More than 20 keys match. Enter more of the name, or the full ID.';
    const [page, file] = [await browser.get('/audit?subject=till'), await browser.get('/audit.csv?subject=till')];
    expect([page.status, page.body]).toEqual([200, expect.stringContaining(says)]);
    expect(page.body).not.toContain('<li><p><strong>');
    expect([file.status, file.body]).toEqual([400, expect.stringContaining(says)]);
  });

  it('says what the absence of a setting means', async () => {
    const holder = await at.account();
    const { key } = await holder.key({ scopes: null });
    const { key: open } = await holder.key({ kind: 'public', scopes: ['payments'] });
    const set = { scopes: ['payments'], allowedAddresses: ['203.0.113.7'], expiresAt: new Date('2031-01-01T00:00Z') };
    await at.management.keys.edit(holder.owner, key.id, { version: 1, ...set });
    await at.management.keys.edit(holder.owner, open.id, { version: 1, scopes: null });
    const browser = dashboard.browser(holder.owner);
    const textOf = async (path: string) => (await browser.get(path)).body.replace(/<[^>]+>/g, '');
    const text = await textOf(`/keys/${key.id}`);
    expect(text).toContain('scopes: all &rarr; payments');
    expect(text).toContain('allowed IP addresses: any address &rarr; 203.0.113.7');
    expect(text).toContain('expires: never &rarr; End of 31 Dec 2030, UTC');
    expect(await textOf(`/keys/${open.id}`)).toContain('scopes: payments &rarr; none');
    expect(await textOf('/audit')).toContain('scopes: not set &rarr; payments');
  });

  it('shows the token binding as the page of a key does', async () => {
    const holder = await at.account();
    const { key } = await holder.accessKey();
    await at.management.accessKeys.edit(holder.owner, key.id, { version: 1, requireConfirmation: true });
    await at.management.accessKeys.edit(holder.owner, key.id, { version: 2, requireConfirmation: 'mtls' });
    const { body } = await dashboard.browser(holder.owner).get('/audit');
    const text = body.replace(/<[^>]+>/g, '');
    expect(text).toContain('token binding: Not required &rarr; DPoP or client certificate');
    expect(text).toContain('token binding: DPoP or client certificate &rarr; Client certificate');
  });

  it('shows rate limits as the page of a key does', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    const limits = [{ requests: 100, seconds: 60 }];
    await at.management.keys.edit(holder.owner, key.id, { version: 1, limits });
    const { body } = await dashboard.browser(holder.owner).get('/audit');
    expect(body.replace(/<[^>]+>/g, '')).toContain('rate limits: default &rarr; 100/1m');
  });

  it.each(KEY_TYPES)('says on the page of a key of %s who edited, disabled and enabled it', async (keyType) => {
    const holder = await at.account();
    const { id } = await madeKey(holder, keyType);
    const edits = [{ name: 'Till' }, { disabled: true }, { disabled: false }];
    for (const [index, edit] of edits.entries())
      await at.management[keyType].edit(holder.owner, id, { version: index + 1, ...edit });
    const { body } = await dashboard.browser(holder.owner).get(`${PATH[keyType]}/${id}`);
    for (const verb of ['edited', 'disabled', 'enabled']) {
      expect(body).toContain(
        `<bdi>${holder.owner.id}</bdi></strong> <span class="muted">(owner)</span> ${verb} this key</p>`,
      );
    }
  });

  it('is filtered by days in UTC, both included, also in the file', async () => {
    const holder = await at.account();
    const dayOf = (days: number) => new Date(at.clock.now() + days * 86_400_000).toISOString().slice(0, 10);
    for (let day = 0; day < 3; day += 1) {
      await holder.key();
      at.clock.advance(86_400_000);
    }
    const browser = dashboard.browser(holder.owner);
    const count = async (query: string) => {
      const { body } = await browser.get(`/audit?action=key.create&limit=1&${query}`);
      const rows = rowsOf((await browser.get(`/audit.csv?action=key.create&${query}`)).body).length;
      expect(body.match(/<li><p><strong>/g) ?? []).toHaveLength(Math.min(rows, 1));
      if (rows > 1)
        expect(body).toContain(`${query.replace('&', '&amp;')}&amp;action=key.create&amp;limit=1&amp;after=`);
      return rows;
    };
    expect(await count(`from=${dayOf(-3)}&to=${dayOf(-1)}`)).toBe(3);
    expect(await count(`from=${dayOf(-2)}`)).toBe(2);
    expect(await count(`to=${dayOf(-2)}`)).toBe(2);
    expect(await count(`from=${dayOf(-2)}&to=${dayOf(-2)}`)).toBe(1);
    expect(await count(`from=${dayOf(-1)}&to=${dayOf(-2)}`)).toBe(0);
    const { body } = await browser.get(`/audit?from=${dayOf(-2)}`);
    expect(body).toContain(`<input type="date" name="from" value="${dayOf(-2)}">`);
    for (const bad of ['from=yesterday', 'to=2026-02-30', 'from=2026-1-1', 'from=2026-01-01T00:00']) {
      expect((await browser.get(`/audit?${bad}`)).status).toBe(400);
    }
  });

  it('the filter offers each action in the log, including refused views', async () => {
    const { owner } = await at.account();
    const stranger = await (await at.account()).key();
    const refused = [at.management.keys, at.management.accessKeys].map((service) =>
      service.view(owner, stranger.key.id),
    );
    await Promise.allSettled(refused);
    const { body } = await dashboard.browser(owner).get('/audit');
    const sentences = [...body.matchAll(/<li><p><strong>.*?<\/p>/gs)].map(([sentence]) =>
      sentence.replace(/<[^>]+>/g, ''),
    );
    expect(sentences.map((sentence) => / (view|changed) /.exec(sentence)?.[1])).toEqual(['view', 'view', 'changed']);
    expect(
      sentences.filter((sentence) =>
        / tried to view .*\. Refused: this account does not have this key, or the key does not have this secret or public key/.test(
          sentence,
        ),
      ),
    ).toHaveLength(2);
    for (const action of ['access_key.view', 'account.put', 'key.view']) {
      expect(body).toContain(`<option value="${action}">`);
    }
  });

  it('the filter offers each action by its name, and keeps one that it does not know', async () => {
    const browser = dashboard.browser((await at.account()).owner);
    const optionsIn = ({ body }: { readonly body: string }) =>
      [
        ...(/<select name="action">(.*?)<\/select>/s.exec(body)?.[1] ?? '').matchAll(
          /<option value="([^"]*)"( selected)?>([^<]*)</g,
        ),
      ].map(([, value = '', selected, title = '']) => ({ value, isSelected: selected !== undefined, title }));
    const options = optionsIn(await browser.get('/audit'));
    const common = ['create', 'edit', 'rotate', 'end_grace', 'revoke', 'view', 'list', 'usage'];
    const credentials = ['add_secret', 'delete_secret', 'add_public_key', 'remove_public_key'];
    expect(options.map(({ value }) => value)).toEqual([
      '',
      ...[...common, 'names', 'import'].map((action) => `key.${action}`),
      ...[...common, ...credentials].map((action) => `access_key.${action}`),
      ...['account.put', 'account.disable', 'account.enable', 'audit.list', 'sign_in', 'sign_out'],
    ]);
    expect(options.filter(({ title }) => /[._]/.test(title))).toEqual([]);
    expect(new Set(options.map(({ title }) => title)).size).toBe(options.length);
    expect(options.filter(({ isSelected }) => isSelected).map(({ value }) => value)).toEqual(['']);
    for (const action of ['access_key.rotate', 'key.unheard_of']) {
      const chosen = optionsIn(await browser.get(`/audit?action=${action}`));
      expect(chosen.filter(({ isSelected }) => isSelected).map(({ value }) => value)).toEqual([action]);
    }
  });

  it('says in words what a member without a permission tried to read', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    const nobody = { ...holder.developer, permissions: [] };
    const { keys, accessKeys, audit, usage, recentUsage, keyNames } = at.management;
    const reads = [
      () => keys.list(nobody),
      () => accessKeys.list(nobody),
      () => audit(nobody),
      () => usage(nobody, key.id),
      () => recentUsage(nobody, [key.id]),
      () => keyNames(nobody, [key.id]),
    ];
    for (const read of reads) await expect(read()).rejects.toThrow('permission');
    const { body } = await dashboard.browser(holder.owner).get(`/audit?actor=${nobody.id}`);
    const text = body.replace(/<[^>]+>/g, '');
    for (const words of [
      ...['list API keys.', 'list access keys.', 'view the audit log.', 'view the usage of API keys.'],
      ...['view the names of keys.', `view the usage of ${key.id}.`],
    ])
      expect(text).toContain(`tried to ${words} Refused`);
    expect(text).not.toMatch(/\b(?:access_)?(?:key|audit)\.[a-z]+\b/);
  });

  it('opens its filters for each of them that is set, and keeps their values', async () => {
    const browser = dashboard.browser((await at.account()).owner);
    for (const [query, field] of [
      ['from=2026-01-01', '<input type="date" name="from" value="2026-01-01">'],
      ['to=2026-01-01', '<input type="date" name="to" value="2026-01-01">'],
      ['subject=Till', 'name="subject" value="Till"'],
    ] as const) {
      const { body } = await browser.get(`/audit?${query}&limit=7`);
      expect(body).toContain('<details class="more" open>');
      expect(body).toContain(field);
      expect(body).toContain('<input type="hidden" name="limit" value="7">');
    }
    const { body } = await browser.get('/audit?actor=a%26b');
    expect(body).toContain('name="actor" value="a&amp;b"');
    expect(body).not.toContain('name="limit"');
  });

  it('says that days are in UTC if a filter for days finds nothing', async () => {
    const browser = dashboard.browser((await at.account()).owner);
    for (const query of ['from=2001-01-01&to=2001-01-02', 'to=2001-01-02', 'from=2900-01-01'])
      expect((await browser.get(`/audit?${query}`)).body).toContain('Dates are in UTC.');
    expect((await browser.get('/audit?action=key.view')).body).not.toContain('Dates are in UTC.');
  });

  it('links from a later page to the first one, with its filters and its page size', async () => {
    const holder = await at.account();
    for (let i = 0; i < 2; i += 1) {
      await holder.key();
      at.clock.advance(1_000);
    }
    const browser = dashboard.browser(holder.owner);
    const first = (await browser.get('/audit?action=key.create&limit=1')).body;
    expect(first).not.toContain('First page');
    expect(first).toContain(`&amp;actor=${encodeURIComponent(holder.developer.id)}&amp;limit=1"`);
    const next = /rel="next" href="\/admin\/keys(\/audit\?[^"]*)"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect((await browser.get(next)).body).toContain(
      `<a href="${MOUNT}/audit?action=key.create&amp;limit=1">First page</a>`,
    );
  });

  it('links to the keys that it finds, by their type', async () => {
    const holder = await at.account();
    const { key } = await at.management.accessKeys.create(holder.owner, { scopes: ['payments'], name: 'Batch' });
    const { body } = await dashboard.browser(holder.owner).get('/audit?subject=batch');
    expect(/<p class="muted">(.*?)<\/p>/.exec(body)?.[1]).toContain(`<a href="${MOUNT}/access-keys/${key.id}"`);
  });

  it('lists the entries for a part of a name that 20 keys have', async () => {
    const holder = await at.account();
    for (let i = 0; i < 20; i += 1) await holder.key({ name: `Till ${i}` });
    const { body } = await dashboard.browser(holder.owner).get('/audit?subject=till');
    expect(body.match(/<li><p><strong>/g)).toHaveLength(20);
  });

  it('has pages, and so does the file', async () => {
    const holder = await at.account();
    for (let i = 0; i < 3; i += 1) {
      await holder.key();
      at.clock.advance(1_000);
    }
    const browser = dashboard.browser(holder.owner);
    const { body } = await browser.get('/audit?action=key.create&limit=2');
    const next = /rel="next" href="\/admin\/keys(\/audit\?[^"]*)"/.exec(body)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(next).toContain('action=key.create&limit=2&after=');
    const second = await browser.get(next);
    expect(second.body.match(/<li><p><strong>/g)).toHaveLength(1);
    expect(second.body).not.toContain('rel="next"');
    const after = /formaction="[^"]*" name="after" value="([^"]*)">Export this page and older entries as CSV</.exec(
      second.body,
    )?.[1];
    const form = new URLSearchParams({ action: 'key.create', actor: '', limit: '2', after: String(after) });
    expect(rowsOf((await browser.get(`/audit.csv?${form}`)).body)).toHaveLength(1);
    form.delete('after');
    expect(rowsOf((await browser.get(`/audit.csv?${form}`)).body)).toHaveLength(3);
  });

  it.each(['limit=0', 'limit=-1', 'limit=1e9', 'after=x', 'sort=actor', 'actor=a&actor=b'])(
    'refuses ?%s',
    async (query) => {
      const browser = dashboard.browser((await at.account()).owner);
      for (const path of ['/audit', '/audit.csv']) expect((await browser.get(`${path}?${query}`)).status).toBe(400);
    },
  );
});

describe('the file', () => {
  it('has every field, and is downloaded instead of shown', async () => {
    const holder = await at.account();
    const { key } = await holder.key({ name: 'A "name", with\u00a0a comma' });
    const { headers, body } = await dashboard.browser(holder.owner).get('/audit.csv?action=key.create');
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="audit-${holder.id}-${new Date(at.clock.now()).toISOString().slice(0, 10)}.csv"`,
    });
    const [row] = rowsOf(body);
    expect(row).toMatchObject({
      ...{ at: new Date(at.clock.now()).toISOString(), actor: holder.developer.id, role: 'developer', outcome: 'done' },
      ...{
        action: 'key.create',
        subject: key.id,
        subject_name: key.name,
        before: '',
        origin: holder.developer.address,
      },
    });
    expect(JSON.parse(String(row?.after))).toMatchObject({ kind: 'secret', name: 'A "name", with\u00a0a comma' });
  });

  it('always has the same columns in the same order, and both sides of an edit', async () => {
    const holder = await at.account();
    const { key } = await holder.key({ name: 'Till' });
    at.clock.advance(1_000);
    await at.management.keys.edit(holder.owner, key.id, { version: 1, name: 'Desk' });
    const { body } = await dashboard.browser(holder.owner).get('/audit.csv?action=key.edit');
    const columns = 'at actor role action outcome subject subject_name before after origin id'.split(' ');
    expect(body.split('\r\n')[0]).toBe(columns.map((column) => `"${column}"`).join(','));
    const [entry] = (await at.management.audit(holder.owner, { action: 'key.edit' })).items;
    expect(rowsOf(body)).toEqual([
      expect.objectContaining({ before: '{"name":"Till"}', after: '{"name":"Desk"}', id: entry?.id }),
    ]);
  });

  it('has a name without a colon, which some file systems do not accept', async () => {
    const { owner } = await at.account();
    await at.management.accounts.put('operator', 'eu:acme', {});
    const { headers } = await dashboard.browser({ ...owner, account: 'eu:acme' }).get('/audit.csv');
    expect(headers['content-disposition']).toMatch(/^attachment; filename="audit-eu-acme-\d{4}-\d\d-\d\d\.csv"$/);
  });

  it('keeps a dot of the account in its name', async () => {
    const { owner } = await at.account();
    await at.management.accounts.put('operator', 'acme.eu', {});
    const { headers } = await dashboard.browser({ ...owner, account: 'acme.eu' }).get('/audit.csv');
    expect(headers['content-disposition']).toMatch(/filename="audit-acme\.eu-\d{4}/);
  });

  it.each(["=cmd|' /C calc'!A0", '+1+1', '-2+3', '@SUM(1,1)', '\t=1', '\r=1', '\uff1d1', '"=1'])(
    'M32 the cell %j is not a formula',
    async (text) => {
      const holder = await at.account();
      const browser = dashboard.browser({ ...holder.owner, id: text, address: text });
      // Names have no controls in them.
      await browser.post('/keys', newForm('keys', /\p{Cc}/u.test(text) ? {} : { name: text }));
      const { body } = await browser.get('/audit.csv');
      const cells = body
        .split('\r\n')
        .flatMap((line) => [...line.matchAll(/(?<=^|,)"((?:[^"]|"")*)"/g)].map(([, cell]) => cell));
      expect(cells.filter((cell) => /^[=+\-@\t\r\uff1d]/.test(cell ?? ''))).toEqual([]);
      expect(
        rowsOf(body).some(({ actor }) => actor === (text.startsWith('"') ? text : `'${text.replace('\r=', "\r'=")}`)),
      ).toBe(true);
    },
  );

  it('has at most 10,000 entries, which are read page by page while they are sent', async () => {
    const { owner } = await at.account();
    reads.length = 0;
    const { body } = await endless.browser(owner).get('/audit.csv');
    expect(body.split('\r\n')).toHaveLength(10_002);
    expect(reads).toHaveLength(500);
    reads.length = 0;
    const head = await endless.browser(owner).send('HEAD', '/audit.csv', endless.browser(owner).formHeaders);
    expect([head.status, head.body, reads.length]).toEqual([200, '', 1]);
  });

  it('is sent entry by entry, with a turn of the event loop for other requests after each', async () => {
    let left = 3;
    const audit = () =>
      Promise.resolve({ items: Array.from({ length: 20 }, () => entry), next: left-- > 0 ? 'more' : null });
    const { owner } = await at.account();
    const site = { management: { ...at.management, audit } } as unknown as PageContext['site'];
    const context = { site, member: owner, fields: new Fields([], []), now: 0 } as unknown as PageContext;
    const { body } = await auditCsv(context);
    let turns = 0;
    const turn = () => {
      turns += 1;
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    const lines: string[] = [];
    for await (const part of body) lines.push(part);
    clearImmediate(next);
    expect(lines.map((line) => line.split('\r\n').length)).toEqual(Array(81).fill(2));
    expect(turns).toBeGreaterThanOrEqual(80);
  });

  it('has at most 10,000 entries, whatever the page size of the audit log is', async () => {
    const { owner } = await at.account();
    const { body } = await endless.browser(owner).get('/audit.csv?limit=150');
    expect(body.split('\r\n')).toHaveLength(10_002);
  });

  it('has at most 10,000 entries, whatever the number of entries of its pages is', async () => {
    const { owner } = await at.account();
    const { body } = await uneven.browser(owner).get('/audit.csv');
    expect(body.split('\r\n')).toHaveLength(10_002);
  });

  it('names the keys of every page that is read', async () => {
    const holder = await at.account();
    await holder.key({ name: 'Till' });
    at.clock.advance(1_000);
    await holder.key({ name: 'Desk' });
    const { body } = await single.browser(holder.owner).get('/audit.csv?action=key.create');
    expect(rowsOf(body).map(({ subject_name }) => subject_name)).toEqual(['Desk', 'Till']);
  });

  /** Each page has one entry. */
  const single = servedDashboard(at, {
    management: altered(at, ({ audit }) => ({ audit: (member, filter) => audit(member, { ...filter, limit: 1 }) })),
  });

  const reads: unknown[] = [];
  const entry = {
    ...{
      id: 'aud_1',
      at: new Date(0),
      account: 'a',
      actor: 'm',
      role: null,
      action: 'key.edit',
      outcome: 'done' as const,
    },
    ...{ subject: null, before: null, after: null, origin: null },
  };
  const endless = servedDashboard(at, {
    management: altered(at, () => ({
      audit(_member, filter) {
        reads.push(filter);
        return Promise.resolve({ items: Array.from({ length: filter?.limit ?? 50 }, () => entry), next: 'more' });
      },
    })),
  });

  let pages = 0;
  const uneven = servedDashboard(at, {
    management: altered(at, () => ({
      audit() {
        pages += 1;
        return Promise.resolve({ items: Array.from({ length: 199 }, () => entry), next: pages < 60 ? 'more' : null });
      },
    })),
  });
});
