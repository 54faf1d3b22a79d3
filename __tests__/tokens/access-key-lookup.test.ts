import assert from 'node:assert/strict';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AccessKeyResolver } from 'keyward';
import {
  ACCESS_KEY,
  type AccessKeyStore,
  accepted,
  ask,
  createAccessKeyStore,
  refused,
  unavailable,
} from '../support/access-key-store.js';
import { eavesdrop } from '../support/eavesdrop.js';
import { createKey, forge, type Members, NOW } from '../support/token-forge.js';

let store: AccessKeyStore;
beforeEach(() => {
  store = createAccessKeyStore();
});

const at = (seconds: number) => new Date((NOW + seconds) * 1_000);
const tokenOf = (claims: Members = {}) => forge(store.key, claims);

describe('a token whose access key is valid', () => {
  it('has the account, channels and platform of the access key', async () => {
    store.put({ ...ACCESS_KEY, channels: ['pc_1'], platform: 'shop', environment: 'sandbox' });
    const principal = {
      keyId: ACCESS_KEY.id,
      account: 'acc_1',
      environment: 'sandbox',
      channels: ['pc_1'],
      platform: 'shop',
    };
    expect(await ask(store.verifier(), tokenOf())).toEqual(accepted(principal));
    expect(store.resolveAccessKey).toHaveBeenCalledWith(ACCESS_KEY.id);
  });

  it('has every channel if the record names none', async () => {
    expect(await ask(store.verifier(), tokenOf())).toEqual(accepted({ channels: 'all', platform: undefined }));
  });

  it('has only scopes of the access key, in the order of the token', async () => {
    store.put({ ...ACCESS_KEY, scopes: ['disputes', 'payments'] });
    const token = tokenOf({ scope: 'payments:refund payments vault disputes' });
    const outcome = await ask(store.verifier(), token);
    expect(outcome).toEqual(accepted({ scopes: ['payments', 'disputes'], apis: ['payments', 'disputes'] }));
  });

  it('has no scope that is not in the token, even if the access key has it', async () => {
    expect(await ask(store.verifier(), tokenOf({ scope: '' }))).toEqual(accepted({ scopes: [], apis: [] }));
  });
});

describe('a token whose access key is not valid', () => {
  it.each<[string, unknown, string]>([
    ['unknown: null', null, 'unknown'],
    ['unknown: undefined', undefined, 'unknown'],
    ['revoked', { ...ACCESS_KEY, revokedAt: at(0) }, 'revoked'],
    ['expired', { ...ACCESS_KEY, expiresAt: at(0) }, 'expired'],
    ['disabled', { ...ACCESS_KEY, disabled: true }, 'disabled'],
  ])('is refused: %s', async (_name, value, reason) => {
    store.put(value);
    expect(await ask(store.verifier(), tokenOf())).toEqual(refused(reason));
  });

  it.each(['revokedAt', 'expiresAt'] as const)('is refused from %s on, cached or not', async (field) => {
    store.put({ ...ACCESS_KEY, [field]: at(5) });
    const verifier = store.verifier();
    const [cached, fresh] = [tokenOf({ jti: 'cached' }), tokenOf({ jti: 'fresh' })];
    expect(await ask(verifier, cached)).toEqual(accepted());
    store.clock.advance(5 * 1_000 - 1);
    expect(await ask(verifier, cached)).toEqual(accepted());
    store.clock.advance(1);
    const reason = field === 'revokedAt' ? 'revoked' : 'expired';
    expect([await ask(verifier, cached), await ask(verifier, fresh)]).toEqual([refused(reason), refused(reason)]);
    expect(store.lookups()).toBe(1);
  });

  it.each([
    ['issued a second before tokensNotBefore', at(1), refused('token_superseded')],
    ['issued a millisecond before', new Date(NOW * 1_000 + 1), refused('token_superseded')],
    ['issued at that instant', at(0), accepted()],
  ])('is refused because of tokensNotBefore: %s', async (_name, tokensNotBefore, expected) => {
    store.put({ ...ACCESS_KEY, tokensNotBefore });
    expect(await ask(store.verifier(), tokenOf())).toEqual(expected);
  });

  it('is refused because of tokensNotBefore if a foreign token has no iat', async () => {
    store.put({ ...ACCESS_KEY, tokensNotBefore: new Date(1) });
    const token = tokenOf({ iat: undefined });
    expect(await ask(store.verifier({ profile: 'jwt' }), token)).toEqual(refused('token_superseded'));
    store.put(ACCESS_KEY);
    expect(await ask(store.verifier({ profile: 'jwt' }), token)).toEqual(accepted());
  });

  it('is refused because of revokedTokens, but a foreign token without jti is not in any list', async () => {
    store.put({ ...ACCESS_KEY, revokedTokens: { has: () => true } });
    const verifier = store.verifier({ profile: 'jwt' });
    expect(await ask(verifier, tokenOf())).toEqual(refused('token_revoked'));
    expect(await ask(verifier, tokenOf({ jti: undefined }))).toEqual(accepted());
  });

  it.each([
    ['live', accepted({ environment: 'live' })],
    ['sandbox', refused('other_environment')],
    [undefined, accepted({ environment: 'live' })],
  ] as const)('is refused in another environment: the verifier is of %s', async (environment, expected) => {
    expect(await ask(store.verifier({ environment }), tokenOf())).toEqual(expected);
  });

  it('is looked up only after its signature was verified', async () => {
    expect(await ask(store.verifier(), forge({ ...createKey('ES256'), kid: 'ours' }))).toMatchObject({
      reason: 'token_signature',
    });
    expect(store.lookups()).toBe(0);
  });
});

describe('an access key that expired', () => {
  it('is looked up again if the wall clock is set back before its expiry', async () => {
    store.put({ ...ACCESS_KEY, expiresAt: at(5) });
    const verifier = store.verifier();
    expect(await ask(verifier, tokenOf())).toEqual(accepted());
    store.clock.advance(10_000);
    expect(await ask(verifier, tokenOf())).toEqual(refused('expired'));
    store.clock.setWall(-6_000);
    expect([await ask(verifier, tokenOf()), store.lookups()]).toEqual([accepted(), 3]);
  });
});

describe('a callback of the resolver that fails', () => {
  it.each([
    ['watch', 'rejected', { watch: () => Promise.reject(new Error('no feed')) }],
    ['usageOf', 'threw', { usageOf: () => assert.fail('no counter') }],
  ])('%s: an event names it, and tokens are accepted', async (callback, reason, members) => {
    const events = eavesdrop();
    const accessKeys = { resolveAccessKey: store.resolveAccessKey, ...members } as AccessKeyResolver;
    expect(await ask(store.verifier({ accessKeys }), tokenOf())).toEqual(accepted());
    events.stop();
    expect(events.heard('keyward:callback-failure')).toMatchObject([{ of: 'accessKeys', callback, reason }]);
  });
});

describe('a record that breaks a rule', () => {
  it.each<[string, unknown, string]>([
    [
      'another id',
      { ...ACCESS_KEY, id: 'ack_other' },
      'id: resolveAccessKey returned a record whose ID is not the client ID of the token',
    ],
    ['no account', { ...ACCESS_KEY, account: '' }, 'account: expected a non-empty string'],
    [
      'scopes that are a text',
      { ...ACCESS_KEY, scopes: 'payments' },
      'scopes: expected a list of scopes that consist of ASCII characters other than spaces, double quotes and backslashes',
    ],
    ['no record', true, 'the record is not an object; return an object, or null or undefined if there is no record'],
  ])('is refused: %s', async (_name, value, detail) => {
    store.put(value);
    const events = eavesdrop();
    expect(await ask(store.verifier(), tokenOf())).toEqual(unavailable('lookup_record_invalid'));
    const failure = { of: 'accessKeys', reason: 'record_invalid', detail, where: expect.any(Array) };
    expect(events.heard('keyward:lookup-failure')).toEqual([failure]);
    events.stop();
  });
});
