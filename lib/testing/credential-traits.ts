/** The traits of test credentials: the properties that a test chooses, such as `scopes` or `expired`. */
import type { KeyKind } from '../credentials/credential-kind.js';
import type { RateLimit } from '../credentials/rate-limit.js';
import { flag, number, type Option, type OptionTable, optional, readTable, text } from '../options/option-table.js';
import { Options } from '../options/options.js';

/** Traits of keys and of access tokens that are JWTs. Opaque tokens, proofs and assertions have traits of their own. */
export interface CredentialTraits {
  /** Default: `'acc_test'`. */
  readonly account?: string | undefined;
  /** Default: `'all'`. */
  readonly channels?: 'all' | readonly string[] | undefined;
  /** The e-commerce platform of the credential. If it is set, `channels` must list exactly one channel. */
  readonly platform?: string | undefined;
  /** Custom data of the key, or of the access key of the token: `metadata` of the principal. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** The addresses and networks from which the credential may be used. Default: any. */
  readonly allowedAddresses?: readonly string[] | undefined;
  /** How many requests the key or client may make. Default: the `default` of `requireRateLimit`. */
  readonly limits?: readonly RateLimit[] | undefined;
  /** Whether it has expired. Then `expiresAt` and `expiresIn` are not read. */
  readonly expired?: boolean | undefined;
  /** Whether the key is revoked; for a token, its access key, and so all tokens of the same client ID. */
  readonly revoked?: boolean | undefined;
  /** Whether the key is disabled; for a token, its access key. */
  readonly disabled?: boolean | undefined;
  /**
   * Whether the credential is well formed but not accepted by the kit's verifiers: an unknown key, or a token that was
   * signed with another key than the issuer's.
   */
  readonly foreign?: boolean | undefined;
  /**
   * Whether it belongs to the environment that the verifiers of the kit do not accept. Such a token has another `iss`,
   * as each environment has an issuer of its own.
   */
  readonly otherEnvironment?: boolean | undefined;
}

/** Traits of a key. */
export interface KeyTraits extends CredentialTraits {
  /** Default: `'all'` for a secret key, none for a public key. */
  readonly apis?: 'all' | readonly string[] | undefined;
  /** Default: every scope of its APIs for a secret key, none for a public key. */
  readonly scopes?: readonly string[] | undefined;
  /** Default: it does not expire. */
  readonly expiresAt?: Date | undefined;
}

/** Traits of an access token, and of the access key that obtained it. */
export interface TokenTraits extends CredentialTraits {
  /** The granted scopes. Default: none. */
  readonly scopes?: readonly string[] | undefined;
  /**
   * The client ID. Default: a new one for each token. Tokens with the same client ID belong to one access key. The
   * access key has the scopes of all its tokens and, once it is revoked, stays revoked; otherwise it has the traits of
   * the latest token.
   */
  readonly clientId?: string | undefined;
  /** Seconds until it expires; negative for a token that has expired. Default: 3,600. */
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
  /** The method of the request, in capitals: `'POST'`. */
  readonly method: string;
  /**
   * The URL of the request, or only its path, which is completed with the first `origin` of the kit's option `dpop`.
   */
  readonly url: string;
  /** The access token of the request. Leave it out for a request to a token endpoint. */
  readonly token?: string | undefined;
  /** The nonce that the server sent in `DPoP-Nonce`. */
  readonly nonce?: string | undefined;
  /** Whether the proof was made too long ago. */
  readonly expired?: boolean | undefined;
  /** Whether the proof is made with another key pair than the one that the tokens are bound to. */
  readonly foreign?: boolean | undefined;
  /** Whether the proof is signed with another key than the one in its header. */
  readonly forged?: boolean | undefined;
  /** Claims that replace default claims or are added to them; `undefined` removes a claim. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
}

/** Traits of a client assertion (RFC 7523 section 3). */
export interface AssertionTraits {
  /** The issuer or its token endpoint, or a list of both. */
  readonly audience: string | readonly string[];
  /** Seconds until it expires; negative for an assertion that has expired. Default: 60. */
  readonly expiresIn?: number | undefined;
  /** Whether the assertion has expired. Then `expiresIn` is not read. */
  readonly expired?: boolean | undefined;
  /** Whether the assertion is signed with another key than the one of its `kid`. */
  readonly foreign?: boolean | undefined;
  /** Claims that replace default claims or are added to them; `undefined` removes a claim. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
}

const LIFETIME = 3_600;
const ASSERTION_LIFETIME = 60;
/** Maximum of a trait in seconds: about thirty years. A larger value is probably a point in time, not a duration. */
const LONGEST = 1e9;

const FLAGS = ['expired', 'revoked', 'disabled', 'foreign', 'otherEnvironment'];
const CREDENTIAL_TRAITS = ['account', 'channels', 'platform', 'metadata', 'allowedAddresses', 'limits', ...FLAGS];
const KEY_TRAITS = [...CREDENTIAL_TRAITS, 'apis', 'scopes', 'expiresAt'];
const OPAQUE_TOKEN_TRAITS = ['scopes', 'clientId', 'expiresIn', 'claims', 'expired', 'revoked', 'foreign'];
const TOKEN_TRAITS = [...CREDENTIAL_TRAITS, 'scopes', 'clientId', 'expiresIn', 'claims'];

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
 * Checks the traits of a key.
 *
 * @throws TypeError for an unknown trait, and for a flag that is not a boolean. `readKeyRecord` checks other values.
 */
export function readKeyTraits(kind: KeyKind, given: KeyTraits): KeyTraits {
  readTraits(`${kind}Key`, given, KEY_TRAITS);
  return given;
}

/** Checks the traits of an access token, and adds defaults. */
export function readTokenTraits(given: TokenTraits) {
  return withTokenDefaults(readTraits('accessToken', given, TOKEN_TRAITS), given);
}

export function readOpaqueTokenTraits(given: OpaqueTokenTraits) {
  return withTokenDefaults(readTraits('token', given, OPAQUE_TOKEN_TRAITS), given);
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

function withTokenDefaults<T extends TokenTraits>(options: Options, given: T) {
  const { scopes = [], claims = {}, ...traits } = given;
  if (options.has('clientId')) options.text('clientId');
  if (typeof claims !== 'object' || claims === null) throw options.mistake('claims', 'an object');
  return { ...traits, scopes, claims, expiresIn: options.number('expiresIn', LIFETIME, -LONGEST, LONGEST) };
}

function readTraits(factory: string, given: CredentialTraits, names: readonly string[]): Options {
  const options = new Options(factory, given, names);
  for (const name of FLAGS) options.flag(name, false);
  return options;
}
