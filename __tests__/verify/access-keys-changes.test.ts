import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AccessKeyRecord, FeedListener } from 'keyward';
import { PresentedCredential } from '../../lib/verify/presented-credential.js';
import {
  ACCESS_KEY,
  type AccessKeyStore,
  accepted,
  ask,
  createAccessKeyStore,
  refused,
  unavailable,
} from '../support/access-key-store.js';
import { deferred } from '../support/deferred.js';
import { forge, type Members, NOW } from '../support/token-forge.js';

const SECOND = 1_000;
const at = (seconds: number) => new Date((NOW + seconds) * SECOND);
const checks = jest.spyOn(crypto.subtle, 'verify');

let store: AccessKeyStore;
beforeEach(() => {
  checks.mockClear();
  store = createAccessKeyStore();
});

const tokenOf = (claims: Members = {}) => forge(store.key, claims);

describe('a resolver that fails', () => {
  it('leaves what was confirmed for 30 seconds, and then nobody can tell', async () => {
    const verifier = store.verifier();
    const token = tokenOf();
    await ask(verifier, token);
    store.resolveAccessKey.mockRejectedValue(new Error('no connection'));
    store.clock.advance(30 * SECOND);
    expect(await ask(verifier, token)).toEqual(accepted());
    store.clock.advance(1 * SECOND + 1);
    expect(await ask(verifier, token)).toEqual(unavailable('look_up_threw'));
    store.resolveAccessKey.mockImplementation(async () => ACCESS_KEY);
    expect(await ask(verifier, token)).toEqual(accepted());
  });

  it('has 100 look-ups under way at most', async () => {
    const answer = deferred<AccessKeyRecord | null>();
    store.resolveAccessKey.mockReturnValue(answer.promise);
    const verifier = store.verifier();
    const ids = Array.from({ length: 101 }, (_, i) => `ack_${i}`);
    const outcomes = ids.map(async (id) => ask(verifier, tokenOf({ sub: id, client_id: id })));
    const first = await Promise.race(outcomes);
    answer.resolve(null);
    expect([first, store.lookUps()]).toEqual([unavailable('look_up_too_many'), 100]);
    const settled = await Promise.all(outcomes);
    expect(settled.filter(({ outcome }) => outcome === 'refused').length).toBe(100);
  });
});

describe('look-ups', () => {
  it('are one for all tokens of an access key, at once or later', async () => {
    const verifier = store.verifier();
    const tokens = ['a', 'b', 'c'].map((jti) => tokenOf({ jti }));
    await Promise.all(tokens.slice(0, 2).map((token) => ask(verifier, token)));
    for (const token of tokens) expect(await ask(verifier, token)).toEqual(accepted());
    expect(store.lookUps()).toBe(1);
  });

  it('are not needed for a token that was accepted: it is answered from memory', async () => {
    const verifier = store.verifier();
    const token = tokenOf();
    const recalled = () => verifier.recall?.(new PresentedCredential(token))?.keyId;
    expect(recalled()).toBeUndefined();
    await ask(verifier, token);
    expect(recalled()).toBe(ACCESS_KEY.id);
    store.clock.advance(10 * SECOND);
    expect(recalled()).toBeUndefined();
  });

  it('are made anew after ten seconds', async () => {
    const verifier = store.verifier();
    const token = tokenOf();
    await ask(verifier, token);
    store.clock.advance(10 * SECOND - 1);
    await ask(verifier, token);
    expect(store.lookUps()).toBe(1);
    store.put({ ...ACCESS_KEY, disabled: true });
    store.clock.advance(1);
    expect([await ask(verifier, token), store.lookUps()]).toEqual([refused('disabled'), 2]);
  });

  it('are not made for an unknown access key within a second', async () => {
    store.put(null);
    const verifier = store.verifier();
    await ask(verifier, tokenOf());
    store.clock.advance(SECOND - 1);
    expect([await ask(verifier, tokenOf()), store.lookUps()]).toEqual([refused('unknown'), 1]);
    store.put(ACCESS_KEY);
    store.clock.advance(1);
    expect([await ask(verifier, tokenOf()), store.lookUps()]).toEqual([accepted(), 2]);
  });

  it('are made for each request with cache: false', async () => {
    const verifier = store.verifier({ cache: false });
    const token = tokenOf();
    await ask(verifier, token);
    await ask(verifier, token);
    expect(store.lookUps()).toBe(2);
    store.put(null);
    expect(await ask(verifier, token)).toEqual(refused('unknown'));
  });
});

describe('a change that is told', () => {
  it.each([{ accessKey: ACCESS_KEY.id }, { account: 'acc_1' }, 'all'] as const)(
    '%j: the next request asks again',
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
    '%j: it is not meant',
    async (change) => {
      const verifier = store.verifier();
      const token = tokenOf();
      await ask(verifier, token);
      verifier.invalidate(change);
      expect([await ask(verifier, token), store.lookUps()]).toEqual([accepted(), 1]);
    },
  );

  it('an access key that was made: its tokens are taken at once', async () => {
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

  it('tokensNotBefore that was moved: cached tokens issued before it die, new ones live', async () => {
    const verifier = store.verifier();
    const [before, after] = [tokenOf({ jti: 'before' }), tokenOf({ jti: 'after', iat: NOW + 1 })];
    await ask(verifier, before);
    store.put({ ...ACCESS_KEY, tokensNotBefore: at(1) });
    verifier.invalidate({ accessKey: ACCESS_KEY.id });
    expect(await ask(verifier, before)).toEqual(refused('token_superseded'));
    expect(await ask(verifier, after)).toEqual(accepted());
  });

  it('what another token of the access key brought to light counts for all of them', async () => {
    const verifier = store.verifier();
    const [first, second] = [tokenOf({ jti: 'first' }), tokenOf({ jti: 'second' })];
    await ask(verifier, first);
    store.put({ ...ACCESS_KEY, scopes: [] });
    store.clock.advance(10 * SECOND);
    await ask(verifier, second);
    expect(await ask(verifier, first)).toEqual(accepted({ scopes: [] }));
    expect(store.lookUps()).toBe(2);
  });

  it('revoked is final, whatever the record says later', async () => {
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

  it('is heard: the next request asks again', async () => {
    const verifier = watched();
    const token = tokenOf();
    await ask(verifier, token);
    store.put(null);
    feed.change({ accessKey: ACCESS_KEY.id });
    expect(await ask(verifier, token)).toEqual(refused('unknown'));
  });

  it('is asked again when it has not said current() for five seconds', async () => {
    const verifier = watched();
    const token = tokenOf();
    await ask(verifier, token);
    store.clock.advance(5 * SECOND);
    await ask(verifier, token);
    expect(store.lookUps()).toBe(1);
    store.clock.advance(1);
    await ask(verifier, token);
    expect(store.lookUps()).toBe(2);
  });

  it('is believed for five minutes while it says current()', async () => {
    const verifier = watched();
    const token = tokenOf();
    feed.current();
    await ask(verifier, token);
    for (let second = 0; second < 299; second += 1) {
      store.clock.advance(SECOND);
      feed.current();
      await ask(verifier, token);
    }
    expect(store.lookUps()).toBe(1);
    store.clock.advance(SECOND);
    feed.current();
    expect([await ask(verifier, token), store.lookUps()]).toEqual([accepted(), 2]);
  });
});
