import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import type { TokenDecision } from 'keyward/issuer';
import type { CredentialStore } from 'keyward/store';
import { T1 } from '../support/answers.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { type Client, type IssuingStore, issuingStore } from '../support/issuing-store.js';
import { backUp } from '../support/store-backup.js';
import { onDatabase } from '../support/store-database.js';
import { feedOf, makeStores, type Stores } from '../support/store-places.js';
import { eventually } from '../support/store-wait.js';
import { engines, sharedEngines } from '../support/test-stores.js';
import { ACCEPTED, refusal } from '../support/token-api.js';

const REVOKED = refusal(T1, 'token_revoked');
const HOUR = 3_600_000;

let stores: Stores;
let store: CredentialStore;
let issuer: IssuingStore;
let shop: Client;
let events: Eavesdropper | undefined;

async function start(engine: (typeof engines)[number]) {
  stores = await makeStores(engine);
  store = await stores.open();
  issuer = await issuingStore(store);
  shop = await issuer.client('ack_shop');
}

afterEach(async () => {
  events?.stop();
  await issuer.close();
  await stores.close();
});

const revokedTokens = async () =>
  (await store.resolveAccessKey('ack_shop'))?.revokedTokens as ReadonlyMap<string, number> | undefined;

describe.each(engines)('the revocation endpoint over a store in %s', (engine) => {
  beforeEach(() => start(engine));

  it('I10 an own token is refused in this process immediately, and other tokens of the client stay valid', async () => {
    const api = await issuer.apiOf(store);
    const [token, other] = [await issuer.obtain(shop), await issuer.obtain(shop)];
    expect(await api.judge(token)).toEqual(ACCEPTED);
    expect(await api.judge(other)).toEqual(ACCEPTED);
    expect(await issuer.revoke(shop, token)).toBe(200);
    expect(await api.judge(token)).toEqual(REVOKED);
    expect(await api.judge(other)).toEqual(ACCEPTED);
    expect(await issuer.revoke(shop, token)).toBe(200);
  });

  it('I10 a revoked token that was never presented is refused too', async () => {
    const api = await issuer.apiOf(store);
    const token = await issuer.obtain(shop);
    await issuer.revoke(shop, token);
    expect(await api.judge(token)).toEqual(REVOKED);
  });

  it.each([
    ['a minute before it expires', HOUR - 60_000],
    ['an hour after it expired by the clock of the issuer, which may be ahead', 2 * HOUR],
  ])('stores a token that is revoked %s', async (_what, age) => {
    const api = await issuer.apiOf(store);
    const token = await issuer.obtain(shop);
    issuer.clock.setWall(age);
    expect(await issuer.revoke(shop, token)).toBe(200);
    issuer.clock.setWall(-age);
    expect(await api.judge(token)).toEqual(REVOKED);
  });

  it.each([1_000, 600_000])('stores a token of an instance whose clock is %d ms ahead', async (ahead) => {
    const token = await issuer.obtain(shop);
    issuer.clock.setWall(-ahead);
    expect(await issuer.revoke(shop, token)).toBe(200);
    expect((await revokedTokens())?.size).toBe(1);
  });

  it('I10 the token of another client is 400 unauthorized_client, and stays valid', async () => {
    const api = await issuer.apiOf(store);
    const token = await issuer.obtain(shop);
    const thief = await issuer.client('ack_thief');
    const { status, body } = await issuer.post('/connect/revocation', thief, { token });
    expect([status, body.error]).toEqual([400, 'unauthorized_client']);
    expect(await api.judge(token)).toEqual(ACCEPTED);
  });

  it('I10 unknown, malformed and expired tokens are 200, whatever the hint', async () => {
    const token = await issuer.obtain(shop);
    for (const text of ['unknown', 'a.b.c', `${token}A`]) expect(await issuer.revoke(shop, text)).toBe(200);
    const hinted = await issuer.post('/connect/revocation', shop, { token, token_type_hint: 'refresh_token' });
    expect([hinted.status, hinted.body]).toEqual([200, {}]);
    expect((await revokedTokens())?.has(String(decodeJwt(token).jti))).toBe(true);
    const late = await issuer.obtain(shop);
    issuer.clock.advance(2 * HOUR);
    expect(await issuer.revoke(shop, late)).toBe(200);
  });

  it('I10 no token is invalid_request; a wrong secret is invalid_client, and the token stays valid', async () => {
    const api = await issuer.apiOf(store);
    const token = await issuer.obtain(shop);
    const { status, body } = await issuer.post('/connect/revocation', shop, {});
    expect([status, body.error]).toEqual([400, 'invalid_request']);
    expect(await issuer.revoke({ ...shop, secret: 'wrong' }, token)).toBe(401);
    expect(await api.judge(token)).toEqual(ACCEPTED);
  });

  it('I10 it publishes an event without the token', async () => {
    const token = await issuer.obtain(shop);
    events = eavesdrop();
    await issuer.revoke(shop, token);
    const heard = events.heard<TokenDecision>('keyward:token');
    expect(heard).toMatchObject([{ endpoint: 'revocation', outcome: 'revoked', status: 200, clientId: 'ack_shop' }]);
    expect(heard).toMatchObject([{ authentication: 'basic' }]);
    expect(JSON.stringify(heard)).not.toContain(String(decodeJwt(token).jti));
  });

  it('I10 while the store cannot write it is 503, and the client may try again', async () => {
    let isAway = true;
    const accessKeys = {
      resolveAccessKey: store.resolveAccessKey,
      revokeToken: async (...given: Parameters<CredentialStore['revokeToken']>) => {
        if (isAway) throw new Error('away');
        await store.revokeToken(...given);
      },
    };
    const other = await issuingStore(store, { accessKeys });
    const token = await other.obtain(shop);
    const { status, headers } = await other.post('/connect/revocation', shop, { token });
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    isAway = false;
    expect(await other.revoke(shop, token)).toBe(200);
    await other.close();
  });

  it('I11 expired revocations are deleted by later ones', async () => {
    const past = new Date(Date.now() - 9 * 60_000);
    const longPast = new Date(Date.now() - 24 * HOUR);
    await store.revokeToken('ack_shop', 'expired', past);
    await store.revokeToken('ack_shop', 'long expired', longPast);
    await store.revokeToken('ack_shop', 'good', new Date(Date.now() + HOUR));
    expect([...((await revokedTokens())?.keys() ?? [])]).toEqual(['expired', 'good']);
  });

  it('I11 a jti that is not a string of 1 to 256 characters, and an invalid date, are a TypeError', async () => {
    const date = new Date(Date.now() + HOUR);
    await expect(store.revokeToken('ack_shop', '', date)).rejects.toThrow(TypeError);
    await expect(store.revokeToken('ack_shop', 'x'.repeat(257), date)).rejects.toThrow(TypeError);
    await expect(store.revokeToken('ack_shop', 'x', new Date(Number.NaN))).rejects.toThrow(TypeError);
    await expect(store.revokeToken('ack_none', 'x', date)).resolves.toBeUndefined();
  });
});

describe.each(sharedEngines)('revoked tokens in %s', (engine) => {
  beforeEach(() => start(engine));

  /** Writes many at once, as if they had been revoked one by one. */
  async function revokeMany(count: number, expiry = Date.now() + HOUR): Promise<void> {
    const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`;
    await onDatabase(
      stores.url,
      `insert into revoked_tokens (key_id, jti, number, expires_at)
       select 'ack_shop', 'jti-' || i, i, ${expiry} from (${numbers} select i from n) as many`,
      `update keys set tokens_revoked = ${count} where id = 'ack_shop'`,
    );
  }

  it('I10 a token that was revoked in one process is refused in another', async () => {
    const elsewhere = await stores.open();
    await feedOf(elsewhere);
    const api = await issuer.apiOf(elsewhere);
    const token = await issuer.obtain(shop);
    expect(await api.judge(token)).toEqual(ACCEPTED);
    await issuer.revoke(shop, token);
    const isDead = async () => (await api.judge(token)).status === 401;
    await eventually(isDead);
    expect(await api.judge(token)).toEqual(REVOKED);
  });

  it('I11 a process reads each revocation once, however many there are', async () => {
    await revokeMany(10_000);
    const first = await revokedTokens();
    expect(first?.size).toBe(10_000);
    expect(await revokedTokens()).toBe(first);
    // What is gone from the table is not read again: only a new one is.
    await onDatabase(stores.url, `delete from revoked_tokens where jti = 'jti-1'`);
    await store.revokeToken('ack_shop', 'another', new Date(Date.now() + HOUR));
    expect(await revokedTokens()).toBe(first);
    expect([first?.size, first?.has('jti-1'), first?.has('another')]).toEqual([10_001, true, true]);
  });

  it('I11 beyond 100,000 of one access key there is a clear error, and other access keys are not affected', async () => {
    await revokeMany(100_000);
    const soon = new Date(Date.now() + HOUR);
    await expect(store.revokeToken('ack_shop', 'one too many', soon)).rejects.toMatchObject({
      code: 'too_many_revoked_tokens',
      message: expect.stringContaining('access key ack_shop has 100000 revoked tokens, which is the maximum; '),
    });
    expect((await revokedTokens())?.has('one too many')).toBe(false);
    const other = await issuer.client('ack_other');
    await expect(store.revokeToken(other.id, 'x', soon)).resolves.toBeUndefined();
    const { status } = await issuer.post('/connect/revocation', shop, { token: await issuer.obtain(shop) });
    expect(status).toBe(503);
  });

  it('those from before all tokens were revoked at once do not count, and stay revoked', async () => {
    await revokeMany(100_000);
    const edit = async (columns: { readonly name?: string; readonly tokens_not_before: number }) => {
      const version = (await store.repository.key('ack_shop'))?.key.version ?? 0;
      await store.repository.transact((tx) => tx.updateKey('ack_shop', version, columns));
    };
    const [now, soon] = [Date.now(), new Date(Date.now() + HOUR)];
    await edit({ tokens_not_before: now });
    await expect(store.revokeToken('ack_shop', 'one more', soon)).resolves.toBeUndefined();
    const tokens = await revokedTokens();
    expect([tokens?.has('jti-1'), tokens?.has('one more')]).toEqual([true, true]);
    await edit({ name: 'Shop', tokens_not_before: now });
    const superseded = await onDatabase(stores.url, `select tokens_superseded from keys where id = 'ack_shop'`);
    expect(superseded.map((row) => Number(row.tokens_superseded))).toEqual([100_000]);
  });

  it('expired ones that are not deleted yet do not count', async () => {
    const other = await issuer.client('ack_other');
    const [older, expired] = [Date.now() - 2 * HOUR, Date.now() - HOUR];
    await revokeMany(100_000, expired);
    // Each revocation deletes about 1,000 that have expired, the oldest first: here those of another access key.
    await onDatabase(
      stores.url,
      `insert into revoked_tokens (key_id, jti, number, expires_at)
       select '${other.id}', jti, number, ${older} from revoked_tokens where number <= 3000`,
    );
    await expect(store.revokeToken('ack_shop', 'one more', new Date(Date.now() + HOUR))).resolves.toBeUndefined();
    expect((await revokedTokens())?.has('one more')).toBe(true);
  });

  it('I12 it is still refused after a restart', async () => {
    const token = await issuer.obtain(shop);
    await issuer.revoke(shop, token);
    await store.close();
    const api = await issuer.apiOf(await stores.open());
    expect(await api.judge(token)).toEqual(REVOKED);
  });

  it('I12 an older backup is restored: caches are dropped, and it stays refused where its revocation was known', async () => {
    await feedOf(store);
    const api = await issuer.apiOf(store);
    const [token, later] = [await issuer.obtain(shop), await issuer.obtain(shop)];
    const backup = await backUp(stores.url);
    await issuer.revoke(shop, token);
    expect(await api.judge(token)).toEqual(REVOKED);
    const heard = await feedOf(store);
    await backup.restore();
    await eventually(() => heard.changes.includes('all'));
    expect(await api.judge(token)).toEqual(REVOKED);
    expect(await api.judge(later)).toEqual(ACCEPTED);
    // The numbers begin anew there, and what is revoked now is read all the same.
    await issuer.revoke(shop, later);
    await eventually(async () => (await api.judge(later)).status === 401);
    expect(await api.judge(token)).toEqual(REVOKED);
  });
});
