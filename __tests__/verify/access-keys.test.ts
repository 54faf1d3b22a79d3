import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type AccessKeyRecord, type AccessTokensOptions, accessTokens, type FeedListener } from 'keyward';
import { PresentedCredential } from '../../lib/verify/presented-credential.js';
import { deferred } from '../support/deferred.js';
import { eavesdrop } from '../support/eavesdrop.js';
import { createManualClock, type ManualClock } from '../support/manual-clock.js';
import { AUDIENCE, createKey, forge, ISSUER, jwksOf, type Members, NOW } from '../support/token-forge.js';

const key = createKey('ES256', 'ours');
const checks = jest.spyOn(crypto.subtle, 'verify');
const ID = 'ack_forged';
const SECOND = 1_000;

const good: AccessKeyRecord = {
  ...{ id: ID, account: 'acc_1', environment: 'live', secrets: [] },
  ...{ scopes: ['payments', 'payments:refund', 'disputes'], defaultScopes: ['payments'] },
};

let clock: ManualClock;
let record: unknown;
const resolveAccessKey = jest.fn(async (_id: string): Promise<AccessKeyRecord | null | undefined> => record as never);

beforeEach(() => {
  clock = createManualClock();
  record = good;
  checks.mockClear();
  resolveAccessKey.mockReset().mockImplementation(async () => record as never);
});

const lookUps = () => resolveAccessKey.mock.calls.length;
const at = (seconds: number) => new Date((NOW + seconds) * SECOND);

const verifierOf = (options: Partial<AccessTokensOptions> = {}) =>
  accessTokens({
    ...{ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(key), clock, accessKeys: { resolveAccessKey } },
    ...options,
  });

const tokenOf = (claims: Members = {}) => forge(key, claims);

/** As a gate asks: memory first. */
async function ask(verifier: ReturnType<typeof verifierOf>, token: string) {
  const credential = new PresentedCredential(token);
  const principal = verifier.recall?.(credential);
  return principal === undefined ? verifier.verify(credential) : { outcome: 'accepted', principal };
}

const refused = (reason: string) => ({ outcome: 'refused', reason, keyId: ID });
const accepted = (principal: object = {}) => ({ outcome: 'accepted', principal: expect.objectContaining(principal) });
const unavailable = (reason: string) => ({ outcome: 'unavailable', reason });

describe('a token whose access key holds', () => {
  it('acts for its account, by its channels, on its platform', async () => {
    record = { ...good, channels: ['pc_1'], platform: 'shop', environment: 'sandbox' };
    const principal = { keyId: ID, account: 'acc_1', environment: 'sandbox', channels: ['pc_1'], platform: 'shop' };
    expect(await ask(verifierOf(), tokenOf())).toEqual(accepted(principal));
    expect(resolveAccessKey).toHaveBeenCalledWith(ID);
  });

  it('has every channel where the record names none', async () => {
    expect(await ask(verifierOf(), tokenOf())).toEqual(accepted({ channels: 'all', platform: undefined }));
  });

  it('holds no scope that the access key has not, in the order of the token', async () => {
    record = { ...good, scopes: ['disputes', 'payments'] };
    const token = tokenOf({ scope: 'payments:refund payments vault disputes' });
    const outcome = await ask(verifierOf(), token);
    expect(outcome).toEqual(accepted({ scopes: ['payments', 'disputes'], apis: ['payments', 'disputes'] }));
  });

  it('holds no scope that the token does not say, though the access key has it', async () => {
    expect(await ask(verifierOf(), tokenOf({ scope: '' }))).toEqual(accepted({ scopes: [], apis: [] }));
  });
});

describe('a token whose access key does not hold', () => {
  it.each<[string, unknown, string]>([
    ['unknown: null', null, 'unknown'],
    ['unknown: undefined', undefined, 'unknown'],
    ['revoked', { ...good, revokedAt: at(0) }, 'revoked'],
    ['expired', { ...good, expiresAt: at(0) }, 'expired'],
    ['disabled', { ...good, disabled: true }, 'disabled'],
  ])('is refused: %s', async (_name, value, reason) => {
    record = value;
    expect(await ask(verifierOf(), tokenOf())).toEqual(refused(reason));
  });

  it.each(['revokedAt', 'expiresAt'] as const)('is refused from %s on, cached or not', async (field) => {
    record = { ...good, [field]: at(5) };
    const verifier = verifierOf();
    const [cached, fresh] = [tokenOf({ jti: 'cached' }), tokenOf({ jti: 'fresh' })];
    expect(await ask(verifier, cached)).toEqual(accepted());
    clock.advance(5 * SECOND - 1);
    expect(await ask(verifier, cached)).toEqual(accepted());
    clock.advance(1);
    const reason = field === 'revokedAt' ? 'revoked' : 'expired';
    expect([await ask(verifier, cached), await ask(verifier, fresh)]).toEqual([refused(reason), refused(reason)]);
    expect(lookUps()).toBe(1);
  });

  it.each([
    ['issued a second before tokensNotBefore', at(1), refused('token_superseded')],
    ['issued a millisecond before', new Date(NOW * SECOND + 1), refused('token_superseded')],
    ['issued at that instant', at(0), accepted()],
  ])('dies by its time: %s', async (_name, tokensNotBefore, expected) => {
    record = { ...good, tokensNotBefore };
    expect(await ask(verifierOf(), tokenOf())).toEqual(expected);
  });

  it('dies by its time where a foreign token does not say when it was issued', async () => {
    record = { ...good, tokensNotBefore: new Date(1) };
    const token = tokenOf({ iat: undefined });
    expect(await ask(verifierOf({ profile: 'jwt' }), token)).toEqual(refused('token_superseded'));
    record = good;
    expect(await ask(verifierOf({ profile: 'jwt' }), token)).toEqual(accepted());
  });

  it.each([
    ['live', accepted({ environment: 'live' })],
    ['sandbox', refused('other_environment')],
    [undefined, accepted({ environment: 'live' })],
  ] as const)('is refused in another environment: the verifier is of %s', async (environment, expected) => {
    expect(await ask(verifierOf({ environment }), tokenOf())).toEqual(expected);
  });

  it('is not looked up before its signature was verified', async () => {
    expect(await ask(verifierOf(), forge({ ...createKey('ES256'), kid: 'ours' }))).toMatchObject({
      reason: 'token_signature',
    });
    expect(lookUps()).toBe(0);
  });
});

describe('a record that breaks a rule', () => {
  it.each<[string, unknown, string]>([
    ['another id', { ...good, id: 'ack_other' }, 'RecordFault: id: not that of the token'],
    ['no account', { ...good, account: '' }, 'RecordFault: account: expected a text'],
    ['scopes that are a text', { ...good, scopes: 'payments' }, 'RecordFault: scopes: expected a list of names'],
    ['no record', true, 'RecordFault: expected a record'],
  ])('is not believed: %s', async (_name, value, detail) => {
    record = value;
    const events = eavesdrop();
    expect(await ask(verifierOf(), tokenOf())).toEqual(unavailable('look_up_record_invalid'));
    const failure = { of: 'accessKeys', reason: 'record_invalid', detail };
    expect(events.heard('keyward:look-up-failure')).toEqual([failure]);
    events.stop();
  });
});

describe('a resolver that fails', () => {
  it('leaves what was confirmed for 30 seconds, and then nobody can tell', async () => {
    const verifier = verifierOf();
    const token = tokenOf();
    await ask(verifier, token);
    resolveAccessKey.mockRejectedValue(new Error('no connection'));
    clock.advance(30 * SECOND);
    expect(await ask(verifier, token)).toEqual(accepted());
    clock.advance(1 * SECOND + 1);
    expect(await ask(verifier, token)).toEqual(unavailable('look_up_threw'));
    resolveAccessKey.mockImplementation(async () => good);
    expect(await ask(verifier, token)).toEqual(accepted());
  });

  it('has 100 look-ups under way at most', async () => {
    const answer = deferred<AccessKeyRecord | null>();
    resolveAccessKey.mockReturnValue(answer.promise);
    const verifier = verifierOf();
    const ids = Array.from({ length: 101 }, (_, i) => `ack_${i}`);
    const outcomes = ids.map(async (id) => ask(verifier, tokenOf({ sub: id, client_id: id })));
    const first = await Promise.race(outcomes);
    answer.resolve(null);
    expect([first, lookUps()]).toEqual([unavailable('look_up_too_many'), 100]);
    const settled = await Promise.all(outcomes);
    expect(settled.filter(({ outcome }) => outcome === 'refused').length).toBe(100);
  });
});

describe('look-ups', () => {
  it('are one for all tokens of an access key, at once or later', async () => {
    const verifier = verifierOf();
    const tokens = ['a', 'b', 'c'].map((jti) => tokenOf({ jti }));
    await Promise.all(tokens.slice(0, 2).map((token) => ask(verifier, token)));
    for (const token of tokens) expect(await ask(verifier, token)).toEqual(accepted());
    expect(lookUps()).toBe(1);
  });

  it('are made anew after ten seconds', async () => {
    const verifier = verifierOf();
    const token = tokenOf();
    await ask(verifier, token);
    clock.advance(10 * SECOND - 1);
    await ask(verifier, token);
    expect(lookUps()).toBe(1);
    record = { ...good, disabled: true };
    clock.advance(1);
    expect([await ask(verifier, token), lookUps()]).toEqual([refused('disabled'), 2]);
  });

  it('are not made for an unknown access key within a second', async () => {
    record = null;
    const verifier = verifierOf();
    await ask(verifier, tokenOf());
    clock.advance(SECOND - 1);
    expect([await ask(verifier, tokenOf()), lookUps()]).toEqual([refused('unknown'), 1]);
    record = good;
    clock.advance(1);
    expect([await ask(verifier, tokenOf()), lookUps()]).toEqual([accepted(), 2]);
  });

  it('are made for each request with cache: false', async () => {
    const verifier = verifierOf({ cache: false });
    const token = tokenOf();
    await ask(verifier, token);
    await ask(verifier, token);
    expect(lookUps()).toBe(2);
    record = null;
    expect(await ask(verifier, token)).toEqual(refused('unknown'));
  });
});

describe('a change that is told', () => {
  it.each([{ accessKey: ID }, { account: 'acc_1' }, 'all'] as const)(
    '%j: the next request asks again',
    async (change) => {
      const verifier = verifierOf();
      const token = tokenOf();
      await ask(verifier, token);
      record = { ...good, revokedAt: at(0) };
      verifier.invalidate(change);
      expect(await ask(verifier, token)).toEqual(refused('revoked'));
    },
  );

  it.each([{ accessKey: 'ack_other' }, { account: 'acc_2' }, { key: ID }])('%j: it is not meant', async (change) => {
    const verifier = verifierOf();
    const token = tokenOf();
    await ask(verifier, token);
    verifier.invalidate(change);
    expect([await ask(verifier, token), lookUps()]).toEqual([accepted(), 1]);
  });

  it('narrowed scopes: a cached token loses them, and its signature is not verified again', async () => {
    const verifier = verifierOf();
    const token = tokenOf({ scope: 'payments disputes' });
    expect(await ask(verifier, token)).toEqual(accepted({ scopes: ['payments', 'disputes'] }));
    record = { ...good, scopes: ['disputes'] };
    verifier.invalidate({ accessKey: ID });
    expect(await ask(verifier, token)).toEqual(accepted({ scopes: ['disputes'], apis: ['disputes'] }));
    expect(checks).toHaveBeenCalledTimes(1);
  });

  it('tokensNotBefore that was moved: cached tokens issued before it die, new ones live', async () => {
    const verifier = verifierOf();
    const [before, after] = [tokenOf({ jti: 'before' }), tokenOf({ jti: 'after', iat: NOW + 1 })];
    await ask(verifier, before);
    record = { ...good, tokensNotBefore: at(1) };
    verifier.invalidate({ accessKey: ID });
    expect(await ask(verifier, before)).toEqual(refused('token_superseded'));
    expect(await ask(verifier, after)).toEqual(accepted());
  });

  it('what another token of the access key brought to light counts for all of them', async () => {
    const verifier = verifierOf();
    const [first, second] = [tokenOf({ jti: 'first' }), tokenOf({ jti: 'second' })];
    await ask(verifier, first);
    record = { ...good, scopes: [] };
    clock.advance(10 * SECOND);
    await ask(verifier, second);
    expect(await ask(verifier, first)).toEqual(accepted({ scopes: [] }));
    expect(lookUps()).toBe(2);
  });

  it('revoked is final, whatever the record says later', async () => {
    record = { ...good, revokedAt: at(0) };
    const verifier = verifierOf();
    await ask(verifier, tokenOf());
    record = good;
    verifier.invalidate('all');
    clock.advance(60 * SECOND);
    expect(await ask(verifier, tokenOf())).toEqual(refused('revoked'));
  });
});

describe('a resolver with a feed', () => {
  let feed: FeedListener;
  const watched = () => {
    const watch = (listener: FeedListener) => {
      feed = listener;
      return () => {};
    };
    return verifierOf({ accessKeys: { resolveAccessKey, watch } });
  };

  it('is heard: the next request asks again', async () => {
    const verifier = watched();
    const token = tokenOf();
    await ask(verifier, token);
    record = null;
    feed.change({ accessKey: ID });
    expect(await ask(verifier, token)).toEqual(refused('unknown'));
  });

  it('is asked again when it has not said current() for five seconds', async () => {
    const verifier = watched();
    const token = tokenOf();
    await ask(verifier, token);
    clock.advance(5 * SECOND);
    await ask(verifier, token);
    expect(lookUps()).toBe(1);
    clock.advance(1);
    await ask(verifier, token);
    expect(lookUps()).toBe(2);
  });

  it('is believed for five minutes while it says current()', async () => {
    const verifier = watched();
    const token = tokenOf();
    await ask(verifier, token);
    for (let second = 0; second < 299; second += 1) {
      clock.advance(SECOND);
      feed.current();
      await ask(verifier, token);
    }
    expect(lookUps()).toBe(1);
    clock.advance(SECOND);
    feed.current();
    expect([await ask(verifier, token), lookUps()]).toEqual([accepted(), 2]);
  });
});
