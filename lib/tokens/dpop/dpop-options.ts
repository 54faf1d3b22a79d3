/**
 * The options of DPoP (RFC 9449): how proofs are verified, for `createIssuer` and the verifiers of access tokens; and
 * the options that only these verifiers have.
 */
import type { Clock } from '../../contracts/clock.js';
import { type ReplayCache, replayId } from '../../contracts/replay-cache.js';
import { secureUrl } from '../../http/secure-url.js';
import {
  flag,
  integer,
  names,
  type Option,
  type OptionTable,
  object,
  optional,
  readTable,
  withDefault,
} from '../../options/option-table.js';
import { normalizeUri } from '../../protocol/target-uri.js';
import { memoryReplayCache } from '../../replay/memory-replay-cache.js';
import { Nonces } from './nonces.js';
import { ProofVerifier } from './proof-verifier.js';

/** How DPoP proofs are verified (RFC 9449). */
export interface ProofOptions {
  /**
   * The accepted signature algorithms of proofs. Default: `ES256`, `ES384`, `EdDSA`, `Ed25519`, `PS256` and `RS256`.
   */
  readonly algorithms?: readonly string[] | undefined;
  /** Maximum seconds since the `iat` of a proof, 1 to 300. Default: 60. `iat` may be 5 seconds in the future. */
  readonly maxAge?: number | undefined;
  /**
   * Requires that each proof contains a nonce from the server (RFC 9449 sections 8 and 9). So an attacker who can use
   * the client's key for a short time cannot make proofs for later. Default: no nonce is required.
   */
  readonly nonce?: NonceSettings | undefined;
}

/** How the server makes nonces. Nonces are not stored: every process with the same secret accepts them. */
export interface NonceSettings {
  /**
   * The secret with which nonces are made and checked: at least 32 characters. For a rotation, pass a list: new nonces
   * are made with the first secret, and nonces made with any of the secrets are accepted.
   */
  readonly secret: string | readonly string[];
  /** Seconds for which a nonce is accepted, 1 to 3,600. Default: 300. */
  readonly maxAge?: number | undefined;
}

/** The option `dpop` of a verifier of access tokens (RFC 9449 section 7). */
export interface DpopOptions extends ProofOptions {
  /**
   * The origin of the API as clients see it, such as `https://api.example`, or a list of origins. http is allowed only
   * for a loopback host. The origin is never taken from the request: an attacker could set `Host` to match a stolen
   * proof.
   */
  readonly origin: string | readonly string[];
  /**
   * `true`: tokens that are not bound to a key pair are refused. If `required` of `mtls` is `true` too, a token may be
   * bound to a certificate instead. Default: `false`.
   */
  readonly required?: boolean | undefined;
  /**
   * Where the ids of used proofs are stored, so that each proof is accepted only once. Default: `memoryReplayCache()`,
   * which is in the memory of this process. If the API runs in several processes, they must share one replay cache. If
   * the cache fails or is full, the request gets 503.
   */
  readonly replay?: ReplayCache | undefined;
}

/** The validated options for proofs, with their defaults. */
export interface ReadProofOptions {
  readonly algorithms: readonly string[];
  readonly maxAge: number;
  readonly nonce: { readonly secrets: readonly string[]; readonly maxAge: number } | undefined;
}

const PROOF_ALGORITHMS = ['ES256', 'ES384', 'EdDSA', 'Ed25519', 'PS256', 'RS256'] as const;
const MIN_SECRET_LENGTH = 32;
const ORIGIN = /^https?:\/\/[^/?#@\\]+$/i;

const secrets: Option<readonly string[]> = (options, name) => {
  const value = options.raw(name);
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length > 0 && list.every(isSecret)) return Object.freeze([...list]);
  throw options.wrongText(name, `a string of at least ${MIN_SECRET_LENGTH} characters, or a list of such strings`);
};

const NONCE_OPTIONS = {
  secret: secrets,
  maxAge: integer(300, 1, 3_600),
} satisfies OptionTable<NonceSettings>;

const nonce: Option<ReadProofOptions['nonce']> = (options, name) => {
  if (!options.has(name)) return undefined;
  const { secret, maxAge } = readTable(`${options.factory}: option "${name}"`, options.raw(name), NONCE_OPTIONS);
  return { secrets: secret, maxAge };
};

/** The checks and defaults of `ProofOptions`. */
export const PROOF_OPTIONS = {
  algorithms: withDefault(names(PROOF_ALGORITHMS), PROOF_ALGORITHMS),
  maxAge: integer(60, 1, 300),
  nonce,
} satisfies OptionTable<ProofOptions>;

const origins: Option<readonly string[]> = (options, name) => {
  const value = options.raw(name);
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const read = list.map(readOrigin).filter((origin) => origin !== undefined);
  if (read.length > 0 && read.length === list.length) return read;
  throw options.wrongText(
    name,
    'an origin such as https://api.example (http only for a loopback host), or a list of such origins',
  );
};

const DPOP_OPTIONS = {
  ...PROOF_OPTIONS,
  origin: origins,
  required: flag(false),
  replay: optional(object<ReplayCache>(['firstUse'])),
} satisfies OptionTable<DpopOptions>;

/** The DPoP settings of a verifier of access tokens. */
export interface Dpop {
  readonly proofs: ProofVerifier;
  readonly algorithms: readonly string[];
  readonly required: boolean;
}

/** Reads the option `dpop` of a verifier of access tokens. */
export function readDpopOptions(factory: string, given: unknown, clock: Clock): Dpop {
  const { origin, required, replay, ...rules } = readTable(`${factory}: option "dpop"`, given, DPOP_OPTIONS);
  const proofs = proofVerifier(rules, { origins: origin, replay, clock });
  return Object.freeze({ proofs, algorithms: rules.algorithms, required });
}

/**
 * Creates the verifier of proofs.
 *
 * @param rules - Options that `PROOF_OPTIONS` has read.
 * @param place - `replay`: `undefined` for a cache in memory that no other verifier uses.
 */
export function proofVerifier(
  { nonce: nonceRules, ...rules }: ReadProofOptions,
  {
    origins,
    replay,
    clock,
  }: { readonly origins: readonly string[]; readonly replay: ReplayCache | undefined; readonly clock: Clock },
): ProofVerifier {
  const nonces = nonceRules && new Nonces({ ...nonceRules, clock });
  const uses =
    replay === undefined
      ? { replay: memoryReplayCache({ clock }), replayIdOf: undigestedId }
      : { replay, replayIdOf: replayId };
  return new ProofVerifier({ ...rules, ...uses, origins, clock, nonces });
}

/**
 * The id of a proof for a cache in memory. It need not be a digest, because the cache computes one. A second digest would
 * take a microsecond.
 */
function undigestedId(thumbprint: string, jti: string): string {
  return `${thumbprint}.${jti}`;
}

/**
 * Returns the normalized form of an origin, with which the `htu` of proofs is compared; `undefined` if the value is not
 * an allowed origin.
 */
function readOrigin(value: unknown): string | undefined {
  if (typeof value !== 'string' || !ORIGIN.test(value) || secureUrl(value) === undefined) return undefined;
  return normalizeUri(value)?.slice(0, -1);
}

function isSecret(value: unknown): value is string {
  return typeof value === 'string' && value.length >= MIN_SECRET_LENGTH;
}
