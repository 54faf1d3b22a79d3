/** A real Chromium, at KEYWARD_TEST_BROWSER, for the tests of one file. */
import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

export interface Chromium {
  /** A profile of its own, gone when the test ends. What goes wrong in its pages fails the test. */
  context(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** The only page of a context of its own. */
  page(options?: BrowserContextOptions): Promise<Page>;
  /** What went wrong since the last call. */
  troubles(): readonly string[];
  /** Whether something of the kind went wrong, without telling it. */
  hadTrouble(trouble: RegExp): boolean;
}

const ARGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update'],
];

/** Browsers keep pages to go back to; Playwright has that turned off. */
const KEPT_PAGES = '--disable-back-forward-cache';

const TIMEOUT_MS = 30_000;

export function openChromium(): Chromium {
  const contexts: BrowserContext[] = [];
  let browser: Browser;
  const troubles: string[] = [];

  beforeAll(async () => {
    const executablePath = process.env.KEYWARD_TEST_BROWSER;
    if (executablePath === undefined) throw new Error('KEYWARD_TEST_BROWSER is not set');
    browser = await chromium.launch({ executablePath, args: ARGS, ignoreDefaultArgs: [KEPT_PAGES] });
  });

  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    expect(takeTroubles()).toEqual([]);
  });

  afterAll(() => browser?.close());

  async function context(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const made = await browser.newContext({ reducedMotion: 'reduce', ...options });
    contexts.push(made);
    made.setDefaultTimeout(TIMEOUT_MS);
    await watch(made, troubles, options.javaScriptEnabled !== false);
    return made;
  }

  const hadTrouble = (trouble: RegExp) => troubles.some((one) => trouble.test(one));

  function takeTroubles(): readonly string[] {
    const until = [...troubles];
    troubles.length = 0;
    return until;
  }

  return {
    context,
    page: async (options) => await (await context(options)).newPage(),
    troubles: takeTroubles,
    hadTrouble,
  };
}

/** That a page was answered with 4xx is no trouble of the page; nor that a date which is none is not shown. */
const EXPECTED = /^Failed to load resource: .* status of 4\d\d|does not conform to the required format, "yyyy-MM-dd"/;

async function watch(context: BrowserContext, troubles: string[], hasScripts: boolean): Promise<void> {
  context.on('dialog', async (dialog) => {
    // Asked whether to leave a page, tests leave it.
    if (dialog.type() !== 'beforeunload') troubles.push(`dialog: ${dialog.message()}`);
    await dialog.accept().catch(() => undefined);
  });
  context.on('weberror', (error) => troubles.push(`error: ${error.error().message}`));
  context.on('console', (message) => {
    const isBad = message.type() === 'error' || message.type() === 'warning';
    if (isBad && !EXPECTED.test(message.text())) troubles.push(`console: ${message.text()}`);
  });
  if (!hasScripts) return;
  await context.exposeFunction('tellViolation', (text: string) => troubles.push(`policy: ${text}`));
  await context.addInitScript(TELL_VIOLATIONS);
}

const TELL_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) => {
  tellViolation(event.violatedDirective + ' ' + event.blockedURI);
});`;
