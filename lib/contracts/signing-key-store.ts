import type { Awaitable } from './key-resolver.js';

/** A signing key at rest. Its state follows from when it was made: nothing about it is ever edited. */
export interface SigningKeyRecord {
  readonly kid: string;
  readonly alg: string;
  /** The private key as a JSON Web Key (RFC 7517). Keep it encrypted. */
  readonly jwk: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
}

/** Where an issuer keeps its signing keys. */
export interface SigningKeyStore {
  /**
   * Throws a `TypeError` where this store cannot keep signing keys as it was made: `createIssuer` asks when it is made itself,
   * so that the mistake is not found by the first client.
   */
  checkSigningKeys?(): void;
  /** Every key there is, oldest first. */
  listSigningKeys(): Awaitable<readonly SigningKeyRecord[]>;
  /**
   * Adds a key, if the newest one there is still the one that the caller saw: so two issuers that start at once get
   * one key.
   *
   * @param newest - The `kid` of the newest key that the caller saw; `undefined` for none.
   * @returns Whether it was added.
   */
  addSigningKey(key: SigningKeyRecord, newest: string | undefined): Awaitable<boolean>;
  /** Removes a key that is no longer published; one that is not there is no error. */
  removeSigningKey(kid: string): Awaitable<void>;
}
