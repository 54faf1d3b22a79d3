/** Credentials for the tests of a guarded app: the real verifiers, and nothing over the network. */
import { randomBytes } from 'node:crypto';
import { decodeJwt } from 'jose';
import { mintKey } from '../credentials/api-key.js';
import type { ApiMap } from '../credentials/api-map.js';
import { ENVIRONMENTS, type Environment, KEY_KINDS, type KeyKind } from '../credentials/kind.js';
import {
  type AccessKeyRecord,
  type KeyRecord,
  RecordFault,
  readAccessKeyRecord,
  readKeyRecord,
} from '../credentials/record.js';
import { namesOf, Options } from '../options/options.js';
import { accessTokens } from '../verify/access-tokens.js';
import { apiKeys } from '../verify/api-keys.js';
import type { CredentialVerifier } from '../verify/verifier.js';
import { createTestClock, type TestClock } from './test-clock.js';
import { TestIssuer } from './test-issuer.js';
import { TestStore } from './test-store.js';
import { type CredentialTraits, type KeyTraits, readKeyTraits, readTokenTraits, type TokenTraits } from './traits.js';

/** Options of `createTestKit`. */
export interface TestKitOptions {
  /** The environment that the kit's verifiers take: `'live'`. */
  readonly environment?: Environment | undefined;
  /** Which scopes belong to which API, as the app under test has it. */
  readonly apis?: ApiMap | undefined;
  /** Where the kit's clock stands: now. */
  readonly now?: Date | undefined;
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
  /** Signs an access token. It rejects with a TypeError for traits that no token can have. */
  accessToken(traits?: TokenTraits): Promise<string>;
  /** Mints a secret key. It throws a TypeError for traits that no record can have. */
  secretKey(traits?: KeyTraits): string;
  /** Mints a public key, likewise. */
  publicKey(traits?: KeyTraits): string;
  /** Revokes a credential of this kit; for a token, its access key. The next request is refused. */
  revoke(credential: string): void;
  /** Takes the store away, or brings it back. What is cached lives on for its time: move the clock. */
  outage(on: boolean): void;
}

const ISSUER = 'https://issuer.keyward.test';
const AUDIENCE = 'https://api.keyward.test';

/**
 * Makes a kit of credentials for the tests of a guarded app: hand its verifiers to the app instead of the platform's.
 *
 * @throws TypeError for an option that is unknown or of the wrong type.
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
    const { apis: reach = kind === 'secret' ? 'all' : [], scopes, expiresAt, ...traits } = readKeyTraits(kind, given);
    const place = traits.otherEnvironment ? otherEnvironment : environment;
    const common = recordOf(traits);
    const record: KeyRecord = {
      ...common,
      ...{ id: identifier('key'), kind, environment: place, apis: reach, scopes },
      expiresAt: traits.expired ? common.expiresAt : expiresAt,
    };
    assertSound(`${kind}Key`, () => readKeyRecord(record));
    const key = mintKey(kind, place);
    if (!traits.foreign) store.addKey(key, record);
    return key;
  }

  async function accessToken(given: TokenTraits = {}): Promise<string> {
    const { scopes, clientId = identifier('ack'), expiresIn, claims, ...traits } = readTokenTraits(given);
    const record: AccessKeyRecord = {
      ...recordOf({ ...traits, expired: false }),
      ...{ id: clientId, environment, secrets: [], scopes, defaultScopes: scopes },
    };
    assertSound('accessToken', () => readAccessKeyRecord(record));
    const granted = { clientId, scopes, expiresIn: traits.expired ? -1 : expiresIn, claims };
    if (traits.foreign) return stranger.sign(granted);
    if (traits.otherEnvironment) return elsewhere.sign(granted);
    store.addAccessKey(record);
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
  if (!(now instanceof Date) || Number.isNaN(now.getTime())) throw options.mistake('now', 'a Date');
  return {
    environment: options.has('environment') ? options.oneOf('environment', ENVIRONMENTS) : ('live' as const),
    apis: given.apis,
    clock: createTestClock(now.getTime()),
  };
}

/** A record that the verifiers would not believe is a mistake of the test: it is told at once, where it was made. */
function assertSound(factory: string, read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (error instanceof RecordFault) throw new TypeError(`${factory}: ${error.message}`);
    throw error;
  }
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
