import type { Awaitable } from './key-resolver.js';

/** A stored signing key. */
export interface SigningKeyRecord {
  readonly kid: string;
  readonly alg: string;
  /** The private key as a JSON Web Key (RFC 7517). Keep it encrypted. */
  readonly jwk: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  /**
   * When the key was retired. A retired key is published until the last token that it signed has expired. An issuer may
   * still sign with it until it has known the next key for about six minutes; by then, resource servers know the next
   * key too.
   */
  readonly retiredAt?: Date | null | undefined;
}

/** A store in which an issuer keeps its signing keys. A call that takes longer than a second counts as failed. */
export interface SigningKeyStore {
  /**
   * Throws a `TypeError` if the options of this store do not allow it to store signing keys. `createIssuer` calls this
   * method, so that the app fails when it starts and not at its first request.
   */
  checkSigningKeys?(): void;
  /** Returns all signing keys, oldest first. */
  listSigningKeys(): Awaitable<readonly SigningKeyRecord[]>;
  /**
   * Adds a key, but only if the newest stored key is still the one that the caller saw. Otherwise, two issuers that
   * start at the same time would both create a key.
   *
   * @param newest - The `kid` of the newest key that the caller saw; `undefined` if there was none.
   * @returns Whether the key was added.
   */
  addSigningKey(key: SigningKeyRecord, newest: string | undefined): Awaitable<boolean>;
  /**
   * Marks a key as retired for all issuers, permanently. It does not throw if the key is already retired or does not
   * exist. Issuers read only whether a key is retired, not since when, because the clocks of two issuers may differ.
   */
  retireSigningKey(kid: string): Awaitable<void>;
  /**
   * Records that an issuer with this algorithm uses the store. It records nothing if an issuer with another algorithm
   * did so within the last two minutes. Issuers call this method about once a minute while they have requests. Without
   * it, two issuers with different algorithms would retire each other's keys, and create new keys without end.
   *
   * @returns The algorithm that another issuer has recorded; `undefined` if this issuer was recorded.
   */
  announceIssuer?(algorithm: string): Awaitable<string | undefined>;
  /** Removes a key that need not be published any longer. It does not throw if the key does not exist. */
  removeSigningKey(kid: string): Awaitable<void>;
}
