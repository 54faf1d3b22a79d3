/** The options of DPoP: those that a gate and an issuer share, and those of a gate. */
import { memoryReplayCache } from '../../cache/memory-replay-cache.js';
import type { Clock } from '../../contracts/clock.js';
import type { ReplayCache } from '../../contracts/replay-cache.js';
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
import { Nonces } from './nonces.js';
import { ProofVerifier } from './proof-verifier.js';

/** How proofs are verified (RFC 9449). */
export interface ProofOptions {
  /** Signature algorithms. Default: `ES256`, `ES384`, `EdDSA`, `Ed25519`, `PS256` and `RS256`. */
  readonly algorithms?: readonly string[] | undefined;
  /** Maximum seconds since the `iat` of a proof, 1 to 300. Default: 60. `iat` may be 5 seconds in the future. */
  readonly maxAge?: number | undefined;
  /**
   * Requires a nonce in each proof (RFC 9449 section 9), so that proofs cannot be made in advance. Default: no nonce is
   * required.
   */
  readonly nonce?: NonceSettings | undefined;
}

/** How nonces are made. They need no store: each process with the secret accepts the nonces of the other processes. */
export interface NonceSettings {
  /**
   * At least 32 characters. For a rotation, pass a list: the first secret makes new nonces; nonces made with any of the
   * secrets are accepted.
   */
  readonly secret: string | readonly string[];
  /** Seconds for which a nonce is accepted, 1 to 3,600. Default: 300. */
  readonly maxAge?: number | undefined;
}

/** DPoP at a gate (RFC 9449 section 7). */
export interface DpopOptions extends ProofOptions {
  /**
   * Scheme, host and port as clients see them, such as `https://api.example`; or a list of such origins. http is
   * allowed only for a loopback host. They are never taken from a request, because an attacker with a stolen proof
   * could set `Host`.
   */
  readonly origin: string | readonly string[];
  /**
   * `true`: tokens that are not bound to a key pair are refused. If `required` of `mtls` is `true` too, a binding to a
   * certificate is enough. Default: `false`.
   */
  readonly required?: boolean | undefined;
  /**
   * Where used proofs are stored. Default: in the memory of this process, with the defaults of `memoryReplayCache`.
   * Several instances need one replay cache that they share. If it fails or is full, the request gets 503.
   */
  readonly replay?: ReplayCache | undefined;
}

/** The options of proofs, as `PROOF_OPTIONS` reads them. */
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
  throw options.mistake(name, `a string of at least ${MIN_SECRET_LENGTH} characters, or a list of such strings`);
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

/** The options that gates and issuers share. */
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
  throw options.mistake(
    name,
    'an origin such as https://api.example (http only for a loopback host), or a list of them',
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
  const proofs = proofVerifier(rules, { origins: origin, replay: replay ?? memoryReplayCache({ clock }), clock });
  return Object.freeze({ proofs, algorithms: rules.algorithms, required });
}

/**
 * Creates the verifier of proofs.
 *
 * @param rules - Options that `PROOF_OPTIONS` has read.
 */
export function proofVerifier(
  { nonce: nonceRules, ...rules }: ReadProofOptions,
  place: { readonly origins: readonly string[]; readonly replay: ReplayCache; readonly clock: Clock },
): ProofVerifier {
  const nonces = nonceRules && new Nonces({ ...nonceRules, clock: place.clock });
  return new ProofVerifier({ ...rules, ...place, nonces });
}

/**
 * Returns an origin in normalized form, as proofs name it; `undefined` if the value is not an origin that is allowed.
 */
function readOrigin(value: unknown): string | undefined {
  if (typeof value !== 'string' || !ORIGIN.test(value) || secureUrl(value) === undefined) return undefined;
  return normalizeUri(value)?.slice(0, -1);
}

function isSecret(value: unknown): value is string {
  return typeof value === 'string' && value.length >= MIN_SECRET_LENGTH;
}
