import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { T1 } from '../support/answers.js';
import { managed } from '../support/managed.js';
import { type ManagedApi, serveManaged } from '../support/managed-api.js';
import { engines } from '../support/test-stores.js';

describe.each(engines)('on %s, the tokens of an access key', (engine) => {
  const at = managed(engine);
  let api: ManagedApi;

  beforeAll(async () => {
    api = await serveManaged(at.store, at.clock);
  });

  afterAll(() => api.close());

  it('that were bought die with revokeTokens; the key lives', async () => {
    const holder = await at.account();
    const { key, text } = await holder.accessKey();
    const { token } = await api.buy(key.id, text);
    expect(await api.status('/payments', token)).toBe(200);
    at.clock.advance(1_000);
    const edited = await at.management.accessKeys.edit(holder.owner, key.id, { version: 1, revokeTokens: true });
    expect(edited).toMatchObject({ state: 'active', version: 2 });
    expect(await api.ask('/payments', token)).toEqual(T1);
    const later = await api.buy(key.id, text);
    expect(await api.status('/payments', later.token)).toBe(200);
    // What is not said again stays as it is.
    at.clock.advance(1_000);
    await at.management.accessKeys.edit(holder.owner, key.id, { version: 2, revokeTokens: false, name: 'Batch' });
    expect([await api.status('/', token), await api.status('/', later.token)]).toEqual([401, 200]);
  });

  it('and their key are refused while it is disabled, and taken again', async () => {
    const holder = await at.account();
    const { key, text } = await holder.accessKey();
    const { token } = await api.buy(key.id, text);
    await at.management.accessKeys.edit(holder.owner, key.id, { version: 1, disabled: true });
    expect(await api.ask('/payments', token)).toEqual(T1);
    expect(await api.buy(key.id, text)).toMatchObject({ status: 401, error: 'invalid_client' });
    await at.management.accessKeys.edit(holder.owner, key.id, { version: 2, disabled: false });
    expect(await api.status('/payments', token)).toBe(200);
    expect(await api.buy(key.id, text)).toMatchObject({ status: 200, scope: 'payments' });
  });

  it('and their key are refused once it is deleted', async () => {
    const holder = await at.account();
    const { key, text } = await holder.accessKey();
    const { token } = await api.buy(key.id, text);
    await at.management.accessKeys.delete(holder.owner, key.id);
    expect(await api.ask('/payments', token)).toEqual(T1);
    expect(await api.buy(key.id, text)).toMatchObject({ status: 401, error: 'invalid_client' });
  });

  it('and their key are refused once it has expired', async () => {
    const holder = await at.account();
    const expiresAt = new Date(at.clock.now() + 60_000);
    const { key, text } = await at.management.accessKeys.create(holder.owner, { scopes: ['payments'], expiresAt });
    const { token } = await api.buy(key.id, String(text));
    at.clock.advance(60_000);
    expect(await api.ask('/payments', token)).toEqual(T1);
    expect(await api.buy(key.id, String(text))).toMatchObject({ status: 401, error: 'invalid_client' });
  });

  it('hold no scope that their key holds no longer', async () => {
    const holder = await at.account();
    const { key, text } = await holder.accessKey(['payments', 'payments:refund']);
    const { token } = await api.buy(key.id, text);
    expect(await api.status('/refunds', token)).toBe(200);
    await at.management.accessKeys.edit(holder.owner, key.id, { version: 1, scopes: ['payments'] });
    expect([await api.status('/refunds', token), await api.status('/payments', token)]).toEqual([403, 200]);
    expect(await api.buy(key.id, text, 'payments:refund')).toMatchObject({ status: 400, error: 'invalid_scope' });
  });
});
