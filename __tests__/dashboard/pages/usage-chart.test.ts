import { describe, expect, it } from '@jest/globals';
import { usageSection } from '../../../lib/dashboard/components/usage-section.js';
import { dayOf } from '../../../lib/store/usage/utc-days.js';
import { managed } from '../../support/managed.js';
import { onDatabase } from '../../support/store-database.js';
import { sharedEngines } from '../../support/test-stores.js';
import { servedDashboard } from '../served-dashboard.js';

const day = (number: number, accepted: number, refused: number) => ({ day: `2026-11-0${number}`, accepted, refused });

function chartOf(...days: readonly ReturnType<typeof day>[]): string {
  const sum = (name: 'accepted' | 'refused') => days.reduce((total, one) => total + one[name], 0);
  const ends = { from: days[0]?.day ?? '', to: days.at(-1)?.day ?? '' };
  return usageSection({ id: 'key_1', ...ends, accepted: sum('accepted'), refused: sum('refused'), days }).text;
}

/** The height of each bar, and whether it is hatched. */
const barsOf = (text: string) =>
  [...text.matchAll(/<rect x="(\d+)" y="(\d+)" width="16" height="(\d+)" fill="(\S+?)"/g)].map(
    ([, x, y, height, fill]) => [Number(x), Number(y), Number(height), fill],
  );

describe('the chart of requests by day', () => {
  it('has a bar for each day: accepted solid, refused hatched on top, the highest day at full height', () => {
    expect(barsOf(chartOf(day(1, 30, 10), day(2, 0, 20), day(3, 20, 0)))).toEqual([
      [0, 24, 72, 'currentColor'],
      [0, 0, 24, 'url(#usage-refused)'],
      [20, 96, 0, 'currentColor'],
      [20, 48, 48, 'url(#usage-refused)'],
      [40, 48, 48, 'currentColor'],
    ]);
  });

  it('shows one request beside a million', () => {
    expect(barsOf(chartOf(day(1, 1_000_000, 0), day(2, 1, 0))).map(([, , height]) => height)).toEqual([96, 1]);
  });

  it('has the same numbers as text and as a table, newest first', () => {
    const text = chartOf(day(1, 12_345, 1), day(2, 5, 0), day(3, 0, 0));
    const total = 'Requests from 1 Nov to 3 Nov: 12,350 accepted, 1 refused';
    expect(text).toContain(`<svg role="img" aria-label="${total}"`);
    expect(text).toContain('<title>1 Nov: 12,345 accepted, 1 refused</title>');
    const rows = [
      ...text.matchAll(/<tr role="row"><th scope="row".*?>(.*?)<\/th><td.*?>(.*?)<\/td><td.*?>(.*?)<\/td>/g),
    ];
    expect(rows.map(([, ...cells]) => cells)).toEqual([
      ['2 Nov', '5', '0'],
      ['1 Nov', '12,345', '1'],
    ]);
  });

  it('counts one request as one, and explains stripes only if requests were refused', () => {
    const caption = (text: string) => /<span>(Busiest day.*?)<\/span>/.exec(text)?.[1];
    expect(caption(chartOf(day(1, 1, 0), day(2, 0, 0)))).toBe('Busiest day: 1 request.');
    expect(caption(chartOf(day(1, 1, 0), day(2, 1, 1)))).toMatch(/^Busiest day: 2 requests\. Striped/);
  });

  it('shows days on which all requests were refused', () => {
    const text = chartOf(day(1, 0, 3), day(2, 0, 0));
    expect(barsOf(text)).toEqual([
      [0, 96, 0, 'currentColor'],
      [0, 0, 96, 'url(#usage-refused)'],
      [20, 96, 0, 'currentColor'],
    ]);
  });

  it('is a sentence where there were no requests', () => {
    const text = chartOf(day(1, 0, 0), day(2, 0, 0));
    expect(text).toContain('No requests in the last 2 days.');
    expect(text).not.toMatch(/<svg|<table/);
  });
});

describe.each(sharedEngines)('the page of a key, on %s', (engine) => {
  const at = managed(engine);
  const dashboard = servedDashboard(at);

  it.each(['/keys', '/access-keys'])(
    '%s/ID has the chart of its last 30 days, for members of its account only',
    async (path) => {
      const [holder, stranger] = [await at.account(), await at.account()];
      const { key } = path === '/keys' ? await holder.key() : await holder.accessKey();
      const browser = dashboard.browser(holder.developer);
      expect((await browser.get(`${path}/${key.id}`)).body).toContain('No requests in the last 30 days.');
      const today = dayOf(at.clock.now());
      await onDatabase(
        at.url,
        `insert into usage (key_id, day, accepted, refused) values
         ('${key.id}', ${today}, 4321, 7), ('${key.id}', ${today - 29}, 1, 0), ('${key.id}', ${today - 30}, 50000, 0)`,
      );
      const { status, body } = await browser.get(`${path}/${key.id}`);
      expect([
        status,
        body.match(/<svg role="img" aria-label="Requests from [^"]*: 4,322 accepted, 7 refused"/g)?.length,
      ]).toEqual([200, 1]);
      expect(body.match(/<g><title>/g)).toHaveLength(30);
      const list = (await browser.get(path === '/keys' ? '/' : path)).body;
      expect(/class="recent">(.*?)<\/td>/.exec(list)?.[1]?.replace(/<[^>]+>/g, ' ')).toMatch(
        /4,322 accepted, +7 refused/,
      );
      expect(body).not.toContain('50,000');
      expect((await dashboard.browser(stranger.developer).get(`${path}/${key.id}`)).status).toBe(404);
    },
  );
});
