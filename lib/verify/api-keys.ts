/** API keys: resolver → record → principal. */
import type { Change, Invalidatable } from '../contracts/change-feed.js';
import { type Clock, systemClock } from '../contracts/clock.js';
import type { KeyResolver, PresentedKey, ResolveKey } from '../contracts/key-resolver.js';
import { type KeyFormat, type KeyReading, keywardFormat } from '../credentials/api-key.js';
import { type ApiMap, scopePrefixes } from '../credentials/api-map.js';
import { ENVIRONMENTS, type Environment, KEY_KINDS, type KeyKind } from '../credentials/kind.js';
import type { KeyPrincipal } from '../credentials/principal.js';
import { endedAt, type KeyFacts, type KeyRecord, RecordFault, readKeyRecord } from '../credentials/record.js';
import { namesOf, Options } from '../options/options.js';
import { watchable } from '../options/watchable.js';
import { type CacheOptions, readCacheOptions } from './cache-options.js';
import type { Subject } from './entry-segment.js';
import { instantOf } from './freshness.js';
import { keyPrincipalOf } from './key-principal.js';
import { LookUpCache } from './look-up-cache.js';
import { type Found, foundNothing, type Landing, landedWell } from './look-up-landing.js';
import { ownVerifier } from './own-verifiers.js';
import type { PresentedCredential } from './presented-credential.js';
import { RepeatedFacts } from './repeated-facts.js';
import type { Claim, CredentialVerifier, Outcome } from './verifier.js';

/** Options of `apiKeys`. */
export interface ApiKeysOptions {
  /** Your look-up: presented key → record. */
  readonly resolver: KeyResolver | ResolveKey;
  /** Which kinds are taken here: said, never assumed. */
  readonly kinds: readonly KeyKind[];
  /** A key of another environment is declined before any look-up. */
  readonly environment: Environment | 'any';
  /** How keys are written; keyward's own format: prefix, 26 characters, check character. */
  readonly format?: KeyFormat | undefined;
  /** Which scopes belong to which API; the text before the first colon. */
  readonly apis?: ApiMap | undefined;
  /** Milliseconds, then a look-up has failed: 1,000. */
  readonly timeout?: number | undefined;
  /** Look-ups in flight, beyond which a key that is not cached is unavailable: 100. */
  readonly maxLookups?: number | undefined;
  readonly cache?: CacheOptions | false | undefined;
  readonly clock?: Clock | undefined;
}

/** What is kept of a key beside its principal, which says when it ends: one object, since a hit should touch few. */
interface KnownKey extends Subject {
  readonly principal: KeyPrincipal;
  /** Milliseconds since 1970; `undefined` where it is not to be revoked: then it expires, if it ends. */
  readonly revokedAt: number | undefined;
  /** On the monotonic clock: when its use was last recorded. Whole, so that V8 need not keep the number apart. */
  recordedAt: number | undefined;
}

/** Milliseconds between two records of the use of one key. */
const RECORD_EVERY = 60_000;

const OPTION_NAMES = ['resolver', 'kinds', 'environment', 'format', 'apis', 'timeout', 'maxLookups', 'cache', 'clock'];
/** Read in place of a record that is not there: an unknown key costs what one that has ended costs. */
const DECOY: KeyRecord = Object.freeze({
  id: 'decoy',
  kind: 'secret',
  account: 'decoy',
  environment: 'live',
  apis: 'all',
  revokedAt: new Date(0),
});
/** Whom the records of unknown keys are about: one for all, since a flood of them is remembered. */
const NOBODY: Subject = Object.freeze({ id: undefined, account: undefined });
const DECLINED: Outcome = Object.freeze({ outcome: 'declined' });

/**
 * Makes the verifier of API keys (spec section 5.1).
 *
 * A key that is unknown, revoked, expired, disabled or mistyped is refused, and one of another environment declined; a
 * resolver that fails, takes too long or returns a record that breaks a rule makes it unavailable.
 *
 * @throws TypeError for an option that is missing, unknown or of the wrong type.
 */
export function apiKeys(options: ApiKeysOptions): CredentialVerifier & Invalidatable {
  const { resolver, kinds, environment, format, apis, clock, cache } = readOptions(options);
  const environments = environment === 'any' ? ENVIRONMENTS : [environment];
  const lists = new RepeatedFacts<readonly string[]>();

  function recall(credential: PresentedCredential): KeyPrincipal | undefined {
    if (credential.isCompact) return undefined;
    const now = instantOf(clock);
    const known = cache.recall(credential.cacheKey, now)?.facts;
    if (known === undefined || hasEnded(known, now.wall)) return undefined;
    recordUse(known, credential, now.monotonic);
    return known.principal;
  }

  function verify(credential: PresentedCredential): Outcome | Promise<Outcome> {
    if (credential.isCompact) return DECLINED;
    const reading = format.read(credential.reveal());
    if (reading === undefined || reading === null) return DECLINED;
    if (reading === 'malformed') return { outcome: 'refused', reason: 'key_malformed' };
    if (!kinds.includes(reading.kind)) return { outcome: 'declined', reason: 'kind_not_taken' };
    if (!environments.includes(reading.environment)) return { outcome: 'declined', reason: 'other_environment' };

    const now = instantOf(clock);
    const miss = cache.recallMiss(credential.cacheKey, now);
    if (miss !== undefined) return { outcome: 'refused', reason: miss.reason, keyId: miss.subject.id };
    const entry = cache.recall(credential.cacheKey, now);
    if (entry !== undefined) return judge(landedWell(entry), credential);
    const redact = (text: string) => credential.redact(text);
    const landing = cache.lookUp(credential.cacheKey, () => load(credential, reading), redact);
    return landing.then((landed) => judge(landed, credential));
  }

  async function load(credential: PresentedCredential, reading: KeyReading): Promise<Found<KnownKey>> {
    const record: unknown = await resolver.resolveKey(presentedKey(credential, reading));
    if (record === undefined || record === null) {
      readKeyRecord(DECOY);
      return foundNothing('unknown', NOBODY);
    }
    const facts = readKeyRecord(record);
    if (facts.kind !== reading.kind) throw new RecordFault('kind: not that of the key');
    if (facts.environment !== reading.environment) throw new RecordFault('environment: not that of the key');
    const ended = endedAt(facts.life, clock.now());
    if (ended !== undefined) return foundNothing(ended, subjectOf(facts));
    const known = knownKey(facts, keyPrincipalOf(facts, apis, lists));
    return { facts: known, subject: known };
  }

  function judge(landing: Landing<KnownKey>, credential: PresentedCredential): Outcome {
    if (landing.failed !== undefined) return { outcome: 'unavailable', reason: `look_up_${landing.failed}` };
    if (landing.miss !== undefined) {
      return { outcome: 'refused', reason: landing.miss.reason, keyId: landing.miss.subject.id };
    }
    const known = landing.entry.facts;
    const { principal, revokedAt = Number.POSITIVE_INFINITY } = known;
    const now = clock.now();
    if (hasEnded(known, now)) {
      return { outcome: 'refused', reason: revokedAt <= now ? 'revoked' : 'expired', keyId: principal.keyId };
    }
    recordUse(known, credential, clock.monotonic());
    return { outcome: 'accepted', principal };
  }

  function recordUse(known: KnownKey, credential: PresentedCredential, now: number): void {
    if (known.recordedAt !== undefined && now - known.recordedAt < RECORD_EVERY) return;
    known.recordedAt = Math.floor(now);
    try {
      resolver.recordUse?.(credential.digest, credential.from);
    } catch {
      // The caller's key is good, whatever became of the note.
    }
  }

  function invalidate(change: Change): void {
    cache.invalidate(change);
  }

  resolver.watch?.(cache.listener);
  return ownVerifier({ kinds, claims: claimsOf(format, kinds, environments), recall, verify, invalidate });
}

function readOptions(given: ApiKeysOptions) {
  const options = new Options('apiKeys', given, OPTION_NAMES);
  const resolver = readResolver(options);
  const clock = options.has('clock') ? options.object<Clock>('clock', ['now', 'monotonic']) : systemClock;
  const watched = resolver.watch !== undefined;
  const environment = options.oneOf('environment', [...ENVIRONMENTS, 'any']);
  if (!Array.isArray(options.raw('kinds'))) throw options.mistake('kinds', "a list of 'secret' or 'public'");
  return {
    resolver,
    clock,
    environment,
    kinds: namesOf('apiKeys: option "kinds"', given.kinds, KEY_KINDS),
    format: options.has('format') ? options.object<KeyFormat>('format', ['read']) : keywardFormat,
    apis: options.has('apis') ? options.object<ApiMap>('apis', ['apisOf']) : scopePrefixes,
    cache: new LookUpCache<KnownKey>({
      of: 'apiKeys',
      member: 'key',
      watched,
      clock,
      bounds: readCacheOptions('apiKeys', options.raw('cache'), watched),
      timeout: options.integer('timeout', 1_000, 1, 60_000),
      maxLookups: options.integer('maxLookups', 100, 1, 100_000),
    }),
  };
}

function readResolver(options: Options): KeyResolver {
  const resolver = options.raw('resolver');
  if (typeof resolver === 'function') return { resolveKey: resolver as ResolveKey };
  return watchable(options, 'resolver', options.object<KeyResolver>('resolver', ['resolveKey']));
}

function claimsOf(
  format: KeyFormat,
  kinds: readonly KeyKind[],
  environments: readonly Environment[],
): readonly Claim[] {
  return kinds.flatMap((kind) => environments.map((place) => ({ of: format, what: `${place} ${kind} keys` })));
}

function presentedKey(credential: PresentedCredential, { kind, environment }: KeyReading): PresentedKey {
  const { digest } = credential;
  return { digest, kind, environment, reveal: () => credential.reveal() };
}

function knownKey({ id, account, life }: KeyFacts, principal: KeyPrincipal): KnownKey {
  const revokedAt = Number.isFinite(life.revokedAt) ? life.revokedAt : undefined;
  return { principal, id, account, revokedAt, recordedAt: undefined };
}

/** In seconds, as the principal has its end: the same for both sides, so that no millisecond is lost to rounding. */
function hasEnded({ principal }: KnownKey, now: number): boolean {
  return principal.expiresAt !== undefined && principal.expiresAt <= now / 1_000;
}

function subjectOf({ id, account }: KeyFacts) {
  return { id, account };
}
