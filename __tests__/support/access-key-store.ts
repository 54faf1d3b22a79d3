/** A store of one access key, and the verifier of its tokens. */
import { expect, jest } from '@jest/globals';
import {
  type AccessKeyRecord,
  type AccessTokensOptions,
  accessTokens,
  type CredentialVerifier,
  type Invalidatable,
} from 'keyward';
import { PresentedCredential } from '../../lib/http/presented-credential.js';
import { createManualClock, type ManualClock } from './manual-clock.js';
import { AUDIENCE, createKey, type ForgeKey, ISSUER, jwksOf } from './token-forge.js';

type TokenVerifier = CredentialVerifier & Invalidatable;

export interface AccessKeyStore {
  /** Signs the tokens. */
  readonly key: ForgeKey;
  readonly clock: ManualClock;
  readonly resolveAccessKey: jest.Mock<(id: string) => Promise<AccessKeyRecord | null | undefined>>;
  /** How many lookups were made. */
  lookups(): number;
  /** From now on the store holds this: a record, or what is none. */
  put(record: unknown): void;
  verifier(options?: Partial<AccessTokensOptions>): TokenVerifier;
}

export const ACCESS_KEY: AccessKeyRecord = {
  ...{ id: 'ack_forged', account: 'acc_1', environment: 'live', secrets: [] },
  ...{ scopes: ['payments', 'payments:refund', 'disputes'], defaultScopes: ['payments'] },
};

export function createAccessKeyStore(): AccessKeyStore {
  let record: unknown = ACCESS_KEY;
  const key = createKey('ES256', 'ours');
  const clock = createManualClock();
  const resolveAccessKey = jest.fn(async (_id: string) => record as AccessKeyRecord | null | undefined);
  const options = { issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(key), clock, accessKeys: { resolveAccessKey } };
  return {
    key,
    clock,
    resolveAccessKey,
    lookups: () => resolveAccessKey.mock.calls.length,
    put: (next) => {
      record = next;
    },
    verifier: (changes = {}) => accessTokens({ ...options, ...changes }),
  };
}

export async function ask(verifier: CredentialVerifier, token: string) {
  return verifier.verify(new PresentedCredential(token));
}

/** What a verifier answers, in part. */
export const accepted = (principal: object = {}) =>
  expect.objectContaining({ outcome: 'accepted', principal: expect.objectContaining(principal) });
export const refused = (reason: string) => ({ outcome: 'refused', reason, keyId: ACCESS_KEY.id });
export const unavailable = (reason: string) => ({ outcome: 'unavailable', reason });
