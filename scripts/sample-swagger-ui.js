// Swagger UI with the OpenAPI document of the payments service, and the service behind it.
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import express from 'express';
import { createTestKit } from '../dist/testing/index.js';
import { createApp, createRecords } from '../examples/payments-service/dist/app.js';

const SWAGGER_UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist'));
const DOCUMENT = fileURLToPath(new URL('../examples/payments-service/openapi.yaml', import.meta.url));
const INITIALIZER = `SwaggerUIBundle({ url: '/openapi.yaml', dom_id: '#swagger-ui' });`;

export function swaggerUi() {
  const kit = createTestKit();
  const app = express();
  app.get('/openapi.yaml', (_req, res) => res.type('yaml').sendFile(DOCUMENT));
  app.get('/swagger-ui/swagger-initializer.js', (_req, res) => res.type('js').send(INITIALIZER));
  app.use('/swagger-ui', express.static(SWAGGER_UI));
  const verifiers = { tokens: kit.tokens, secretKeys: kit.keys('secret'), publicKeys: kit.keys('public') };
  app.use(createApp(verifiers, createRecords()));
  return { app, secretKey: kit.secretKey() };
}

/** Authorizes with a secret key, and sends a request. */
export async function tryOperation(page, site, secretKey) {
  await page.goto(`${site}/swagger-ui/`);
  await page.getByRole('button', { name: 'Authorize', exact: true }).click();
  await page.locator('.auth-container', { hasText: 'secretKey' }).locator('input').fill(secretKey);
  await page
    .locator('.auth-container', { hasText: 'secretKey' })
    .getByRole('button', { name: 'Apply credentials' })
    .click();
  await page.locator('.modal-ux .close-modal').click();
  const operation = page.locator('.opblock-get', { has: page.locator('[data-path="/caller"]') });
  await operation.click();
  await page.getByRole('button', { name: 'Try it out' }).click();
  await page.getByRole('button', { name: 'Execute' }).click();
  await page.locator('.live-responses-table').waitFor();
  await operation.evaluate((element) => element.scrollIntoView());
}
