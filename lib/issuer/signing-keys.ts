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

/** Where there are keys already, a store that takes longer cannot be reached, and is not asked again for a while. */
const PATIENCE = 1_000;
const ASK_AGAIN_AFTER = 5_000;

// RFC 7518 §6: nothing but these leaves the house.
const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e'] as const;

export class SigningKeys {
  readonly #store: SigningKeyStore;
  readonly #algorithm: SigningAlgorithm;
  readonly #clock: Clock;
  readonly #patience: number;
  #keys: readonly SigningKey[] = [];
  #readAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;
  #reads = 0;

  /** @param patience - Milliseconds that the store may take where there are keys already. */
  constructor(store: SigningKeyStore, algorithm: SigningAlgorithm, clock: Clock, patience = PATIENCE) {
    this.#store = store;
    this.#algorithm = algorithm;
    this.#clock = clock;
    this.#patience = patience;
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
    const now = this.#clock.monotonic();
    if (now - this.#readAt < READ_EVERY) return;
    const hasKeys = this.#keys.length > 0;
    if (hasKeys && now - this.#failedAt < ASK_AGAIN_AFTER) return;
    this.#reading ??= (hasKeys ? inTime(this.#read(), this.#patience) : this.#read()).finally(() => {
      this.#reading = undefined;
    });
    try {
      await this.#reading;
    } catch (error) {
      if (!hasKeys) throw error;
      this.#failedAt = this.#clock.monotonic();
    }
  }

  async #read(): Promise<void> {
    this.#reads += 1;
    const turn = this.#reads;
    const now = this.#clock.now();
    let keys = await this.#import(await this.#store.listSigningKeys());
    if (isRotationDue(keys, now)) {
      await this.#store.addSigningKey(await makeKey(this.#algorithm, now), keys.at(-1)?.kid);
      keys = await this.#import(await this.#store.listSigningKeys());
    }
    // What comes after its time must not undo what a later attempt brought.
    if (turn !== this.#reads) return;
    const retired = retiredKeysOf(keys, now);
    this.#keys = keys.filter((key) => !retired.includes(key));
    this.#readAt = this.#clock.monotonic();
    for (const { kid } of retired) await this.#store.removeSigningKey(kid);
  }

  #import(records: readonly SigningKeyRecord[]): Promise<readonly SigningKey[]> {
    return Promise.all(records.map((record) => this.#keys.find(({ kid }) => kid === record.kid) ?? importKey(record)));
  }
}

/** Waits for a promise, but no longer than so many milliseconds. */
async function inTime(promise: Promise<void>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('late')), milliseconds);
  });
  try {
    await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
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
