import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { managed, OPERATOR } from '../../support/managed.js';
import { madeKey } from '../key-forms.js';
import { type Form, fieldOf, MOUNT, servedDashboard } from '../served-dashboard.js';

const at = managed('memory');
const dashboard = servedDashboard(at);
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
const privatePem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

async function accessKey() {
  const holder = await at.account();
  const { id } = await madeKey(holder, 'accessKeys');
  const browser = dashboard.browser(holder.owner);
  return {
    holder,
    own: `${MOUNT}/access-keys/${id}`,
    page: () => browser.get(`/access-keys/${id}`),
    post: (path: string, form: Form) => browser.post(`/access-keys/${id}${path}`, form),
    follow: (location: string) => browser.get(location.slice(MOUNT.length)),
    now: () => at.management.accessKeys.view(holder.owner, id),
  };
}

describe('public keys of an access key', () => {
  it('are added from PEM, shown by kid, and removed', async () => {
    const { own, page, post, follow, now } = await accessKey();
    const empty = (await page()).body;
    expect(empty).toContain('Paste only the public key. Keep the private key on the client');
    const added = await post('/public-keys', { publicKey: publicPem.replaceAll('\n', '\r\n') });
    expect(added.status).toBe(303);
    const [view] = (await now()).publicKeys;
    const shown = (await follow(String(added.headers.location))).body;
    expect(shown).toContain('A public key was added to the key');
    expect(shown).toContain(`<code>${view?.kid}</code>`);
    expect(shown).toContain('This Ed25519 key was added on');
    const kid = String(view?.kid);
    expect(shown).toContain(`href="${own}/public-keys/remove/confirm?kid=${kid}"`);
    const asked = await follow(`${own}/public-keys/remove/confirm?kid=${kid}`);
    expect(asked.body).toContain(
      `The public key <code>${kid}</code> will be removed. Every token request that uses the matching private key will be refused immediately.`,
    );
    expect([fieldOf(asked, 'kid'), fieldOf(asked, 'version')]).toEqual([kid, '2']);
    expect((await follow(`${own}/public-keys/remove/confirm?kid=x`)).status).toBe(404);
    expect((await post('/public-keys/remove', { version: '1', kid })).status).toBe(409);
    const removed = await post('/public-keys/remove', { version: '2', kid });
    expect((await follow(String(removed.headers.location))).body).toContain('A public key was removed from the key');
    expect((await now()).publicKeys).toEqual([]);
  });

  it('I17 a private key is refused: it is neither stored nor shown again', async () => {
    const { post, now } = await accessKey();
    const reply = await post('/public-keys', { publicKey: privatePem });
    expect(reply.status).toBe(400);
    expect(reply.body).toContain('>This is a private key, and it was not stored');
    expect(reply.body).not.toContain(privatePem.split('\n')[1]);
    expect((await now()).publicKeys).toEqual([]);
  });

  it('that were refused are shown again with their error, and can be corrected', async () => {
    const { post, now } = await accessKey();
    const formId = randomUUID();
    const truncated = publicPem.replace(/.{8}\n-----END/, '\n-----END');
    const reply = await post('/public-keys', { publicKey: truncated.replaceAll('\n', '\r\n'), formId });
    expect([reply.status, fieldOf(reply, 'formId')]).toEqual([400, formId]);
    const { body } = reply;
    expect(body).toMatch(/<title>Error: /);
    const said = 'Enter a public key as a JWK or in PEM format.';
    expect(body).toContain(`<a href="#field-publicKey">Public key: ${said}</a>`);
    expect(body).toContain('<details class="panel" open><summary>Add a public key</summary>');
    expect(body).toContain(`<p class="error" id="publicKey-error">${said}</p>`);
    expect(body).toMatch(
      /<textarea id="field-publicKey"[^>]* aria-describedby="publicKey-hint publicKey-error" aria-invalid/,
    );
    // Only what is certainly a public key is shown again.
    expect(/<textarea id="field-publicKey"[^>]*>\n(.*?)<\/textarea>/s.exec(body)?.[1]).toBe('');
    expect((await post('/public-keys', { publicKey: publicPem, formId })).status).toBe(303);
    expect((await now()).publicKeys).toHaveLength(1);
    const again = await post('/public-keys', { publicKey: publicPem });
    expect(again.body).toContain('The access key already has a public key with this kid.');
    expect(/<textarea id="field-publicKey"[^>]*>\n(.*?)<\/textarea>/s.exec(again.body)?.[1]).toBe(publicPem);
  });

  it('I17 a private key in a text that cannot be read is not shown again', async () => {
    const { post } = await accessKey();
    const { d = '', ...jwk } = privateKey.export({ format: 'jwk' });
    const body = privatePem.split('\n')[1] ?? '';
    for (const publicKey of [
      ...[`{"kty":"OKP","d":"${d}"`, `{'d': '${d}'}`, `{"keys":[{"d":"${d}"},{"d":"${d}"}]}`, `{"\\u0064":"${d}"`],
      ...[body, `${publicPem}${privatePem}`, `{"kty":"oct","k":"${d}"}`, JSON.stringify({ ...jwk, d })],
      ...[`{"kty"=>"OKP","d"=>"${d}"}`, `{"publicKey":"x","privateKey":"${d}"}`, `{"client_secret":"${d}"}`],
      privatePem.replaceAll('PRIVATE', 'PUBLIC'),
    ]) {
      const reply = await post('/public-keys', { publicKey });
      expect(reply.status).toBe(400);
      expect(reply.body).toContain('id="publicKey-error"');
      for (const secret of [d, body]) expect(reply.body).not.toContain(secret);
    }
    const unused = JSON.stringify({ ...jwk, use: 'enc' }, null, '\t');
    const shown = (await post('/public-keys', { publicKey: unused })).body;
    expect(shown).toContain('&#x9;&quot;use&quot;: &quot;enc&quot;');
  });

  it('M31 a text that looks like a public key is shown again as text', async () => {
    const { post } = await accessKey();
    const hostile = '{"kid": "</textarea><script>alert(1)</script>\u202e"}';
    const { status, body } = await post('/public-keys', { publicKey: hostile });
    expect(status).toBe(400);
    expect(body).not.toContain('<script>');
    expect(/<textarea id="field-publicKey"[^>]*>\n(.*?)<\/textarea>/s.exec(body)?.[1]).toBe(
      '{&quot;kid&quot;: &quot;&lt;/textarea&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#x202E;&quot;}',
    );
  });

  it('are not offered for a disabled account', async () => {
    const { holder, page, post } = await accessKey();
    expect((await page()).body).toContain('<summary>Add a public key</summary>');
    await at.management.accounts.setDisabled(OPERATOR, holder.id, true);
    const { body } = await page();
    expect(body).toContain('you cannot create keys, secrets or public keys.');
    expect(body).not.toContain('<summary>Add a public key</summary>');
    expect(body).toContain('<summary>Token binding</summary>');
    expect((await post('/public-keys', { publicKey: publicPem })).status).toBe(403);
  });

  it('are not on the page of an API key', async () => {
    const holder = await at.account();
    const { id } = await madeKey(holder, 'keys');
    expect((await dashboard.browser(holder.owner).get(`/keys/${id}`)).body).not.toContain('Public keys');
  });

  it('a Developer sees them but cannot add any', async () => {
    const { holder, now } = await accessKey();
    const { id } = await now();
    const developer = dashboard.browser(holder.developer);
    expect((await developer.get(`/access-keys/${id}`)).body).toContain('You need the Owner role to change this key.');
    expect((await developer.post(`/access-keys/${id}/public-keys`, { publicKey: publicPem })).status).toBe(403);
  });

  it.each([
    ['dpop', 'dpop', 'DPoP'],
    ['any', true, 'DPoP or client certificate'],
  ])('bound tokens are required: %s', async (confirmation, stored, words) => {
    const { page, post, now } = await accessKey();
    const { version } = await now();
    const reply = await post('/require-confirmation', { version: String(version), confirmation });
    expect([reply.status, (await now()).requireConfirmation]).toEqual([303, stored]);
    expect((await page()).body).toContain(`<dt>Token binding</dt><dd>${words}</dd>`);
    const cleared = await post('/require-confirmation', { version: String(version + 1), confirmation: 'none' });
    expect([cleared.status, (await now()).requireConfirmation]).toEqual([303, null]);
  });

  it('a token binding that was changed in the meantime is not overwritten', async () => {
    const { holder, post, now } = await accessKey();
    const { id } = await now();
    await at.management.accessKeys.edit(holder.owner, id, { version: 1, requireConfirmation: 'mtls' });
    expect((await post('/require-confirmation', { version: '1', confirmation: 'none' })).status).toBe(409);
    expect((await now()).requireConfirmation).toBe('mtls');
  });

  it('refuses an unknown confirmation method', async () => {
    const { post } = await accessKey();
    expect((await post('/require-confirmation', { version: '1', confirmation: 'x' })).status).toBe(400);
  });
});
