import nodeCrypto from 'node:crypto';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AccessKeyRecord, FeedListener } from 'keyward';
import {
  ACCESS_KEY,
  type AccessKeyStore,
  accepted,
  ask,
  createAccessKeyStore,
  refused,
  unavailable,
} from '../support/access-key-store.js';
import { cachedPrincipal } from '../support/cached-principal.js';
import { deferred } from '../support/deferred.js';
import { forge, type Members, NOW } from '../support/token-forge.js';

const SECOND = 1_000;
const at = (seconds: number) => new Date((NOW + seconds) * SECOND);
const checks = jest.spyOn(nodeCrypto, 'verify');

let store: AccessKeyStore;
beforeEach(() => {
  checks.mockClear();
  store = createAccessKeyStore();
});

const tokenOf = (claims: Members = {}) => forge(store.key, claims);

describe('a resolver that fails', () => {
  it('confirmed entries are used for 30 seconds, then the request gets 503', async () => {
    const verifier = store.verifier();
    const token = tokenOf();
    await ask(verifier, token);
    store.resolveAccessKey.mockRejectedValue(new Error('no connection'));
    store.clock.advance(30 * SECOND);
    expect(await ask(verifier, token)).toEqual(accepted());
    store.clock.advance(1 * SECOND + 1);
    expect(await ask(verifier, token)).toEqual(unavailable('lookup_threw'));
    store.resolveAccessKey.mockImplementation(async () => ACCESS_KEY);
    expect(await ask(verifier, token)).toEqual(accepted());
  });

  it('has at most 100 lookups in flight', async () => {
    const answer = deferred<AccessKeyRecord | null>();
    store.resolveAccessKey.mockReturnValue(answer.promise);
    const verifier = store.verifier();
    const ids = Array.from({ length: 101 }, (_, i) => `ack_${i}`);
    const outcomes = ids.map(async (id) => ask(verifier, tokenOf({ sub: id, client_id: id })));
    const first = await Promise.race(outcomes);
    answer.resolve(null);
    expect([first, store.lookups()]).toEqual([unavailable('lookup_too_many'), 100]);
    const settled = await Promise.all(outcomes);
    expect(settled.filter(({ outcome }) => outcome === 'refused').length).toBe(100);
  });
});

describe('lookups', () => {
  it('are shared by all tokens of an access key, concurrent or later', async () => {
    const verifier = store.verifier();
    const tokens = ['a', 'b', 'c'].map((jti) => tokenOf({ jti }));
    await Promise.all(tokens.slice(0, 2).map((token) => ask(verifier, token)));
    for (const token of tokens) expect(await ask(verifier, token)).toEqual(accepted());
    expect(store.lookups()).toBe(1);
  });

  it('are not needed for an accepted token, which is in the cache', async () => {
    const verifier = store.verifier();
    const token = tokenOf();
    const cachedId = () => cachedPrincipal(verifier, token)?.keyId;
    expect(cachedId()).toBeUndefined();
    await ask(verifier, token);
    expect(cachedId()).toBe(ACCESS_KEY.id);
    store.clock.advance(10 * SECOND);
    expect(cachedId()).toBeUndefined();
  });

  it('are repeated after ten seconds', async () => {
    const verifier = store.verifier();
    const token = tokenOf();
    await ask(verifier, token);
    store.clock.advance(10 * SECOND - 1);
    await ask(verifier, token);
    expect(store.lookups()).toBe(1);
    store.put({ ...ACCESS_KEY, disabled: true });
    store.clock.advance(1);
    expect([await ask(verifier, token), store.lookups()]).toEqual([refused('disabled'), 2]);
  });

  it('are not repeated for an unknown access key within a second', async () => {
    store.put(null);
    const verifier = store.verifier();
    await ask(verifier, tokenOf());
    store.clock.advance(SECOND - 1);
    expect([await ask(verifier, tokenOf()), store.lookups()]).toEqual([refused('unknown'), 1]);
    store.put(ACCESS_KEY);
    store.clock.advance(1);
    expect([await ask(verifier, tokenOf()), store.lookups()]).toEqual([accepted(), 2]);
  });

  it('are made for each request with cache: false', async () => {
    const verifier = store.verifier({ cache: false });
    const token = tokenOf();
    await ask(verifier, token);
    await ask(verifier, token);
    expect(store.lookups()).toBe(2);
    store.put(null);
    expect(await ask(verifier, token)).toEqual(refused('unknown'));
  });
});

describe('a change that is reported', () => {
  it.each([{ accessKey: ACCESS_KEY.id }, { account: 'acc_1' }, 'all'] as const)(
    '%j: the next request looks up again',
    async (change) => {
      const verifier = store.verifier();
      const token = tokenOf();
      await ask(verifier, token);
      store.put({ ...ACCESS_KEY, revokedAt: at(0) });
      verifier.invalidate(change);
      expect(await ask(verifier, token)).toEqual(refused('revoked'));
    },
  );

  it.each([{ accessKey: 'ack_other' }, { account: 'acc_2' }, { key: ACCESS_KEY.id }])(
    '%j: it has no effect',
    async (change) => {
      const verifier = store.verifier();
      const token = tokenOf();
      await ask(verifier, token);
      verifier.invalidate(change);
      expect([await ask(verifier, token), store.lookups()]).toEqual([accepted(), 1]);
    },
  );

  it('a new access key: its tokens are accepted immediately', async () => {
    store.put(null);
    const verifier = store.verifier();
    expect(await ask(verifier, tokenOf())).toEqual(refused('unknown'));
    store.put(ACCESS_KEY);
    verifier.invalidate({ accessKey: ACCESS_KEY.id });
    expect(await ask(verifier, tokenOf())).toEqual(accepted());
  });

  it('narrowed scopes: a cached token loses them, and its signature is not verified again', async () => {
    const verifier = store.verifier();
    const token = tokenOf({ scope: 'payments disputes' });
    expect(await ask(verifier, token)).toEqual(accepted({ scopes: ['payments', 'disputes'] }));
    store.put({ ...ACCESS_KEY, scopes: ['disputes'] });
    verifier.invalidate({ accessKey: ACCESS_KEY.id });
    expect(await ask(verifier, token)).toEqual(accepted({ scopes: ['disputes'], apis: ['disputes'] }));
    expect(checks).toHaveBeenCalledTimes(1);
  });

  it('tokensNotBefore was changed: cached tokens issued before it are refused, new ones accepted', async () => {
    const verifier = store.verifier();
    const [before, after] = [tokenOf({ jti: 'before' }), tokenOf({ jti: 'after', iat: NOW + 1 })];
    await ask(verifier, before);
    store.put({ ...ACCESS_KEY, tokensNotBefore: at(1) });
    verifier.invalidate({ accessKey: ACCESS_KEY.id });
    expect(await ask(verifier, before)).toEqual(refused('token_superseded'));
    expect(await ask(verifier, after)).toEqual(accepted());
  });

  it('a change found with one token of an access key applies to all its tokens', async () => {
    const verifier = store.verifier();
    const [first, second] = [tokenOf({ jti: 'first' }), tokenOf({ jti: 'second' })];
    await ask(verifier, first);
    store.put({ ...ACCESS_KEY, scopes: [] });
    store.clock.advance(10 * SECOND);
    await ask(verifier, second);
    expect(await ask(verifier, first)).toEqual(accepted({ scopes: [] }));
    expect(store.lookups()).toBe(2);
  });

  it('revocation is final, whatever the record has later', async () => {
    store.put({ ...ACCESS_KEY, revokedAt: at(0) });
    const verifier = store.verifier();
    await ask(verifier, tokenOf());
    store.put(ACCESS_KEY);
    verifier.invalidate('all');
    store.clock.advance(60 * SECOND);
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
    return store.verifier({ accessKeys: { resolveAccessKey: store.resolveAccessKey, watch } });
  };

  it('applies its changes: the next request looks up again', async () => {
    const verifier = watched();
    const token = tokenOf();
    await ask(verifier, token);
    store.put(null);
    feed.onChange({ accessKey: ACCESS_KEY.id });
    expect(await ask(verifier, token)).toEqual(refused('unknown'));
  });

  it('is asked again if it has not called onCaughtUp() for five seconds', async () => {
    const verifier = watched();
    const token = tokenOf();
    await ask(verifier, token);
    store.clock.advance(5 * SECOND);
    await ask(verifier, token);
    expect(store.lookups()).toBe(1);
    store.clock.advance(1);
    await ask(verifier, token);
    expect(store.lookups()).toBe(2);
  });

  it('entries are used for five minutes while it calls onCaughtUp()', async () => {
    const verifier = watched();
    const token = tokenOf();
    feed.onCaughtUp();
    await ask(verifier, token);
    for (let second = 0; second < 299; second += 1) {
      store.clock.advance(SECOND);
      feed.onCaughtUp();
      await ask(verifier, token);
    }
    expect(store.lookups()).toBe(1);
    store.clock.advance(SECOND);
    feed.onCaughtUp();
    expect([await ask(verifier, token), store.lookups()]).toEqual([accepted(), 2]);
  });
});
