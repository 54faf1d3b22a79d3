/** Swagger UI, with the document of the example and the example itself behind it. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { createTestKit } from 'keyward/testing';
import type { Page, Response } from 'playwright-core';
import { createApp, createRecords } from '../../../examples/payments-service/src/app.js';
import { openChromium } from '../../support/browser.js';
import { type Served, serve } from '../../support/raw-http.js';

const DOCUMENT = readFileSync(new URL('../../../examples/payments-service/openapi.yaml', import.meta.url));
const require = createRequire(import.meta.url);
const SWAGGER_UI = dirname(require.resolve('swagger-ui-dist'));
const INITIALIZER = `SwaggerUIBundle({ url: '/openapi.yaml', dom_id: '#swagger-ui' });`;

const kit = createTestKit();
const chromium = openChromium();
let served: Served;

beforeAll(async () => {
  const app = express();
  app.get('/openapi.yaml', (_req, res) => void res.type('yaml').send(DOCUMENT));
  app.get('/swagger-ui/swagger-initializer.js', (_req, res) => void res.type('js').send(INITIALIZER));
  app.use('/swagger-ui', express.static(SWAGGER_UI));
  const verifiers = { tokens: kit.tokens, secretKeys: kit.keys('secret'), publicKeys: kit.keys('public') };
  app.use(createApp(verifiers, createRecords()));
  served = await serve(app);
});
afterAll(() => served?.close());

/** The page, with the request to an operation ready to be sent. */
async function openOperation(method: string, path: string): Promise<Page> {
  const page = await chromium.page({ viewport: { width: 1280, height: 1400 } });
  await page.goto(`http://127.0.0.1:${served.port}/swagger-ui/`);
  await page.locator(`.opblock-${method}`, { has: page.locator(`[data-path="${path}"]`) }).click();
  await page.getByRole('button', { name: 'Try it out' }).click();
  return page;
}

async function authorize(page: Page, scheme: string, credential: string): Promise<void> {
  await page.getByRole('button', { name: 'Authorize', exact: true }).click();
  const part = page.locator('.auth-container', { hasText: scheme });
  await part.locator('input').fill(credential);
  await part.getByRole('button', { name: 'Apply credentials' }).click();
  await page.locator('.modal-ux .close-modal').click();
}

/** Sends the request; the status that the page shows, and the response. */
async function execute(page: Page, path: string): Promise<{ shown: string; response: Response }> {
  const [response] = await Promise.all([
    page.waitForResponse((one) => new URL(one.url()).pathname === path),
    page.getByRole('button', { name: 'Execute' }).click(),
  ]);
  const row = page.locator('.live-responses-table tr.response .response-col_status');
  const shown = String(await row.filter({ hasText: String(response.status()) }).textContent()).trim();
  return { shown, response };
}

describe('"Authorize" of Swagger UI', () => {
  it.each([
    ['secretKey', () => kit.secretKey(), 'secret'],
    ['publicKey', () => kit.publicKey(), 'public'],
    ['accessToken', () => kit.accessToken(), 'access'],
  ] as const)('sends what the example accepts as %s', async (scheme, credential, kind) => {
    const page = await openOperation('get', '/caller');
    const before = await execute(page, '/caller');
    expect([before.shown, before.response.status()]).toEqual([expect.stringMatching(/^401\b/), 401]);
    await authorize(page, scheme, await credential());
    const { shown, response } = await execute(page, '/caller');
    expect([shown, response.status()]).toEqual([expect.stringMatching(/^200\b/), 200]);
    expect(await response.json()).toMatchObject({ kind, account: 'acc_test' });
  });
});
