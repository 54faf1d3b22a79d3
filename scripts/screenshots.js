// Takes the pictures of docs/dashboard/ and docs/openapi/, or with a folder as argument every page in every width and theme, to look at.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { progressLine } from './progress-line.js';
import { openSample } from './sample-dashboard.js';
import { swaggerUi, tryOperation } from './sample-swagger-ui.js';

const DOCS = fileURLToPath(new URL('../docs/dashboard/', import.meta.url));
const OPENAPI_DOCS = fileURLToPath(new URL('../docs/openapi/', import.meta.url));
const folder = process.argv[2];
const executablePath = process.env.KEYWARD_TEST_BROWSER ?? '/usr/bin/chromium';

const sample = await openSample();
const { keys: made } = sample;
const { server, site } = await serve(sample.app);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
try {
  if (folder === undefined) {
    await takeForDocs();
    await takeSwaggerUi();
  } else {
    await takeAll(folder);
  }
} finally {
  await browser.close();
  server.close();
  await sample.close();
}

async function serve(app) {
  const server = createServer(app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { server, site: `http://127.0.0.1:${server.address().port}` };
}

function pages() {
  const key = `/keys/${made.orders.id}`;
  return {
    keys: '/',
    unused: '/?unused=30',
    empty: '/?text=no+such+key',
    'access-keys': '/access-keys',
    key,
    'access-key': `/access-keys/${made.billing.id}`,
    public: `/keys/${made.checkout.id}`,
    disabled: `/keys/${made.accounting.id}`,
    rotate: `${key}/rotate/confirm`,
    disable: `${key}/disable/confirm`,
    revoke: `${key}/revoke`,
    edit: `${key}/edit`,
    new: '/keys/new',
    'new-secret': '/keys/new?kind=secret',
    'new-access': '/access-keys/new',
    audit: '/audit',
    missing: '/keys/none',
  };
}

async function takeAll(target) {
  mkdirSync(target, { recursive: true });
  const line = progressLine();
  const all = Object.entries(pages());
  for (const width of [390, 768, 1280]) {
    for (const colorScheme of ['light', 'dark']) {
      const context = await browser.newContext({
        viewport: { width, height: 800 },
        colorScheme,
        isMobile: width < 600,
        hasTouch: width < 600,
      });
      const page = await context.newPage();
      for (const [name, path] of all) {
        line.show(`${name} ${width} ${colorScheme}`);
        await page.goto(site + path);
        await page.screenshot({ path: join(target, `${name}-${width}-${colorScheme}.png`), fullPage: true });
      }
      await createOne(page);
      await page.screenshot({ path: join(target, `shown-once-${width}-${colorScheme}.png`), fullPage: true });
      await context.close();
    }
  }
  line.clear();
}

async function createOne(page) {
  await page.goto(`${site}/keys/new?kind=secret`);
  await page.getByLabel('Name', { exact: true }).fill('Invoices');
  await page.locator('[name=apis][value=payments]').check();
  await page.getByRole('button', { name: 'Create' }).click();
  await page.waitForSelector('#text');
}

async function takeForDocs() {
  mkdirSync(DOCS, { recursive: true });
  const desktop = { viewport: { width: 960, height: 665 } };
  const wide = { viewport: { width: 1_100, height: 560 } };
  const phone = { viewport: { width: 390, height: 660 }, isMobile: true, hasTouch: true };
  const narrow = { viewport: { width: 720, height: 665 } };
  const { keys, key, rotate, ...others } = pages();
  const wanted = [
    ['overview', wide, keys],
    ['phone', phone, keys],
    ['key', { ...desktop, colorScheme: 'dark' }, key],
    ['rotate', narrow, rotate],
    ...Object.entries(others).map(([name, path]) => [name, desktop, path]),
  ];
  for (const [name, options, path] of wanted) await takeOne(name, options, path);
  sample.signIn('newcomer');
  await takeOne('first-run', desktop, '/');
  const page = await (await browser.newContext(desktop)).newPage();
  sample.signIn('developer');
  await createOne(page);
  writeFileSync(`${DOCS}shown-once.png`, await page.screenshot({ animations: 'disabled' }));
}

async function takeSwaggerUi() {
  mkdirSync(OPENAPI_DOCS, { recursive: true });
  const { app, secretKey } = swaggerUi();
  const { server: api, site: apiSite } = await serve(app);
  const page = await (await browser.newContext({ viewport: { width: 960, height: 690 } })).newPage();
  await tryOperation(page, apiSite, secretKey);
  writeFileSync(`${OPENAPI_DOCS}swagger-ui.png`, await page.screenshot({ animations: 'disabled' }));
  api.close();
}

async function takeOne(name, options, path) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.goto(site + path);
  writeFileSync(`${DOCS}${name}.png`, await page.screenshot({ animations: 'disabled' }));
  await context.close();
}
