/** Credentials for the tests of a guarded app: the real verifiers, and nothing over the network. */
import { randomBytes } from 'node:crypto';
import { decodeJwt } from 'jose';
import { mintKey } from '../credentials/api-key.js';
import type { ApiMap } from '../credentials/api-map.js';
import { ENVIRONMENTS, type Environment, KEY_KINDS, type KeyKind } from '../credentials/kind.js';
import { namesOf, Options } from '../options/options.js';
import { accessTokens } from '../verify/access-tokens.js';
import { apiKeys } from '../verify/api-keys.js';
import type { CredentialVerifier } from '../verify/verifier.js';
import { createTestClock, type TestClock } from './test-clock.js';
import { TestIssuer } from './test-issuer.js';
import { TestStore } from './test-store.js';

/** Options of `createTestKit`. */
export interface TestKitOptions {
  /** The environment that the kit's verifiers take: `'live'`. */
  readonly environment?: Environment | undefined;
  /** Which scopes belong to which API, as the app under test has it. */
  readonly apis?: ApiMap | undefined;
  /** Where the kit's clock stands: now. */
  readonly now?: Date | undefined;
}

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

/** What `createTestKit` makes. */
export interface TestKit {
  /** For `requireBearer({ accept })`: access tokens, and keys of both kinds. */
  readonly accept: readonly CredentialVerifier[];
  /** The verifier of access tokens by itself. */
  readonly tokens: CredentialVerifier;
  /** The verifier of keys of some kinds by itself. */
  keys(...kinds: readonly KeyKind[]): CredentialVerifier;
  /** The clock of all of them. It stands still until `clock.advance(milliseconds)`. */
  readonly clock: TestClock;
  readonly issuer: string;
  readonly audience: string;
  /** Signs an access token. */
  accessToken(traits?: TokenTraits): Promise<string>;
  /** Mints a secret key. */
  secretKey(traits?: KeyTraits): string;
  /** Mints a public key. */
  publicKey(traits?: KeyTraits): string;
  /** Revokes a credential of this kit; for a token, its access key. The next request is refused. */
  revoke(credential: string): void;
  /** Takes the store away, or brings it back. What is cached lives on for its time: move the clock. */
  outage(on: boolean): void;
}

const ISSUER = 'https://issuer.keyward.test';
const AUDIENCE = 'https://api.keyward.test';
const LIFETIME = 3_600;

const CREDENTIAL_TRAITS = [
  'account',
  'channels',
  'platform',
  'expired',
  'revoked',
  'disabled',
  'foreign',
  'otherEnvironment',
];
const KEY_TRAITS = [...CREDENTIAL_TRAITS, 'apis', 'scopes', 'expiresAt'];
const TOKEN_TRAITS = [...CREDENTIAL_TRAITS, 'scopes', 'clientId', 'expiresIn', 'claims'];

/**
 * Makes a kit of credentials for the tests of a guarded app: hand its verifiers to the app instead of the platform's.
 *
 * @throws TypeError for an option or a trait that is unknown or of the wrong type.
 */
export function createTestKit(options: TestKitOptions = {}): TestKit {
  const { environment, apis, clock } = readOptions(options);
  const store = new TestStore();
  const issuer = new TestIssuer({ issuer: ISSUER, audience: AUDIENCE, clock });
  const stranger = new TestIssuer({ issuer: ISSUER, audience: AUDIENCE, clock });
  const elsewhere = new TestIssuer({ issuer: `${ISSUER}/other`, audience: AUDIENCE, clock });
  const otherEnvironment: Environment = environment === 'live' ? 'sandbox' : 'live';

  const tokens = accessTokens({
    ...{ issuer: ISSUER, audience: AUDIENCE, jwks: issuer.jwks, environment, apis, clock },
    accessKeys: store,
  });
  const verifiers = new Map<string, ReturnType<typeof apiKeys>>();

  function keys(...kinds: readonly KeyKind[]) {
    const name = namesOf('keys', kinds, KEY_KINDS).join();
    const known = verifiers.get(name);
    const verifier = known ?? apiKeys({ resolver: store.resolveKey, kinds, environment, apis, clock });
    verifiers.set(name, verifier);
    return verifier;
  }

  function mint(kind: KeyKind, given: KeyTraits): string {
    new Options(`${kind}Key`, given, KEY_TRAITS);
    const { apis: reach = kind === 'secret' ? 'all' : [], scopes, expiresAt, ...traits } = given;
    const place = traits.otherEnvironment ? otherEnvironment : environment;
    const key = mintKey(kind, place);
    if (traits.foreign) return key;
    const common = recordOf(traits);
    store.addKey(key, {
      ...common,
      ...{ id: identifier('key'), kind, environment: place, apis: reach, scopes },
      expiresAt: traits.expired ? common.expiresAt : expiresAt,
    });
    return key;
  }

  async function accessToken(given: TokenTraits = {}): Promise<string> {
    new Options('accessToken', given, TOKEN_TRAITS);
    const { scopes = [], clientId = identifier('ack'), expiresIn = LIFETIME, claims = {}, ...traits } = given;
    const granted = { clientId, scopes, expiresIn: traits.expired ? -1 : expiresIn, claims };
    if (traits.foreign) return stranger.sign(granted);
    if (traits.otherEnvironment) return elsewhere.sign(granted);
    store.addAccessKey({
      ...recordOf({ ...traits, expired: false }),
      ...{ id: clientId, environment, secrets: [], scopes, defaultScopes: scopes },
    });
    tokens.invalidate({ accessKey: clientId });
    return issuer.sign(granted);
  }

  function recordOf({ account = 'acc_test', channels, platform, expired, revoked, disabled }: CredentialTraits) {
    const past = new Date(clock.now() - 1);
    const [expiresAt, revokedAt] = [expired ? past : undefined, revoked ? past : undefined];
    return { account, channels, platform, disabled, expiresAt, revokedAt };
  }

  function revoke(credential: string): void {
    const now = new Date(clock.now());
    const key = store.revokeKey(credential, now);
    if (key !== undefined) {
      for (const verifier of verifiers.values()) verifier.invalidate({ key: key.id });
      return;
    }
    const id = clientOf(credential);
    if (id === undefined || store.revokeAccessKey(id, now) === undefined) {
      throw new TypeError('revoke: this kit made no such credential');
    }
    tokens.invalidate({ accessKey: id });
  }

  return Object.freeze({
    ...{ accept: Object.freeze([tokens, keys('secret', 'public')]), tokens, keys, clock },
    ...{ issuer: ISSUER, audience: AUDIENCE, accessToken, revoke },
    secretKey: (traits: KeyTraits = {}) => mint('secret', traits),
    publicKey: (traits: KeyTraits = {}) => mint('public', traits),
    outage: (on: boolean) => store.setReachable(!on),
  });
}

function readOptions(given: TestKitOptions) {
  const options = new Options('createTestKit', given, ['environment', 'apis', 'now']);
  const now = options.raw('now') ?? new Date();
  if (!(now instanceof Date)) throw options.mistake('now', 'a Date');
  return {
    environment: options.has('environment') ? options.oneOf('environment', ENVIRONMENTS) : ('live' as const),
    apis: given.apis,
    clock: createTestClock(now.getTime()),
  };
}

function clientOf(token: string): string | undefined {
  try {
    return decodeJwt<{ client_id?: string }>(token).client_id;
  } catch {
    return undefined;
  }
}

function identifier(prefix: string): string {
  return `${prefix}_${randomBytes(16).toString('hex')}`;
}
