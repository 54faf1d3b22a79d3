/** What a credential of a test kit may be told to be. */
import type { KeyKind } from '../credentials/kind.js';
import { Options } from '../options/options.js';

/** What every credential of the kit may be told to be. */
export interface CredentialTraits {
  readonly account?: string | undefined;
  readonly channels?: 'all' | readonly string[] | undefined;
  /** An e-commerce platform; then `channels` lists exactly one. */
  readonly platform?: string | undefined;
  /** It ended a moment ago. */
  readonly expired?: boolean | undefined;
  readonly revoked?: boolean | undefined;
  readonly disabled?: boolean | undefined;
  /** Well formed, and not of this platform: a key that the store does not have, a token that another key signed. */
  readonly foreign?: boolean | undefined;
  /** Of the environment that the kit's verifiers do not take. */
  readonly otherEnvironment?: boolean | undefined;
}

/** Traits of a key. */
export interface KeyTraits extends CredentialTraits {
  /** A secret key has `'all'` unless told otherwise; a public key has none. */
  readonly apis?: 'all' | readonly string[] | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly expiresAt?: Date | undefined;
}

/** Traits of an access token, and of the access key that bought it. */
export interface TokenTraits extends CredentialTraits {
  /** The scopes granted: none unless told. */
  readonly scopes?: readonly string[] | undefined;
  /** The access key's Identifier: a new one for each token. */
  readonly clientId?: string | undefined;
  /** Seconds until it expires: 3,600. */
  readonly expiresIn?: number | undefined;
  /** Claims that replace or join the others; one that is `undefined` is left out. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
}

const LIFETIME = 3_600;
/** About thirty years: beyond, an `exp` is taken for milliseconds or is none. */
const LONGEST = 1e9;

const FLAGS = ['expired', 'revoked', 'disabled', 'foreign', 'otherEnvironment'];
const CREDENTIAL_TRAITS = ['account', 'channels', 'platform', ...FLAGS];
const KEY_TRAITS = [...CREDENTIAL_TRAITS, 'apis', 'scopes', 'expiresAt'];
const TOKEN_TRAITS = [...CREDENTIAL_TRAITS, 'scopes', 'clientId', 'expiresIn', 'claims'];

/** @throws TypeError for a trait that is unknown. What goes into the record is checked there. */
export function readKeyTraits(kind: KeyKind, given: KeyTraits): KeyTraits {
  readTraits(`${kind}Key`, given, KEY_TRAITS);
  return given;
}

/** Likewise, with the defaults. */
export function readTokenTraits(given: TokenTraits) {
  const options = readTraits('accessToken', given, TOKEN_TRAITS);
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
