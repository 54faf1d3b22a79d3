/** The signing keys of an issuer: made on first use, rotated on schedule, published before they sign. */
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import type { Clock } from '../contracts/clock.js';
import type { SigningKeyRecord, SigningKeyStore } from '../contracts/signing-key-store.js';
import { isRotationDue, retiredKeysOf, type Scheduled, signingKeyOf } from './key-schedule.js';

/** The algorithms that an issuer signs with. */
export type SigningAlgorithm = 'RS256' | 'ES256' | 'EdDSA';

/** Every algorithm that an issuer signs with, for checking options. */
export const SIGNING_ALGORITHMS: readonly SigningAlgorithm[] = Object.freeze(['RS256', 'ES256', 'EdDSA'] as const);

/** A key, ready to sign. */
export interface SigningKey extends Scheduled {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

/** The keys are read anew from the store this often, so that instances see what one of them made. */
const READ_EVERY = 60_000;

// RFC 7518 §6: nothing but these leaves the house.
const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e'] as const;

export class SigningKeys {
  readonly #store: SigningKeyStore;
  readonly #algorithm: SigningAlgorithm;
  readonly #clock: Clock;
  #keys: readonly SigningKey[] = [];
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(store: SigningKeyStore, algorithm: SigningAlgorithm, clock: Clock) {
    this.#store = store;
    this.#algorithm = algorithm;
    this.#clock = clock;
  }

  /** The key that signs now. */
  async current(): Promise<SigningKey> {
    await this.#bringUpToDate();
    const key = signingKeyOf(this.#keys, this.#clock.now());
    if (key === undefined) throw new Error('keyward: the store of signing keys keeps none of those it was given');
    return key;
  }

  /** The JWK Set to publish (RFC 7517 §5): no private member. */
  async published(): Promise<{ readonly keys: readonly JWK[] }> {
    await this.#bringUpToDate();
    return { keys: this.#keys.map((key) => key.publicJwk) };
  }

  /** Keys that were read stay in use while the store cannot be reached; without any, what it threw goes on. */
  async #bringUpToDate(): Promise<void> {
    if (this.#clock.monotonic() - this.#readAt < READ_EVERY) return;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    try {
      await this.#reading;
    } catch (error) {
      if (this.#keys.length === 0) throw error;
    }
  }

  async #read(): Promise<void> {
    const now = this.#clock.now();
    let keys = await this.#import(await this.#store.listSigningKeys());
    if (isRotationDue(keys, now)) {
      await this.#store.addSigningKey(await makeKey(this.#algorithm, now), keys.at(-1)?.kid);
      keys = await this.#import(await this.#store.listSigningKeys());
    }
    for (const { kid } of retiredKeysOf(keys, now)) await this.#store.removeSigningKey(kid);
    this.#keys = keys.filter((key) => !retiredKeysOf(keys, now).includes(key));
    this.#readAt = this.#clock.monotonic();
  }

  #import(records: readonly SigningKeyRecord[]): Promise<readonly SigningKey[]> {
    return Promise.all(records.map((record) => this.#keys.find(({ kid }) => kid === record.kid) ?? importKey(record)));
  }
}

async function makeKey(alg: SigningAlgorithm, now: number): Promise<SigningKeyRecord> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true, modulusLength: 2_048 });
  const jwk = await exportJWK(privateKey);
  return { kid: await calculateJwkThumbprint(jwk), alg, jwk: { ...jwk }, createdAt: new Date(now) };
}

async function importKey({ kid, alg, jwk, createdAt }: SigningKeyRecord): Promise<SigningKey> {
  const privateKey = (await importJWK(jwk as JWK, alg)) as CryptoKey;
  const members = PUBLIC_MEMBERS.flatMap((name) => (jwk[name] === undefined ? [] : [[name, jwk[name]]]));
  const publicJwk: JWK = { ...Object.fromEntries(members), kid, alg, use: 'sig' };
  return { kid, alg, privateKey, publicJwk: Object.freeze(publicJwk), createdAt: createdAt.getTime() };
}
