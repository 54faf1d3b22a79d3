/**
 * Makes and checks the nonces that a server gives its clients (RFC 9449 sections 8 and 9). Nothing is stored: a nonce
 * is a time and its HMAC, so every process with the secret accepts the nonces of the other processes.
 */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../contracts/clock.js';

export interface NonceOptions {
  /** The first secret makes new nonces; nonces made with any of the secrets are accepted. */
  readonly secrets: readonly string[];
  /** Seconds for which a nonce is accepted. */
  readonly maxAge: number;
  readonly clock: Clock;
}

/**
 * The state of a nonce. `aging`: the nonce is accepted, but the client should get a new one now. It is older than half
 * of `maxAge`, or was made with an old secret.
 */
export type NonceState = 'current' | 'aging' | 'refused';

const NONCE = /^[\w-]{28}$/;
const TIME_BYTES = 5;
/**
 * Length of the MAC in bytes (128 bits). Time and MAC together have 21 bytes, so that base64url has no unused bits and
 * each nonce has only one spelling.
 */
const MAC_BYTES = 16;
/** Seconds by which the process that made a nonce may have a clock ahead of the clock here. */
const TOLERANCE = 5;

export class Nonces {
  readonly #keys: readonly Buffer[];
  readonly #maxAge: number;
  readonly #clock: Clock;

  constructor({ secrets, maxAge, clock }: NonceOptions) {
    // The secret may also serve other purposes. The label makes sure that a MAC made for another purpose is not a valid
    // nonce.
    this.#keys = secrets.map((secret) => hash('sha256', `keyward DPoP nonce\0${secret}`, 'buffer'));
    this.#maxAge = maxAge;
    this.#clock = clock;
  }

  /** Makes a nonce from the current time. */
  issue(): string {
    const time = Buffer.alloc(TIME_BYTES);
    time.writeUIntBE(this.#seconds(), 0, TIME_BYTES);
    return Buffer.concat([time, macOf(time, this.#keys[0] as Buffer)]).toString('base64url');
  }

  /** Checks the claim `nonce` of a proof. */
  judge(nonce: unknown): NonceState {
    if (typeof nonce !== 'string' || !NONCE.test(nonce)) return 'refused';
    const bytes = Buffer.from(nonce, 'base64url');
    const [time, mac] = [bytes.subarray(0, TIME_BYTES), bytes.subarray(TIME_BYTES)];
    const age = this.#seconds() - time.readUIntBE(0, TIME_BYTES);
    if (age > this.#maxAge || age < -TOLERANCE) return 'refused';
    const maker = this.#keys.findIndex((key) => timingSafeEqual(macOf(time, key), mac));
    if (maker === -1) return 'refused';
    return maker === 0 && age <= this.#maxAge / 2 ? 'current' : 'aging';
  }

  #seconds(): number {
    return Math.floor(this.#clock.now() / 1_000);
  }
}

function macOf(time: Buffer, key: Buffer): Buffer {
  return createHmac('sha256', key).update(time).digest().subarray(0, MAC_BYTES);
}
