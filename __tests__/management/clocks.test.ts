import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createManagement, type Management } from 'keyward/management';
import { type Holder, managed } from '../support/managed.js';
import { type ManagedApi, serveManaged } from '../support/managed-api.js';
import { eventually } from '../support/store-wait.js';
import { type EngineName, engines } from '../support/test-stores.js';

const HOUR = 3_600;

/** Milliseconds by which the manager's clock is ahead of those of the gate and of the token endpoint. */
const SKEWS = [120_000, 3_600_000, -120_000];

describe.each(engines)('on %s', (engine: EngineName) => {
  const at = managed(engine);
  let api: ManagedApi;
  let management: Management;
  let skew = 0;

  beforeAll(async () => {
    const clock = { now: () => at.clock.now() + skew, monotonic: () => at.clock.monotonic() };
    management = createManagement({ store: at.store, clock });
    // Another process, where the engine can have one.
    api = await serveManaged(engine === 'memory' ? at.store : await at.another(), at.clock);
  });

  afterAll(() => api.close());

  const isRefused = (credential: string) =>
    eventually(async () => (await api.status('/payments', credential)) === 401).then(() => true);
  const obtainsToken = async (id: string, secret: string | undefined) =>
    (await api.obtainToken(id, String(secret))).status === 200;

  async function rotated(holder: Holder, grace: number) {
    const { key, text } = await holder.key();
    expect(await api.status('/payments', text)).toBe(200);
    skew = 0;
    const { secret: young } = await management.keys.rotate(holder.owner, key.id, grace);
    return { key, old: text, young: String(young) };
  }

  it('tokens are revoked at the time of the database, whatever the clock of the manager', async () => {
    const holder = await at.account();
    const { key } = await holder.accessKey();
    const now = () => at.store.repository.transact((tx) => tx.now());
    const before = await now();
    skew = before + 24 * HOUR * 1_000 - at.clock.now();
    await management.accessKeys.edit(holder.owner, key.id, { version: 1, revokeTokens: true });
    // A later time would revoke tokens that other issuers issue until then.
    const revokedAt = Number((await at.store.resolveAccessKey(key.id))?.tokensNotBefore);
    expect(revokedAt).toBeGreaterThanOrEqual(before);
    expect(revokedAt).toBeLessThanOrEqual(await now());
  });

  describe.each(SKEWS)('a manager whose clock is %d ms ahead', (ahead) => {
    it('N20 rotates without a grace period', async () => {
      const holder = await at.account();
      const { key, text } = await holder.key();
      expect(await api.status('/payments', text)).toBe(200);
      skew = ahead;
      const { secret: young } = await management.keys.rotate(holder.owner, key.id);
      expect(await isRefused(text)).toBe(true);
      expect(await api.status('/payments', String(young))).toBe(200);
    });

    it.each([60, HOUR, 24 * HOUR])('N20 ends a grace period of %d s', async (grace) => {
      const holder = await at.account();
      const { key, old, young } = await rotated(holder, grace);
      expect(await api.status('/payments', old)).toBe(200);
      skew = ahead;
      await management.keys.endGrace(holder.owner, key.id);
      expect(await isRefused(old)).toBe(true);
      expect(await api.status('/payments', young)).toBe(200);
    });

    it('N20 ends the grace period of a key that is rotated again', async () => {
      const holder = await at.account();
      const { key, old, young } = await rotated(holder, 60);
      skew = ahead;
      await management.keys.rotate(holder.owner, key.id, 10 * HOUR);
      expect(await isRefused(old)).toBe(true);
      expect(await api.status('/payments', young)).toBe(200);
    });

    it('N20 deletes a secret, also one in its grace period', async () => {
      const holder = await at.account();
      const { key, text: first } = await holder.accessKey();
      const { key: two, secret: second } = await management.accessKeys.addSecret(holder.owner, key.id);
      skew = ahead;
      await management.accessKeys.deleteSecret(holder.owner, key.id, two.secrets[1]?.id ?? '');
      await eventually(async () => !(await obtainsToken(key.id, first)));
      expect(await obtainsToken(key.id, second)).toBe(true);
      skew = 0;
      const { key: rotated, secret: third } = await management.accessKeys.rotate(holder.owner, key.id, 60);
      skew = ahead;
      await management.accessKeys.deleteSecret(holder.owner, key.id, rotated.secrets[1]?.id ?? '');
      expect([await obtainsToken(key.id, second), await obtainsToken(key.id, third)]).toEqual([false, true]);
    });

    it('N20 revokes tokens: those issued before are refused, the next one is accepted', async () => {
      const holder = await at.account();
      const { key, text } = await holder.accessKey();
      let version = 1;
      let { token } = await api.obtainToken(key.id, text);
      expect(await api.status('/payments', token)).toBe(200);
      // Twice in one instant: each ends the tokens of before.
      for (const _round of [1, 2]) {
        skew = ahead;
        ({ version } = await management.accessKeys.edit(holder.owner, key.id, { version, revokeTokens: true }));
        expect(await isRefused(token)).toBe(true);
        ({ token } = await api.obtainToken(key.id, text));
        expect(await api.status('/payments', token)).toBe(200);
      }
    });

    it('N20 disables, enables and revokes', async () => {
      const holder = await at.account();
      const [one, other] = [await holder.key(), await holder.key()];
      for (const { text } of [one, other]) expect(await api.status('/payments', text)).toBe(200);
      skew = ahead;
      await management.keys.revoke(holder.owner, one.key.id);
      await management.keys.edit(holder.owner, other.key.id, { version: 1, disabled: true });
      expect([await isRefused(one.text), await isRefused(other.text)]).toEqual([true, true]);
      await management.keys.edit(holder.owner, other.key.id, { version: 2, disabled: false });
      await eventually(async () => (await api.status('/payments', other.text)) === 200);
    });
  });
});
