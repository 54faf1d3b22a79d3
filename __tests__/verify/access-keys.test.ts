import { beforeEach, describe, expect, it } from '@jest/globals';
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

describe('a token whose access key holds', () => {
  it('acts for its account, by its channels, on its platform', async () => {
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

  it('has every channel where the record names none', async () => {
    expect(await ask(store.verifier(), tokenOf())).toEqual(accepted({ channels: 'all', platform: undefined }));
  });

  it('holds no scope that the access key has not, in the order of the token', async () => {
    store.put({ ...ACCESS_KEY, scopes: ['disputes', 'payments'] });
    const token = tokenOf({ scope: 'payments:refund payments vault disputes' });
    const outcome = await ask(store.verifier(), token);
    expect(outcome).toEqual(accepted({ scopes: ['payments', 'disputes'], apis: ['payments', 'disputes'] }));
  });

  it('holds no scope that the token does not say, though the access key has it', async () => {
    expect(await ask(store.verifier(), tokenOf({ scope: '' }))).toEqual(accepted({ scopes: [], apis: [] }));
  });
});

describe('a token whose access key does not hold', () => {
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
    expect(store.lookUps()).toBe(1);
  });

  it.each([
    ['issued a second before tokensNotBefore', at(1), refused('token_superseded')],
    ['issued a millisecond before', new Date(NOW * 1_000 + 1), refused('token_superseded')],
    ['issued at that instant', at(0), accepted()],
  ])('dies by its time: %s', async (_name, tokensNotBefore, expected) => {
    store.put({ ...ACCESS_KEY, tokensNotBefore });
    expect(await ask(store.verifier(), tokenOf())).toEqual(expected);
  });

  it('dies by its time where a foreign token does not say when it was issued', async () => {
    store.put({ ...ACCESS_KEY, tokensNotBefore: new Date(1) });
    const token = tokenOf({ iat: undefined });
    expect(await ask(store.verifier({ profile: 'jwt' }), token)).toEqual(refused('token_superseded'));
    store.put(ACCESS_KEY);
    expect(await ask(store.verifier({ profile: 'jwt' }), token)).toEqual(accepted());
  });

  it.each([
    ['live', accepted({ environment: 'live' })],
    ['sandbox', refused('other_environment')],
    [undefined, accepted({ environment: 'live' })],
  ] as const)('is refused in another environment: the verifier is of %s', async (environment, expected) => {
    expect(await ask(store.verifier({ environment }), tokenOf())).toEqual(expected);
  });

  it('is not looked up before its signature was verified', async () => {
    expect(await ask(store.verifier(), forge({ ...createKey('ES256'), kid: 'ours' }))).toMatchObject({
      reason: 'token_signature',
    });
    expect(store.lookUps()).toBe(0);
  });
});

describe('a record that breaks a rule', () => {
  it.each<[string, unknown, string]>([
    ['another id', { ...ACCESS_KEY, id: 'ack_other' }, 'RecordFault: id: not that of the token'],
    ['no account', { ...ACCESS_KEY, account: '' }, 'RecordFault: account: expected a text'],
    ['scopes that are a text', { ...ACCESS_KEY, scopes: 'payments' }, 'RecordFault: scopes: expected a list of names'],
    ['no record', true, 'RecordFault: expected a record'],
  ])('is not believed: %s', async (_name, value, detail) => {
    store.put(value);
    const events = eavesdrop();
    expect(await ask(store.verifier(), tokenOf())).toEqual(unavailable('look_up_record_invalid'));
    const failure = { of: 'accessKeys', reason: 'record_invalid', detail };
    expect(events.heard('keyward:look-up-failure')).toEqual([failure]);
    events.stop();
  });
});
