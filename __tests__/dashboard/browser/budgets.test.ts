import { AxeBuilder } from '@axe-core/playwright';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { openChromium } from '../../support/browser.js';
import { type FilledSite, fill } from '../../support/browser-keys.js';
import { browserSite } from '../../support/browser-site.js';

/** Bytes of a page with all that it loads, as they are transferred. */
const HEAVIEST = 40 * 1_024;
const WIDTHS = [390, 768, 1_280];

const site = browserSite();
const fresh = browserSite({}, 'new');
const chromium = openChromium();
let keys: FilledSite;

beforeAll(async () => {
  keys = await fill(site);
});

/** Every page that a link leads to. */
const pages = (): readonly string[] => [
  ...[`${fresh.url}/`, `${fresh.url}/access-keys`],
  ...[
    ...[
      '/',
      '/?sort=name',
      '/?text=none',
      '/access-keys',
      '/keys/new',
      '/keys/new?kind=secret',
      '/keys/new?kind=public',
    ],
    ...['/access-keys/new', '/audit', '/audit?from=2020-01-01&to=2020-01-02', '/keys/none', '/sign-in'],
    ...[`/keys/${keys.secret.id}`, `/keys/${keys.public.id}`, `/keys/${keys.disabled.id}`, `/keys/${keys.deleted.id}`],
    ...['edit', 'revoke', 'rotate/confirm', 'disable/confirm'].map((path) => `/keys/${keys.secret.id}/${path}`),
    ...['', '/edit', '/secrets/confirm', '/revoke-tokens/confirm'].map(
      (path) => `/access-keys/${keys.access.id}${path}`,
    ),
  ].map((path) => site.url + path),
];

interface Measured {
  readonly bytes: number;
  /** What the browser waits for before it paints. */
  readonly blocking: readonly string[];
  readonly shift: number;
  readonly width: number;
}

/** The page, from its entries in the timeline of the browser. */
const MEASURE = `(async () => {
  await document.fonts.ready;
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const resources = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
  return {
    // What was cached is counted too: as if it came for the first time.
    bytes: resources.reduce((sum, { encodedBodySize }) => sum + encodedBodySize + 300, 0),
    blocking: resources.filter((one) => one.renderBlockingStatus === 'blocking').map(({ name }) => new URL(name).pathname),
    shift: shifts.reduce((sum, value) => sum + value, 0),
    width: document.documentElement.scrollWidth,
  };
})()`;

const OBSERVE = `globalThis.shifts = [];
new PerformanceObserver((list) => { for (const { value } of list.getEntries()) shifts.push(value); }).observe({ type: 'layout-shift', buffered: true });`;

async function open(width: number, colorScheme: 'light' | 'dark'): Promise<readonly Page[]> {
  const options = {
    viewport: { width, height: 800 },
    colorScheme,
    ...(width < 600 ? { isMobile: true, hasTouch: true } : {}),
  };
  const opened = [await site.enter(chromium, 'owner', options), await fresh.enter(chromium, 'owner', options)];
  for (const page of opened) await page.addInitScript(OBSERVE);
  return opened;
}

describe.each(['light', 'dark'] as const)('in %s mode, every page', (colorScheme) => {
  it.each(WIDTHS)(
    'at %d px is light, waits for its stylesheet alone, does not shift or scroll sideways, and axe accepts it',
    async (width) => {
      const [page, first] = await open(width, colorScheme);
      if (page === undefined || first === undefined) throw new Error('there is no page');
      for (const url of pages()) {
        const tab = url.startsWith(fresh.url) ? first : page;
        await tab.goto(url);
        const { bytes, blocking, shift, width: scrolled } = await tab.evaluate<Measured>(MEASURE);
        expect([url, shift, scrolled]).toEqual([url, 0, width]);
        expect([url, blocking]).toEqual([url, [expect.stringMatching(/\/assets\/style-[\w-]+\.css$/)]]);
        expect(bytes).toBeLessThanOrEqual(HEAVIEST);
        const { violations } = await new AxeBuilder({ page: tab }).setLegacyMode().analyze();
        expect([url, violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])]).toEqual([url, []]);
      }
    },
    240_000,
  );
});
