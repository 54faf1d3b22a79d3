import { describe, expect, it } from '@jest/globals';
import type { KeyFormat, KeyReading } from 'keyward';
import { mintKey } from '../../lib/credentials/keyward-format.js';
import { PresentedCredential } from '../../lib/http/presented-credential.js';
import { eavesdrop } from '../support/eavesdrop.js';
import { keyedVerifier } from '../support/keyed-verifier.js';
import { START } from '../support/manual-clock.js';

const DECLINED = { outcome: 'declined' };
const refused = (reason: string, keyId?: string) => ({ outcome: 'refused', reason, keyId });
const unavailable = (reason: string) => ({ outcome: 'unavailable', reason: `lookup_${reason}` });

describe('apiKeys: claimed credentials', () => {
  it.each([
    ['a JWS', 'a.b.c', DECLINED],
    ['a JWS that begins like a key', 'sk_a.b.c', DECLINED],
    ['a text without a prefix of the format', 'hello', DECLINED],
    ['a key that is mistyped', 'sk_hello', { outcome: 'refused', reason: 'key_malformed' }],
    ['a key of a kind that is not accepted', mintKey('public', 'live'), { ...DECLINED, reason: 'kind_not_accepted' }],
    ['a key of another environment', mintKey('secret', 'sandbox'), { ...DECLINED, reason: 'other_environment' }],
  ])('%s: no lookup', async (_what, text, outcome) => {
    const { verify, cached, table } = keyedVerifier({}, { kinds: ['secret'] });
    expect(await verify(text)).toEqual(outcome);
    expect(cached(text)).toBeUndefined();
    expect(table.lookups()).toBe(0);
  });

  it.each([
    ['live', 'live', 'accepted'],
    ['live', 'sandbox', 'declined'],
    ['sandbox', 'live', 'declined'],
    ['sandbox', 'sandbox', 'accepted'],
    ['any', 'live', 'accepted'],
    ['any', 'sandbox', 'accepted'],
  ] as const)('a verifier for %s, a key of %s: %s', async (expected, environment, outcome) => {
    const { verify } = keyedVerifier({ environment }, { environment: expected });
    expect(await verify()).toMatchObject({ outcome });
  });

  it.each([
    [['secret'], 'secret', 'accepted'],
    [['secret'], 'public', 'declined'],
    [['public'], 'public', 'accepted'],
    [['public'], 'secret', 'declined'],
    [['public', 'secret'], 'public', 'accepted'],
  ] as const)('a verifier for %j, a %s key: %s', async (kinds, kind, outcome) => {
    const { verify } = keyedVerifier({ kind }, { kinds });
    expect(await verify()).toMatchObject({ outcome });
  });

  it('declines a key with the scheme DPoP without a lookup', async () => {
    const { keys, key, table } = keyedVerifier();
    expect(await keys.verify(new PresentedCredential(key, {}, undefined, 'DPoP'))).toEqual(DECLINED);
    expect(table.lookups()).toBe(0);
  });

  it('names its kinds, and claims each form of its format once', () => {
    const format: KeyFormat = { read: () => undefined };
    const { keys } = keyedVerifier({}, { format, kinds: ['public', 'secret'], environment: 'any' });
    expect(keys.kinds).toEqual(['public', 'secret']);
    expect(keys.claims).toEqual(
      ['live public keys', 'sandbox public keys', 'live secret keys', 'sandbox secret keys'].map((what) => ({
        of: format,
        what,
      })),
    );
    expect(keyedVerifier({}, { kinds: ['public'] }).keys.claims).toMatchObject([{ what: 'live public keys' }]);
    expect(Object.isFrozen(keys)).toBe(true);
  });

  it('accepts keys of another format', async () => {
    const reading: KeyReading = { kind: 'secret', environment: 'live' };
    const format: KeyFormat = { read: (text) => (text.startsWith('acme-') ? reading : undefined) };
    const { verify, table } = keyedVerifier({}, { format });
    table.answer(() => ({ id: 'k1', account: 'a1', apis: 'all', ...reading }));
    expect(await verify('acme-1')).toMatchObject({ outcome: 'accepted' });
    expect(await verify(mintKey('secret', 'live'))).toEqual(DECLINED);
  });

  it('treats null from a format as undefined', async () => {
    const format = { read: () => null } as unknown as KeyFormat;
    expect(await keyedVerifier({}, { format }).verify()).toEqual(DECLINED);
  });
});

describe('apiKeys: calls of the resolver', () => {
  it('passes digest, kind, environment, and the key on request', async () => {
    const { verify, key, table } = keyedVerifier();
    const asked: unknown[] = [];
    table.answer((presented) => {
      asked.push({ ...presented }, presented.reveal());
      return undefined;
    });
    await verify();
    const { digest } = new PresentedCredential(key);
    expect(asked).toEqual([{ digest, kind: 'secret', environment: 'live', reveal: expect.any(Function) }, key]);
  });

  it('accepts a function as a resolver', async () => {
    const { table, verify } = keyedVerifier();
    const { resolveKey } = table;
    const bare = keyedVerifier({}, { resolver: resolveKey });
    expect(await verify()).toMatchObject({ outcome: 'accepted' });
    expect(await bare.verify()).toEqual(refused('unknown'));
  });

  it('calls methods of a resolver with the right this', async () => {
    class Resolver {
      readonly #record = undefined;
      watched = false;
      resolveKey() {
        return this.#record;
      }
      watch() {
        this.watched = true;
        return () => {};
      }
    }
    const resolver = new Resolver();
    const { verify } = keyedVerifier({}, { resolver });
    expect(await verify()).toEqual(refused('unknown'));
    expect(resolver.watched).toBe(true);
  });

  it.each([
    ['without a feed', 10_000, false],
    ['with one, that is current', 300_000, true],
  ])('%s, it uses a record for %d ms', async (_what, ttl, watched) => {
    const { table, ...others } = keyedVerifier();
    const resolver = watched ? table.watched : table;
    const { clock, verify } = keyedVerifier({}, { resolver });
    const ask = () => verify(others.key);
    await ask();
    clock.advance(ttl - 1);
    table.watched.onCaughtUp();
    await ask();
    expect(table.lookups()).toBe(1);
    clock.advance(1);
    await ask();
    expect(table.lookups()).toBe(2);
  });

  it.each([
    ['a key', { key: 'key_1' }],
    ['an account', { account: 'acc_1' }],
    ['everything', 'all'],
  ] as const)('by hand or by feed, a change of %s makes it ask again', async (_what, change) => {
    for (const how of ['invalidate', 'feed'] as const) {
      const { table, key } = keyedVerifier();
      const { keys, verify } = keyedVerifier({}, { resolver: table.watched });
      await verify(key);
      if (how === 'feed') table.watched.onChange(change);
      else keys.invalidate(change);
      await verify(key);
      expect(table.lookups()).toBe(2);
    }
  });
});

describe('apiKeys: decisions by the record', () => {
  it.each([
    ['none', undefined, refused('unknown')],
    ['null', null, refused('unknown')],
    ['one that breaks a rule', { id: '' }, unavailable('record_invalid')],
  ])('%s', async (_what, record, outcome) => {
    const { verify, cached, table } = keyedVerifier();
    table.answer(() => record);
    expect(await verify()).toEqual(outcome);
    expect(cached()).toBeUndefined();
  });

  it.each([
    ['revoked now', { revokedAt: new Date(START) }, 'revoked'],
    ['expired now', { expiresAt: new Date(START) }, 'expired'],
    ['disabled', { disabled: true }, 'disabled'],
  ])('one that is %s, at the first request and from the cache', async (_what, traits, reason) => {
    const { verify, cached, table } = keyedVerifier(traits);
    expect(await verify()).toEqual(refused(reason, 'key_1'));
    expect(await verify()).toEqual(refused(reason, 'key_1'));
    expect(cached()).toBeUndefined();
    expect(table.lookups()).toBe(1);
  });

  const soon = new Date(START + 5);
  const later = new Date(START + 6);
  it.each([
    ['revokedAt', 'revoked', { revokedAt: soon }],
    ['expiresAt', 'expired', { expiresAt: soon }],
    ['revokedAt, before its expiresAt,', 'revoked', { revokedAt: soon, expiresAt: later }],
    ['expiresAt, before its revokedAt,', 'expired', { expiresAt: soon, revokedAt: later }],
    ['revokedAt and expiresAt', 'revoked', { revokedAt: soon, expiresAt: soon }],
  ])('one whose %s passes while it is cached: %s', async (_which, reason, ends) => {
    const { verify, cached, clock, table } = keyedVerifier(ends);
    expect(await verify()).toMatchObject({ outcome: 'accepted' });
    clock.advance(4);
    expect(cached()).toMatchObject({ keyId: 'key_1' });
    clock.advance(1);
    expect(cached()).toBeUndefined();
    expect(await verify()).toEqual(refused(reason, 'key_1'));
    expect(table.lookups()).toBe(2);
  });

  it.each([
    ['revokedAt', 'revoked', { revokedAt: soon }],
    ['expiresAt', 'expired', { expiresAt: soon }],
    ['expiresAt, before its revokedAt,', 'expired', { expiresAt: soon, revokedAt: later }],
  ])('one whose %s passes during its lookup: %s', async (_which, reason, ends) => {
    const { table, key } = keyedVerifier(ends);
    const usageOf = () => {
      clock.advance(5);
      return { accepted: () => {}, refused: () => {} };
    };
    const { verify, clock } = keyedVerifier({}, { resolver: { resolveKey: table.resolveKey, usageOf } });
    expect(await verify(key)).toEqual(refused(reason, 'key_1'));
    expect(table.lookups()).toBe(1);
  });

  it('one that expired while it was cached is looked up again if the clock is set back before its end', async () => {
    const { verify, clock, table } = keyedVerifier({ expiresAt: soon });
    await verify();
    clock.advance(5);
    expect(await verify()).toEqual(refused('expired', 'key_1'));
    clock.setWall(-1);
    expect(await verify()).toMatchObject({ outcome: 'accepted' });
    expect(table.lookups()).toBe(3);
  });

  it('one that expires and has a later planned revocation: it is revoked from then on', async () => {
    const { verify, clock, table } = keyedVerifier({ expiresAt: soon, revokedAt: later });
    expect(await verify()).toMatchObject({ outcome: 'accepted' });
    clock.advance(5);
    expect(await verify()).toEqual(refused('expired', 'key_1'));
    clock.advance(1_000);
    expect(await verify()).toEqual(refused('revoked', 'key_1'));
    expect(table.lookups()).toBe(3);
  });

  it('one that ends during its lookup', async () => {
    const { verify, clock, table, key } = keyedVerifier({ expiresAt: new Date(START + 5) });
    const record = table.recordOf(key);
    table.answer(async () => {
      clock.advance(5);
      return record;
    });
    expect(await verify()).toEqual(refused('expired', 'key_1'));
  });

  it.each([
    ['throws', 'threw'],
    ['is too slow', 'timed_out'],
  ])('a resolver that %s makes it unavailable', async (_what, reason) => {
    const { verify, table } = keyedVerifier({}, { timeout: 1 });
    table.answer(() => {
      if (reason === 'threw') throw new Error('down');
      return new Promise(() => {});
    });
    expect(await verify()).toEqual(unavailable(reason));
  });

  it('an error of a resolver is published in an event without the key', async () => {
    const { verify, table, key } = keyedVerifier();
    table.answer(() => {
      throw new Error(`no row for ${key}`);
    });
    const ear = eavesdrop();
    await verify();
    ear.stop();
    const where = expect.arrayContaining([expect.stringMatching(/api-keys\.test\.ts:\d+:\d+$/)]);
    expect(ear.heard()).toEqual([{ of: 'apiKeys', reason: 'threw', detail: 'Error', where }]);
  });

  it('a lookup above the limit is published too', async () => {
    const { verify, table } = keyedVerifier({}, { timeout: 1, maxLookups: 1 });
    table.answer(() => new Promise(() => {}));
    const first = verify();
    expect(await verify(mintKey('secret', 'live'))).toEqual(unavailable('too_many'));
    expect(await first).toEqual(unavailable('timed_out'));
  });

  it.each([
    ['a public key of the record of a secret key', { kind: 'public' }],
    ['a live key of the record of a sandbox key', { environment: 'sandbox' }],
  ] as const)('%s: not to be known', async (_what, changes) => {
    const { verify, table, key } = keyedVerifier({ apis: ['payments'] }, { environment: 'any' });
    table.edit(key, changes);
    expect(await verify()).toEqual(unavailable('record_invalid'));
  });

  it('answers synchronously from the cache', async () => {
    const { keys, key, cached } = keyedVerifier();
    const credential = new PresentedCredential(key);
    expect(cached()).toBeUndefined();
    const accepted = await keys.verify(credential);
    expect(keys.verify(credential)).toEqual(accepted);
    expect(accepted).toMatchObject({ outcome: 'accepted', principal: cached() });
  });

  it('with cache: false caches nothing', async () => {
    const { verify, table } = keyedVerifier({}, { cache: false });
    await verify();
    await verify();
    expect(table.lookups()).toBe(2);
  });
});
