import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { openChromium } from '../../support/browser.js';
import { fill } from '../../support/browser-keys.js';
import { browserSite } from '../../support/browser-site.js';

const site = browserSite();
const chromium = openChromium();

beforeAll(async () => {
  const keys = await fill(site);
  const several = { apis: ['payments', 'disputes'], scopes: ['payments', 'payments:refund', 'disputes'] } as const;
  await site.management.keys.create(site.owner, { kind: 'secret', name: 'Reconciliation of settlements', ...several });
  const { id, version } = keys.secret;
  await site.management.keys.edit(site.owner, id, { version, channels: ['pc_web', 'pc_shop'] });
});

interface Layout {
  /** Words of tables that stand on more than one line, though none of them is long. */
  readonly broken: readonly string[];
  /** Pixels by which the page is wider than the window, and a table than its place. */
  readonly overflow: number;
  readonly unseen: number;
}

async function layoutOf(page: Page): Promise<Layout> {
  return await page.evaluate(`(() => {
    const broken = [];
    for (const cell of document.querySelectorAll('th, td, .activity li')) {
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        for (const { index, 0: word } of texts.currentNode.data.matchAll(/(?<!\\S)[!-~]{1,16}(?!\\S)/g)) {
          const range = document.createRange();
          range.setStart(texts.currentNode, index);
          range.setEnd(texts.currentNode, index + word.length);
          if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(word);
        }
      }
    }
    const overflowOf = ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth;
    const table = document.querySelector('.scroll');
    const unseen = table === null ? 0 : overflowOf(table);
    return { broken, overflow: overflowOf(document.documentElement), unseen };
  })()`);
}

it.each([1400, 1080, 1073, 1072, 1025, 1024, 960, 768, 767, 640, 390])(
  'in a window of %d px no word is broken, and no table overflows',
  async (width) => {
    const page = await site.enter(chromium, 'owner', { viewport: { width, height: 700 } });
    for (const path of ['/', '/access-keys', '/audit']) {
      await page.goto(site.url + path);
      expect({ path, ...(await layoutOf(page)) }).toEqual({ path, broken: [], overflow: 0, unseen: 0 });
    }
  },
);
