/** An issuer, and the key set that is fetched from it. */
import { jest } from '@jest/globals';
import type { JWK } from 'jose';
import { instantOf } from '../../lib/contracts/clock.js';
import { KeysUnavailableError, RemoteKeySet } from '../../lib/tokens/jwks/key-set.js';
import type { VerificationKey } from '../../lib/tokens/jwks/verification-key.js';
import { type IssuerServer, serveIssuer } from './issuer-server.js';
import { createManualClock, type ManualClock } from './manual-clock.js';
import { ISSUER } from './token-forge.js';

export interface FetchedKeys {
  readonly server: IssuerServer;
  readonly clock: ManualClock;
  readonly keys: RemoteKeySet;
  /** Says where the set is. */
  readonly locate: jest.Mock<(signal: AbortSignal) => Promise<URL>>;
  fetches(): number;
  isFresh(): boolean;
  /** Finds a key that must be there. */
  held(kid: string | undefined): Promise<VerificationKey>;
  /** The key, where nobody has to wait for it. */
  atOnce(kid: string): Promise<VerificationKey | 'waiting' | undefined>;
  /** Seconds to wait, as callers get them while there are no keys. */
  retryAfter(): Promise<number>;
  close(): Promise<void>;
}

export async function serveKeys(...published: readonly JWK[]): Promise<FetchedKeys> {
  const server = await serveIssuer(...published);
  const clock = createManualClock();
  const locate = jest.fn(async (_signal: AbortSignal) => new URL(server.jwksUri));
  const keys = new RemoteKeySet({ issuer: ISSUER, clock, locate });
  return {
    server,
    clock,
    keys,
    locate,
    fetches: () => server.asked.length,
    isFresh: () => keys.isFresh(instantOf(clock)),
    async held(kid) {
      const key = await keys.find(kid);
      if (key === undefined) throw new Error(`no key ${kid}`);
      return key;
    },
    atOnce(kid) {
      const later = new Promise<'waiting'>((resolve) => setImmediate(resolve, 'waiting'));
      return Promise.race([keys.find(kid), later]);
    },
    async retryAfter() {
      const fault = await Promise.resolve(keys.find(undefined)).catch((error: unknown) => error);
      if (!(fault instanceof KeysUnavailableError)) throw new Error('the keys are there');
      return fault.retryAfter;
    },
    close: () => server.close(),
  };
}
