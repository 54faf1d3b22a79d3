import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AccountSettings } from 'keyward/management';
import { lacking, S3, T1 } from '../support/answers.js';
import { managed, OPERATOR } from '../support/managed.js';
import { type ManagedApi, serveManaged } from '../support/managed-api.js';
import { eventually } from '../support/store-wait.js';
import { engines, sharedEngines } from '../support/test-stores.js';

const OK = { status: 200, challenge: undefined };

describe.each(engines)('on %s', (engine) => {
  const at = managed(engine);
  let api: ManagedApi;

  beforeAll(async () => {
    api = await serveManaged(at.store, at.clock);
  });

  afterAll(() => api.close());

  it.each(['secret', 'public'] as const)(
    'P21 a rotated %s key: old and new secret within the grace period, then the old one',
    async (kind) => {
      const holder = await at.account();
      const { key, text: old } = await holder.key({ kind });
      expect(await api.ask('/payments', old)).toEqual(OK);
      const { secret: text } = await at.management.keys.rotate(holder.owner, key.id, 60);
      const young = String(text);
      for (const elapsed of [0, 30_000, 29_999]) {
        at.clock.advance(elapsed);
        expect([await api.ask('/payments', old), await api.ask('/payments', young)]).toEqual([OK, OK]);
      }
      at.clock.advance(1);
      expect([await api.ask('/payments', old), await api.ask('/payments', young)]).toEqual([T1, OK]);
      // And not at any time after it.
      at.clock.advance(10 ** 9);
      expect([await api.ask('/payments', old), await api.ask('/payments', young)]).toEqual([T1, OK]);
    },
  );

  it('P21 rotated without a grace period: the old secret is refused with the next request', async () => {
    const holder = await at.account();
    const { key, text: old } = await holder.key();
    expect(await api.ask('/payments', old)).toEqual(OK);
    const { secret: text } = await at.management.keys.rotate(holder.owner, key.id);
    expect([await api.ask('/payments', old), await api.ask('/payments', String(text))]).toEqual([T1, OK]);
  });

  it('P21 the grace period ended early: the old secret is refused with the next request', async () => {
    const holder = await at.account();
    const { key, text: old } = await holder.key();
    const { secret: text } = await at.management.keys.rotate(holder.owner, key.id, 60);
    expect(await api.ask('/payments', old)).toEqual(OK);
    await at.management.keys.endGrace(holder.owner, key.id);
    expect([await api.ask('/payments', old), await api.ask('/payments', String(text))]).toEqual([T1, OK]);
  });

  it('S07 an Owner removes payments from a cached key: effective here with the next request', async () => {
    const holder = await at.account();
    const { key, text } = await holder.key({ apis: ['payments', 'disputes'] });
    expect([await api.ask('/payments', text), await api.ask('/disputes', text)]).toEqual([OK, OK]);
    await at.management.keys.edit(holder.owner, key.id, { version: 1, apis: ['disputes'] });
    expect([await api.ask('/payments', text), await api.ask('/disputes', text)]).toEqual([S3, OK]);
  });

  it('a disabled key is refused with the next request, and accepted again when it is enabled', async () => {
    const holder = await at.account();
    const { key, text } = await holder.key();
    expect(await api.ask('/payments', text)).toEqual(OK);
    await at.management.keys.edit(holder.owner, key.id, { version: 1, disabled: true });
    expect(await api.ask('/payments', text)).toEqual(T1);
    await at.management.keys.edit(holder.owner, key.id, { version: 2, disabled: false });
    expect(await api.ask('/payments', text)).toEqual(OK);
  });

  it('a revoked key is refused with the next request, and so is a secret in its grace period', async () => {
    const holder = await at.account();
    const { key, text: old } = await holder.key();
    const { secret: text } = await at.management.keys.rotate(holder.owner, key.id, 60);
    expect([await api.ask('/payments', old), await api.ask('/payments', String(text))]).toEqual([OK, OK]);
    await at.management.keys.revoke(holder.owner, key.id);
    expect([await api.ask('/payments', old), await api.ask('/payments', String(text))]).toEqual([T1, T1]);
  });

  it('a key is refused the instant it expires', async () => {
    const holder = await at.account();
    const { text } = await holder.key({ expiresAt: new Date(at.clock.now() + 60_000) });
    at.clock.advance(59_999);
    expect(await api.ask('/payments', text)).toEqual(OK);
    at.clock.advance(1);
    expect(await api.ask('/payments', text)).toEqual(T1);
  });

  describe('keys lose what their account has lost, with the next request', () => {
    it.each<[string, AccountSettings, string, unknown, string, unknown]>([
      ['an API', { apis: ['disputes'] }, '/payments', S3, '/disputes', OK],
      ['all its APIs', { apis: [] }, '/payments', S3, '/', OK],
      ['a scope', { scopes: ['payments'] }, '/refunds', lacking('payments:refund'), '/payments', OK],
      ['a channel', { channels: ['pc_2'] }, '/pay?channel=pc_1', S3, '/pay?channel=pc_2', OK],
    ])('%s', async (_what, loss, lost, answer, kept, still) => {
      const holder = await at.account();
      const settings = { scopes: ['payments', 'payments:refund'], channels: ['pc_1', 'pc_2'] };
      const { text } = await holder.key({ apis: ['payments', 'disputes'], ...settings });
      expect([await api.ask(lost, text), await api.ask(kept, text)]).toEqual([OK, OK]);
      await at.management.accounts.put(OPERATOR, holder.id, loss);
      expect([await api.ask(lost, text), await api.ask(kept, text)]).toEqual([answer, still]);
      const { apis, scopes, channels } = await at.management.accounts.view(holder.id);
      expect({ apis, scopes, channels }).toMatchObject(loss);
    });

    it("a key with 'all' keeps what the account still has", async () => {
      const holder = await at.account();
      const { text } = await holder.key({ apis: 'all' });
      expect([await api.ask('/payments', text), await api.ask('/disputes', text)]).toEqual([OK, OK]);
      await at.management.accounts.put(OPERATOR, holder.id, { apis: ['disputes'] });
      expect([await api.ask('/payments', text), await api.ask('/disputes', text)]).toEqual([S3, OK]);
      await at.management.accounts.put(OPERATOR, holder.id, { apis: ['disputes', 'payments'] });
      expect([await api.ask('/payments', text), await api.ask('/disputes', text)]).toEqual([OK, OK]);
    });

    it('the scope of a token, obtained before and after', async () => {
      const holder = await at.account();
      const { key, text } = await holder.accessKey(['payments', 'payments:refund']);
      const { token } = await api.obtainToken(key.id, text);
      expect(await api.ask('/refunds', token)).toEqual(OK);
      await at.management.accounts.put(OPERATOR, holder.id, { scopes: ['payments'] });
      expect(await api.ask('/refunds', token)).toEqual(lacking('payments:refund'));
      expect(await api.obtainToken(key.id, text)).toMatchObject({ status: 200, scope: 'payments' });
    });

    it('its only channel, on a platform: the key is refused, without an error', async () => {
      const holder = await at.account();
      const { text } = await holder.key({ platform: 'shop', channels: ['pc_1'] });
      expect(await api.ask('/payments', text)).toEqual(OK);
      await at.management.accounts.put(OPERATOR, holder.id, { channels: ['pc_2'] });
      expect(await api.ask('/payments', text)).toEqual(T1);
    });

    it('everything while the account is disabled', async () => {
      const holder = await at.account();
      const [{ text }, access] = [await holder.key(), await holder.accessKey()];
      const { token } = await api.obtainToken(access.key.id, access.text);
      expect([await api.ask('/payments', text), await api.ask('/payments', token)]).toEqual([OK, OK]);
      await at.management.accounts.setDisabled(OPERATOR, holder.id, true);
      expect([await api.ask('/payments', text), await api.ask('/payments', token)]).toEqual([T1, T1]);
      expect(await api.obtainToken(access.key.id, access.text)).toMatchObject({ status: 401, error: 'invalid_client' });
      await at.management.accounts.setDisabled(OPERATOR, holder.id, false);
      expect([await api.ask('/payments', text), await api.ask('/payments', token)]).toEqual([OK, OK]);
    });
  });
});

describe.each(sharedEngines)('on %s, at another instance', (engine) => {
  const at = managed(engine);
  let api: ManagedApi;

  beforeAll(async () => {
    api = await serveManaged(await at.another(), at.clock);
  });

  afterAll(() => api.close());

  it('S07 an Owner removes payments from a key that another instance has cached: within the time limit', async () => {
    const holder = await at.account();
    const { key, text } = await holder.key({ apis: ['payments', 'disputes'] });
    expect(await api.ask('/payments', text)).toEqual(OK);
    await at.management.keys.edit(holder.owner, key.id, { version: 1, apis: ['disputes'] });
    await eventually(async () => (await api.status('/payments', text)) === 403);
    expect([await api.ask('/payments', text), await api.ask('/disputes', text)]).toEqual([S3, OK]);
  });

  it('P21 a secret whose grace period was ended at another instance: within the time limit', async () => {
    const holder = await at.account();
    const { key, text: old } = await holder.key();
    const { secret: text } = await at.management.keys.rotate(holder.owner, key.id, 60);
    expect([await api.ask('/payments', old), await api.ask('/payments', String(text))]).toEqual([OK, OK]);
    await at.management.keys.endGrace(holder.owner, key.id);
    await eventually(async () => (await api.status('/payments', old)) === 401);
    expect([await api.ask('/payments', old), await api.ask('/payments', String(text))]).toEqual([T1, OK]);
  });
});
