/** The signing keys of an issuer: made on first use, rotated on schedule, published before they sign. */
import type { JWK } from 'jose';
import type { Clock } from '../contracts/clock.js';
import type { Awaitable } from '../contracts/key-resolver.js';
import type { SigningKeyStore } from '../contracts/signing-key-store.js';
import { issuerNotices } from '../events/issuer-notice.js';
import { causeOf } from './cause-of.js';
import { isRotationDue, retiredKeysOf, signingKeyOf } from './key-schedule.js';
import {
  makeSigningKey,
  readSigningKey,
  type SigningAlgorithm,
  type SigningKey,
  SigningKeyFault,
} from './signing-key.js';

/** The keys in use, oldest first. */
type Keys = readonly [SigningKey, ...SigningKey[]];

/** The keys are read anew from the store this often, so that instances see what one of them made. */
const READ_EVERY = 60_000;

/** A store that takes longer to answer cannot be reached. Where there are keys already, it is left alone for a while. */
const PATIENCE = 1_000;
const ASK_AGAIN_AFTER = 5_000;

export class SigningKeys {
  readonly #store: SigningKeyStore;
  readonly #algorithm: SigningAlgorithm;
  readonly #clock: Clock;
  readonly #patience: number;
  #keys: Keys | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<Keys> | undefined;

  /** @param patience - Milliseconds that one answer of the store may take. */
  constructor(store: SigningKeyStore, algorithm: SigningAlgorithm, clock: Clock, patience = PATIENCE) {
    this.#store = store;
    this.#algorithm = algorithm;
    this.#clock = clock;
    this.#patience = patience;
  }

  /**
   * The key that signs now.
   *
   * @throws SigningKeyFault where there is none, and none can be had.
   */
  current(): Awaitable<SigningKey> {
    const signing = (keys: Keys) => signingKeyOf(keys, this.#clock.now());
    const keys = this.#fresh();
    return keys === undefined ? this.#readOrKept().then(signing) : signing(keys);
  }

  /**
   * The JWK Set to publish (RFC 7517 §5): no private member.
   *
   * @throws SigningKeyFault as `current` does.
   */
  async published(): Promise<{ readonly keys: readonly JWK[] }> {
    const keys = this.#fresh() ?? (await this.#readOrKept());
    return { keys: keys.map((key) => key.publicJwk) };
  }

  /** The keys that were read, if the store need not be asked now. */
  #fresh(): Keys | undefined {
    const now = this.#clock.monotonic();
    return now - this.#readAt < READ_EVERY || now - this.#failedAt < ASK_AGAIN_AFTER ? this.#keys : undefined;
  }

  /** What the store holds. While it cannot be reached, the keys that were read go on. */
  async #readOrKept(): Promise<Keys> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    try {
      return await this.#reading;
    } catch (error) {
      if (this.#keys === undefined) throw error;
      return this.#keys;
    }
  }

  async #read(): Promise<Keys> {
    try {
      const now = this.#clock.now();
      let keys = await this.#stored();
      if (isRotationDue(keys, now) || this.#startsAnew(keys)) {
        const made = await makeSigningKey(this.#algorithm, now);
        await this.#ask('addSigningKey', (store) => store.addSigningKey(made, keys.at(-1)?.kid));
        keys = await this.#stored();
      }
      const retired = retiredKeysOf(keys, now);
      const [oldest, ...others] = keys.filter((key) => !retired.includes(key));
      if (oldest === undefined) throw new SigningKeyFault('the store keeps no key that it was given');
      this.#keys = [oldest, ...others];
      this.#readAt = this.#clock.monotonic();
      for (const { kid } of retired) await this.#ask('removeSigningKey', (store) => store.removeSigningKey(kid));
      return this.#keys;
    } catch (error) {
      this.#failedAt = this.#clock.monotonic();
      const detail = error instanceof SigningKeyFault ? error.message : causeOf(error);
      if (issuerNotices.hasSubscribers) issuerNotices.publish({ notice: 'signing_keys_away', detail });
      throw error;
    }
  }

  /**
   * Whether the newest key is of another algorithm than this instance was told. Asked at the start alone: while
   * instances of both algorithms run, they would make keys in turn.
   */
  #startsAnew(keys: readonly SigningKey[]): boolean {
    return this.#readAt === Number.NEGATIVE_INFINITY && keys.at(-1)?.alg !== this.#algorithm;
  }

  async #stored(): Promise<readonly SigningKey[]> {
    const records: unknown = await this.#ask('listSigningKeys', (store) => store.listSigningKeys());
    if (!Array.isArray(records)) throw new SigningKeyFault('listSigningKeys: no list');
    return Promise.all(
      records.map((record) => this.#keys?.find(({ kid }) => kid === record?.kid) ?? readSigningKey(record)),
    );
  }

  async #ask<T>(what: keyof SigningKeyStore, ask: (store: SigningKeyStore) => Awaitable<T>): Promise<T> {
    try {
      return await inTime(ask(this.#store), this.#patience);
    } catch (error) {
      throw new SigningKeyFault(`${what}: ${causeOf(error)}`);
    }
  }
}

/** Waits for an answer, but no longer than so many milliseconds. */
async function inTime<T>(answer: Awaitable<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const error = Object.assign(new Error('late'), { name: 'TimeoutError' });
    timer = setTimeout(() => reject(error), milliseconds);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
