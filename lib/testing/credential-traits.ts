/**
 * The traits of test credentials: the properties that a test chooses, such as `scopes` or `expired`. This file has
 * their types, checks and defaults.
 */
import type { KeyKind } from '../credentials/credential-kind.js';
import type { RateLimit } from '../credentials/rate-limit.js';
import {
  anything,
  flag,
  number,
  type Option,
  type OptionTable,
  optional,
  readTable,
  text,
} from '../options/option-table.js';

/**
 * Traits that API keys and JWT access tokens have in common. Opaque tokens, proofs and assertions have their own
 * traits.
 */
export interface CredentialTraits {
  /** The account of the credential. Default: `'acc_test'`. */
  readonly account?: string | undefined;
  /** The processing channels that the credential may use. Default: `'all'`. */
  readonly channels?: 'all' | readonly string[] | undefined;
  /** The e-commerce platform of the credential. If it is set, `channels` must list exactly one channel. */
  readonly platform?: string | undefined;
  /** Custom data of the key, or of the access key of the token: `metadata` of the principal. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** The addresses and networks from which the credential may be used. Default: any. */
  readonly allowedAddresses?: readonly string[] | undefined;
  /** The rate limits of the key or client. Default: the option `default` of `requireRateLimit`. */
  readonly limits?: readonly RateLimit[] | undefined;
  /** Whether the credential has expired. If `true`, `expiresAt` and `expiresIn` are ignored. */
  readonly expired?: boolean | undefined;
  /** Whether the key is revoked. For a token, its access key is revoked, and so all tokens with the same client ID. */
  readonly revoked?: boolean | undefined;
  /** Whether the key is disabled. For a token, its access key is disabled. */
  readonly disabled?: boolean | undefined;
  /**
   * Whether the verifiers of the kit refuse the credential although it is well formed: the key is unknown, or the token
   * is signed with a key that is not the issuer's.
   */
  readonly foreign?: boolean | undefined;
  /**
   * Whether the credential belongs to the environment that the verifiers of the kit do not accept. A token of that
   * environment has another `iss`, because each environment has its own issuer.
   */
  readonly otherEnvironment?: boolean | undefined;
}

/** Traits of a key. */
export interface KeyTraits extends CredentialTraits {
  /** The APIs that the key may use. Default: `'all'` for a secret key, none for a public key. */
  readonly apis?: 'all' | readonly string[] | undefined;
  /** The scopes of the key. Default: every scope of its APIs for a secret key, none for a public key. */
  readonly scopes?: readonly string[] | undefined;
  /** When the key expires. Default: never. */
  readonly expiresAt?: Date | undefined;
}

/** Traits of an access token, and of the access key that obtained it. */
export interface TokenTraits extends CredentialTraits {
  /** The granted scopes. Default: none. */
  readonly scopes?: readonly string[] | undefined;
  /**
   * The client ID. Default: a new one for each token. Tokens with the same client ID belong to one access key. The
   * access key has the scopes of all these tokens. If one of them had the trait `revoked`, the access key stays
   * revoked. Its other traits are those of the latest token.
   */
  readonly clientId?: string | undefined;
  /** Seconds until the token expires; negative for a token that has expired. Default: 3,600. */
  readonly expiresIn?: number | undefined;
  /** Claims that replace default claims or are added to them; `undefined` removes a claim. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Traits of an opaque token. With `foreign` or `revoked`, the introspection endpoint answers that the token is not
 * active.
 */
export interface OpaqueTokenTraits
  extends Pick<TokenTraits, 'scopes' | 'clientId' | 'expiresIn' | 'claims' | 'expired' | 'revoked' | 'foreign'> {}

/** Traits of a DPoP proof (RFC 9449 section 4.2). For an invalid proof, pass a wrong method, URL, token or nonce. */
export interface ProofTraits {
  /** The HTTP method of the request, in capitals: `'POST'`. */
  readonly method: string;
  /**
   * The URL of the request, or just its path: the kit then puts the first `origin` of its option `dpop` before the
   * path.
   */
  readonly url: string;
  /** The access token of the request. Leave it out for a request to a token endpoint. */
  readonly token?: string | undefined;
  /** The nonce that the server sent in `DPoP-Nonce`. */
  readonly nonce?: string | undefined;
  /** Whether the proof is too old to be accepted. */
  readonly expired?: boolean | undefined;
  /** Whether the proof is made with a key pair that the tokens are not bound to. */
  readonly foreign?: boolean | undefined;
  /** Whether the proof is signed with a key that is not the one in its header. */
  readonly forged?: boolean | undefined;
  /** Claims that replace default claims or are added to them; `undefined` removes a claim. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
}

/** Traits of a client assertion (RFC 7523 section 3). */
export interface AssertionTraits {
  /** The `aud` of the assertion: the issuer, its token endpoint, or a list of both. */
  readonly audience: string | readonly string[];
  /** Seconds until the assertion expires; negative for an assertion that has expired. Default: 60. */
  readonly expiresIn?: number | undefined;
  /** Whether the assertion has expired. If `true`, `expiresIn` is ignored. */
  readonly expired?: boolean | undefined;
  /** Whether the assertion is signed with a key that does not belong to its `kid`. */
  readonly foreign?: boolean | undefined;
  /** Claims that replace default claims or are added to them; `undefined` removes a claim. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
}

const LIFETIME = 3_600;
const ASSERTION_LIFETIME = 60;
/** Maximum of `expiresIn` in seconds: about 30 years. A larger value is probably a point in time, passed by mistake. */
const LONGEST = 1e9;

const claims: Option<void> = (options, name) => {
  const value = options.has(name) ? options.raw(name) : {};
  if (typeof value !== 'object' || value === null) throw options.mistake(name, 'an object');
};

const url: Option<string> = (options, name) => {
  const value = options.text(name);
  if (value.startsWith('/') || URL.canParse(value)) return value;
  throw options.wrongText(name, 'a URL, or a path that starts with /');
};

const audience: Option<string | readonly string[]> = (options, name) => {
  const value = options.raw(name);
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.every((member) => typeof member === 'string')) return value as string | readonly string[];
  throw options.mistake(name, 'a string or a list of strings');
};

const FLAGS = {
  ...{ expired: flag(false), revoked: flag(false), disabled: flag(false), foreign: flag(false) },
  otherEnvironment: flag(false),
};

const CREDENTIAL_TRAITS = {
  ...{ account: anything, channels: anything, platform: anything, metadata: anything },
  ...{ allowedAddresses: anything, limits: anything, ...FLAGS },
} satisfies OptionTable<CredentialTraits>;

const KEY_TRAITS = {
  ...CREDENTIAL_TRAITS,
  ...{ apis: anything, scopes: anything, expiresAt: anything },
} satisfies OptionTable<KeyTraits>;

const OF_TOKENS = {
  ...{ scopes: anything, clientId: optional(text), claims },
  expiresIn: number(LIFETIME, -LONGEST, LONGEST),
};

const TOKEN_TRAITS = { ...CREDENTIAL_TRAITS, ...OF_TOKENS } satisfies OptionTable<TokenTraits>;

const OPAQUE_TOKEN_TRAITS = {
  ...OF_TOKENS,
  ...{ expired: flag(false), revoked: flag(false), foreign: flag(false) },
} satisfies OptionTable<OpaqueTokenTraits>;

const PROOF_TRAITS = {
  ...{ method: text, url, token: optional(text), nonce: optional(text) },
  ...{ expired: flag(false), foreign: flag(false), forged: flag(false), claims },
} satisfies OptionTable<ProofTraits>;

const ASSERTION_TRAITS = {
  audience,
  expiresIn: number(ASSERTION_LIFETIME, -LONGEST, LONGEST),
  ...{ expired: flag(false), foreign: flag(false), claims },
} satisfies OptionTable<AssertionTraits>;

/**
 * Checks the names of the traits of a key, and that flags are booleans. `readKeyRecord` checks the other values later.
 *
 * @throws TypeError for an unknown trait, and for a flag that is not a boolean.
 */
export function readKeyTraits(kind: KeyKind, given: KeyTraits): KeyTraits {
  readTable(`${kind}Key`, given, KEY_TRAITS);
  return given;
}

/** Checks the traits of an access token, and adds defaults. */
export function readTokenTraits(given: TokenTraits) {
  return withDefaults(given, readTable('accessToken', given, TOKEN_TRAITS));
}

export function readOpaqueTokenTraits(given: OpaqueTokenTraits) {
  return withDefaults(given, readTable('token', given, OPAQUE_TOKEN_TRAITS));
}

/** @throws TypeError for a trait that is missing, unknown or wrong. */
export function readProofTraits(given: ProofTraits) {
  const traits = readTable('proof', given, PROOF_TRAITS);
  return { ...traits, claims: given.claims ?? {} };
}

/** @throws TypeError for a trait that is missing, unknown or wrong. */
export function readAssertionTraits(given: AssertionTraits) {
  const traits = readTable('sign', given, ASSERTION_TRAITS);
  return { ...traits, claims: given.claims ?? {} };
}

function withDefaults<T extends TokenTraits>(given: T, { expiresIn }: { readonly expiresIn: number }) {
  const { scopes = [], claims = {}, ...traits } = given;
  return { ...traits, scopes, claims, expiresIn };
}
