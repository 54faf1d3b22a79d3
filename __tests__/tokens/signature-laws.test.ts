import { constants, sign } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compactVerify } from 'jose';
import { ALGORITHMS } from '../../lib/tokens/algorithms.js';
import { readKeySet, type VerificationKey } from '../../lib/tokens/jwks/verification-key.js';
import { verifySignature } from '../../lib/tokens/signature.js';
import { law } from '../support/law.js';
import { base64url, claimsOf, createKey, type ForgeKey, headerOf, jwkOf, signedBy } from '../support/token-forge.js';

/** The orders of the curves (FIPS 186-4 appendix D). */
const ORDERS = new Map([
  ['ES256', BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551')],
  ['ES384', BigInt(`0x${'f'.repeat(48)}c7634d81f4372ddf581a0db248b0a77aecec196accc52973`)],
  ['ES512', BigInt(`0x1${'f'.repeat(65)}a51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409`)],
]);

/** A token of an algorithm, and signatures for it that are not the usual one. */
interface Subject {
  readonly alg: string;
  readonly key: VerificationKey;
  readonly publicKey: ForgeKey['publicKey'];
  readonly input: string;
  readonly signatures: readonly Buffer[];
}

const subjects = new Map<string, Subject>();

beforeAll(() => {
  const rsa = createKey('RS256');
  for (const alg of ALGORITHMS.keys()) {
    const pair = /^[RP]S/.test(alg) ? { ...rsa, alg } : createKey(alg);
    const [key] = readKeySet({ keys: [jwkOf(pair)] });
    if (key === undefined) throw new Error('no usable key');
    const input = `${base64url(headerOf(pair))}.${base64url(claimsOf())}`;
    subjects.set(alg, { alg, key, publicKey: pair.publicKey, input, signatures: signaturesOf(pair, input) });
  }
});

/** The good one first. */
function signaturesOf(pair: ForgeKey, input: string): readonly Buffer[] {
  const good = signedBy(pair)(input);
  const others = [signedBy(pair)(`${input} `), Buffer.alloc(good.length), Buffer.alloc(good.length, 0xff)];
  const order = ORDERS.get(pair.alg);
  if (order !== undefined) others.push(...ecdsaForms(pair, good, order));
  if (/^[RP]S/.test(pair.alg)) others.push(...rsaForms(pair, input));
  return [good, ...others];
}

/** (r, n - s) is a second signature of the same text; the others are none. */
function ecdsaForms({ alg, privateKey }: ForgeKey, good: Buffer, order: bigint): readonly Buffer[] {
  const half = good.length / 2;
  const [r, s] = [numberOf(good.subarray(0, half)), numberOf(good.subarray(half))];
  const pairs = [
    ...[[r, order - s] as const, [order - r, s] as const, [s, r] as const, [0n, s] as const, [r, 0n] as const],
    ...[[order, s] as const, [r, order] as const, [r, s + order] as const, [1n, 1n] as const],
  ];
  const der = sign(`sha${alg.slice(2)}`, Buffer.from('x'), privateKey);
  return [...pairs.map((pair) => Buffer.concat(pair.map((number) => bytesOf(number, half)))), der];
}

/** Every scheme and hash that the key can sign with, and salts of other lengths. */
function rsaForms(pair: ForgeKey, input: string): readonly Buffer[] {
  const algs = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
  const salted = [0, 20, 48, constants.RSA_PSS_SALTLEN_MAX_SIGN].map((saltLength) =>
    sign(`sha${pair.alg.slice(2)}`, Buffer.from(input), {
      key: pair.privateKey,
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength,
    }),
  );
  return [...algs.map((alg) => signedBy(pair, alg)(input)), ...salted];
}

const numberOf = (bytes: Buffer) => BigInt(`0x${bytes.toString('hex')}`);
/** The last bytes of a number that is too large. */
const bytesOf = (number: bigint, length: number) =>
  Buffer.from(
    number
      .toString(16)
      .padStart(length * 2, '0')
      .slice(-length * 2),
    'hex',
  );

/** How a token is changed: one of its signatures is chosen, then bits of it or of the text are flipped, then bytes cut or added. */
const changes = fc.record({
  alg: fc.constantFrom(...ALGORITHMS.keys()),
  signature: fc.oneof(fc.constant(0), fc.nat()),
  flips: fc.oneof(fc.constant([]), fc.array(fc.nat(), { maxLength: 3 })),
  character: fc.option(fc.nat(), { nil: undefined, freq: 2 }),
  lengthen: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, fc.integer({ min: -4, max: 4 })),
});

describe('node:crypto and jose give the same result', () => {
  law('a token of any algorithm, changed in any way', () =>
    fc.asyncProperty(changes, async ({ alg, signature: index, flips, character, lengthen }) => {
      const { key, publicKey, input, signatures } = subjectOf(alg);
      const text = character === undefined ? input : withOtherCharacter(input, character);
      const signature = lengthened(flipped(signatures[index % signatures.length] as Buffer, flips), lengthen);
      const compact = `${text}.${signature.toString('base64url')}`;
      const ours = await verifySignature({ compact, header: {}, payload: {}, signature }, key, alg);
      const theirs = await compactVerify(compact, publicKey, { algorithms: [alg] }).then(
        () => true,
        () => false,
      );
      if (ours !== theirs) throw new Error(`${alg}: ${ours}, and jose says ${theirs}, of ${compact}`);
    }),
  );

  it.each([...ORDERS.keys()])('(r, n - s) is accepted: a token of %s has two signatures', async (alg) => {
    const { key, input, signatures } = subjectOf(alg);
    const verdicts = signatures.map((signature) =>
      verifySignature({ compact: `${input}.`, header: {}, payload: {}, signature }, key, alg),
    );
    const good = (await Promise.all(verdicts)).flatMap((isGood, index) => (isGood ? [index] : []));
    // The good one, and behind the three that are no signatures of this text the first of the other forms.
    expect(good).toEqual([0, 4]);
  });
});

function subjectOf(alg: string): Subject {
  const subject = subjects.get(alg);
  if (subject === undefined) throw new Error('no such algorithm');
  return subject;
}

function withOtherCharacter(text: string, at: number): string {
  const index = at % text.length;
  return `${text.slice(0, index)}${text[index] === 'A' ? 'B' : 'A'}${text.slice(index + 1)}`;
}

function flipped(bytes: Buffer, flips: readonly number[]): Buffer {
  const copy = Buffer.from(bytes);
  for (const flip of flips) {
    const bit = flip % (copy.length * 8);
    copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  }
  return copy;
}

function lengthened(bytes: Buffer, by: number): Buffer {
  return by < 0 ? bytes.subarray(0, bytes.length + by) : Buffer.concat([bytes, Buffer.alloc(by)]);
}
