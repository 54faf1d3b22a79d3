import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { T1 } from '../support/answers.js';
import { managed } from '../support/managed.js';
import { type ManagedApi, serveManaged } from '../support/managed-api.js';
import { engines } from '../support/test-stores.js';

describe.each(engines)('on %s, tokens of an access key', (engine) => {
  const at = managed(engine);
  let api: ManagedApi;

  beforeAll(async () => {
    api = await serveManaged(at.store, at.clock);
  });

  afterAll(() => api.close());

  it('are revoked by revokeTokens; the key stays valid', async () => {
    const holder = await at.account();
    const { key, text } = await holder.accessKey();
    const { token } = await api.obtainToken(key.id, text);
    expect(await api.status('/payments', token)).toBe(200);
    at.clock.advance(1_000);
    const edited = await at.management.accessKeys.edit(holder.owner, key.id, { version: 1, revokeTokens: true });
    expect(edited).toMatchObject({ state: 'active', version: 2 });
    expect(await api.ask('/payments', token)).toEqual(T1);
    const later = await api.obtainToken(key.id, text);
    expect(await api.status('/payments', later.token)).toBe(200);
    // What is not said again stays as it is.
    at.clock.advance(1_000);
    await at.management.accessKeys.edit(holder.owner, key.id, { version: 2, revokeTokens: false, name: 'Batch' });
    expect([await api.status('/', token), await api.status('/', later.token)]).toEqual([401, 200]);
  });

  it('are revoked at a later time by each revokeTokens, even if the clock of the database was set back', async () => {
    const holder = await at.account();
    const { key } = await holder.accessKey();
    const ahead = Date.now() + 3_600_000;
    await at.store.repository.transact(async (tx) => {
      await tx.updateKey(key.id, 1, { tokens_not_before: ahead });
    });
    await at.management.accessKeys.edit(holder.owner, key.id, { version: 2, revokeTokens: true });
    const [entry] = (await holder.story()).slice(-1);
    expect(entry).toMatchObject({
      before: { tokensNotBefore: new Date(ahead).toISOString() },
      after: { tokensNotBefore: new Date(ahead + 1).toISOString() },
    });
  });

  it('and the key are refused while it is disabled, and accepted again when it is enabled', async () => {
    const holder = await at.account();
    const { key, text } = await holder.accessKey();
    const { token } = await api.obtainToken(key.id, text);
    await at.management.accessKeys.edit(holder.owner, key.id, { version: 1, disabled: true });
    expect(await api.ask('/payments', token)).toEqual(T1);
    expect(await api.obtainToken(key.id, text)).toMatchObject({ status: 401, error: 'invalid_client' });
    await at.management.accessKeys.edit(holder.owner, key.id, { version: 2, disabled: false });
    expect(await api.status('/payments', token)).toBe(200);
    expect(await api.obtainToken(key.id, text)).toMatchObject({ status: 200, scope: 'payments' });
  });

  it('and the key are refused after the key is revoked', async () => {
    const holder = await at.account();
    const { key, text } = await holder.accessKey();
    const { token } = await api.obtainToken(key.id, text);
    await at.management.accessKeys.revoke(holder.owner, key.id);
    expect(await api.ask('/payments', token)).toEqual(T1);
    expect(await api.obtainToken(key.id, text)).toMatchObject({ status: 401, error: 'invalid_client' });
  });

  it('and the key are refused after the key has expired', async () => {
    const holder = await at.account();
    const expiresAt = new Date(at.clock.now() + 60_000);
    const { key, secret: text } = await at.management.accessKeys.create(holder.owner, {
      scopes: ['payments'],
      expiresAt,
    });
    const { token } = await api.obtainToken(key.id, String(text));
    at.clock.advance(60_000);
    expect(await api.ask('/payments', token)).toEqual(T1);
    expect(await api.obtainToken(key.id, String(text))).toMatchObject({ status: 401, error: 'invalid_client' });
  });

  it('have no scope that the key no longer has', async () => {
    const holder = await at.account();
    const { key, text } = await holder.accessKey(['payments', 'payments:refund']);
    const { token } = await api.obtainToken(key.id, text);
    expect(await api.status('/refunds', token)).toBe(200);
    await at.management.accessKeys.edit(holder.owner, key.id, { version: 1, scopes: ['payments'] });
    expect([await api.status('/refunds', token), await api.status('/payments', token)]).toEqual([403, 200]);
    expect(await api.obtainToken(key.id, text, 'payments:refund')).toMatchObject({
      status: 400,
      error: 'invalid_scope',
    });
  });
});
