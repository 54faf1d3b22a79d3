import { describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { csvLine } from '../../lib/dashboard/csv.js';
import { type Holder, managed } from '../support/managed.js';
import { newForm } from './key-forms.js';
import { altered, MOUNT, servedDashboard } from './served-dashboard.js';

const at = managed('memory');
const dashboard = servedDashboard(at);

const rowsOf = (body: string): Record<string, string>[] => parse(body, { columns: true });

describe('the page', () => {
  it('says who did what when, and what it changed', async () => {
    const holder = await at.account();
    const { key } = await holder.key({ name: 'Till' });
    at.clock.advance(60_000);
    await at.management.keys.edit(holder.owner, key.id, { version: 1, name: 'Desk', apis: ['disputes'] });
    at.clock.advance(60_000);
    const { body } = await dashboard.browser(holder.developer).get('/audit');
    expect(body).toContain('<bdi>Till</bdi> &rarr; <bdi>Desk</bdi>');
    expect(body).toContain('<bdi>payments</bdi> &rarr; <bdi>disputes</bdi>');
    expect(body).toContain('1 minute ago');
    expect(body).toContain(`href="${MOUNT}/keys/${key.id}"`);
    expect(body.indexOf('key.edit</code>')).toBeLessThan(body.indexOf('key.create</code>'));
  });

  it('tells of a rolled key which text ends when', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    const { hint } = (await at.management.keys.roll(holder.owner, key.id, 60)).key;
    const until = new Date(at.clock.now() + 60_000).toISOString();
    const { body } = await dashboard.browser(holder.developer).get('/audit');
    expect(body).toContain(`<bdi>${hint}, ${key.hint} until ${until}</bdi>`);
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
    await at.management.keys.delete(holder.owner, key.id);
    const query = `${name}=${encodeURIComponent(value(holder))}`;
    const browser = dashboard.browser(holder.owner);
    expect(rowsOf((await browser.get(`/audit.csv?${query}`)).body)).toHaveLength(count);
    const { body } = await browser.get(`/audit?${query}`);
    expect(body.match(/<tr role="row"><th scope="row"/g) ?? []).toHaveLength(count);
    expect(body).toContain(`/audit.csv?${query.replace('%40', '%40')}"`);
    if (count === 0) expect(body).toContain('Nothing was done that matches.');
  });

  it('offers each action that stands in it, also those of who was refused a look', async () => {
    const { owner } = await at.account();
    const stranger = await (await at.account()).key();
    const refused = [at.management.keys, at.management.accessKeys].map((desk) => desk.view(owner, stranger.key.id));
    await Promise.allSettled(refused);
    const { body } = await dashboard.browser(owner).get('/audit');
    const actions = [...body.matchAll(/<td role="cell" data-title="What"><code>([^<]+)/g)].map(([, action]) => action);
    expect(actions.toSorted()).toEqual(['access_key.view', 'account.put', 'key.view']);
    for (const action of actions) expect(body).toContain(`<option value="${action}">`);
  });

  it('goes on page by page, and so does the file', async () => {
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
    expect(second.body.match(/<tr role="row"><th scope="row"/g)).toHaveLength(1);
    expect(second.body).not.toContain('rel="next"');
    const rest = /href="\/admin\/keys(\/audit\.csv\?[^"]*)"/.exec(second.body)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(rowsOf((await browser.get(rest)).body)).toHaveLength(1);
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
  it('has every field, and is saved and not shown', async () => {
    const holder = await at.account();
    const { key } = await holder.key({ name: 'A "name", with\u00a0a comma' });
    const { headers, body } = await dashboard.browser(holder.owner).get('/audit.csv?action=key.create');
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="audit.csv"',
    });
    const [row] = rowsOf(body);
    expect(row).toMatchObject({
      ...{ at: new Date(at.clock.now()).toISOString(), actor: holder.developer.id, role: 'developer', outcome: 'done' },
      ...{ action: 'key.create', subject: key.id, before: '', origin: holder.developer.address },
    });
    expect(JSON.parse(String(row?.after))).toMatchObject({ kind: 'secret', name: 'A "name", with\u00a0a comma' });
  });

  it.each(["=cmd|' /C calc'!A0", '+1+1', '-2+3', '@SUM(1,1)', '\t=1', '\r=1', '\uff1d1', '"=1'])(
    'M32 the cell %j is no formula',
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
      expect(rowsOf(body).some(({ actor }) => actor === (text.startsWith('"') ? text : `'${text}`))).toBe(true);
    },
  );

  it('M32 quotes every cell', () => {
    expect(csvLine(['a', '', 'b"c', '=1', '-1', '\n+'])).toBe('"a","","b""c","\'=1","\'-1","\'\n+"\r\n');
  });

  it('has no more than 10,000 entries, and reads them page by page as they are sent', async () => {
    const { owner } = await at.account();
    reads.length = 0;
    const { body } = await endless.browser(owner).get('/audit.csv');
    expect(body.split('\r\n')).toHaveLength(10_002);
    expect(reads).toHaveLength(50);
    reads.length = 0;
    const head = await endless.browser(owner).send('HEAD', '/audit.csv', endless.browser(owner).formHeaders);
    expect([head.status, head.body, reads.length]).toEqual([200, '', 1]);
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
});
