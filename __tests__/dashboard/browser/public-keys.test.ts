import { generateKeyPairSync } from 'node:crypto';
import { AxeBuilder } from '@axe-core/playwright';
import { describe, expect, it } from '@jest/globals';
import { openChromium } from '../../support/browser.js';
import { press } from '../../support/browser-forms.js';
import { browserSite } from '../../support/browser-site.js';

const site = browserSite();
const chromium = openChromium();
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
const privatePem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

describe('the page of an access key', () => {
  it.each([
    { how: 'with JavaScript', javaScriptEnabled: true },
    { how: 'without JavaScript', javaScriptEnabled: false },
  ])('I17 accepts a pasted public key, $how', async ({ javaScriptEnabled }) => {
    const { key } = await site.management.accessKeys.create(site.owner, { scopes: ['payments'] });
    const page = await site.enter(chromium, 'owner', { javaScriptEnabled });
    await page.goto(`${site.url}/access-keys/${key.id}`);
    await page.locator('summary', { hasText: 'Add a public key' }).click();
    await page.getByLabel('Public key (PEM or JWK)').fill(publicPem);
    expect((await press(page, 'Add a public key')).status()).toBe(200);
    expect(await page.locator('p.status').textContent()).toContain('A public key was added to the key');
    expect((await site.management.accessKeys.view(site.owner, key.id)).publicKeys).toHaveLength(1);
    await press(page, 'Remove this public key', 'link');
    expect((await press(page, 'Remove this public key')).status()).toBe(200);
    expect((await site.management.accessKeys.view(site.owner, key.id)).publicKeys).toEqual([]);
  });

  it('shows a refused public key again, with the error that is removed when it is corrected', async () => {
    const { key } = await site.management.accessKeys.create(site.owner, { scopes: ['payments'] });
    const page = await site.enter(chromium, 'owner');
    await page.goto(`${site.url}/access-keys/${key.id}`);
    await page.locator('summary', { hasText: 'Add a public key' }).click();
    const field = page.getByLabel('Public key (PEM or JWK)');
    const unusable = JSON.stringify({ ...publicKey.export({ format: 'jwk' }), use: 'enc' });
    await field.fill(unusable);
    expect((await press(page, 'Add a public key')).status()).toBe(400);
    expect(await page.evaluate('document.activeElement.id')).toBe('errors');
    expect(await field.inputValue()).toBe(unusable);
    expect(await page.locator('#publicKey-error').isVisible()).toBe(true);
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
    expect(violations.map(({ id }) => id)).toEqual([]);
    await field.fill(publicPem);
    expect(await page.locator('#publicKey-error').count()).toBe(0);
    expect((await press(page, 'Add a public key')).status()).toBe(200);
    expect((await site.management.accessKeys.view(site.owner, key.id)).publicKeys).toHaveLength(1);
  });

  it('has a field that is as wide as its form and shows six lines', async () => {
    const { key } = await site.management.accessKeys.create(site.owner, { scopes: ['payments'] });
    const page = await site.enter(chromium, 'owner');
    await page.goto(`${site.url}/access-keys/${key.id}`);
    await page.locator('summary', { hasText: 'Add a public key' }).click();
    const box = await page.getByLabel('Public key (PEM or JWK)').boundingBox();
    expect(box?.width).toBeGreaterThan(300);
    expect(box?.height).toBeGreaterThan(100);
  });

  it('I17 does not send a pasted private key', async () => {
    const { key } = await site.management.accessKeys.create(site.owner, { scopes: ['payments'] });
    const page = await site.enter(chromium, 'owner', { javaScriptEnabled: true });
    await page.goto(`${site.url}/access-keys/${key.id}`);
    await page.locator('summary', { hasText: 'Add a public key' }).click();
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(String(request.postData()));
    });
    const field = page.getByLabel('Public key (PEM or JWK)');
    for (const text of [privatePem, JSON.stringify(privateKey.export({ format: 'jwk' }))]) {
      await field.fill(text);
      await page.getByRole('button', { name: 'Add a public key' }).click();
      const message = await field.evaluate(
        (element) => (element as unknown as { validationMessage: string }).validationMessage,
      );
      expect(message).toContain('This is a private key.');
    }
    expect(sent).toEqual([]);
  });

  it('sends the public key that replaces a pasted private key', async () => {
    const { key } = await site.management.accessKeys.create(site.owner, { scopes: ['payments'] });
    const page = await site.enter(chromium, 'owner');
    await page.goto(`${site.url}/access-keys/${key.id}`);
    await page.locator('summary', { hasText: 'Add a public key' }).click();
    const field = page.getByLabel('Public key (PEM or JWK)');
    await field.fill(privatePem);
    await field.fill(publicPem);
    expect((await press(page, 'Add a public key')).status()).toBe(200);
    expect((await site.management.accessKeys.view(site.owner, key.id)).publicKeys).toHaveLength(1);
  });
});
