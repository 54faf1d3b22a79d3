import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { keywardFormat, mintKey } from '../../lib/credentials/keyward-format.js';
import { law } from '../support/law.js';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

const FORMS = [
  { prefix: 'sk_', kind: 'secret', environment: 'live', mark: 1 },
  { prefix: 'pk_', kind: 'public', environment: 'live', mark: 2 },
  { prefix: 'sk_sbox_', kind: 'secret', environment: 'sandbox', mark: 4 },
  { prefix: 'pk_sbox_', kind: 'public', environment: 'sandbox', mark: 8 },
] as const;

const DOCUMENT = readFileSync(new URL('../../docs/reference/key-format.md', import.meta.url), 'utf8');
const ROW = /^\| `([sp]k_(?:sbox_)?)` \| `([a-z2-7]{26})` \| `([a-z2-7])` \| `(\w+)` \|$/gm;
const VECTORS = [...DOCUMENT.matchAll(ROW)].map(([, prefix = '', random = '', check = '', key = '']) => ({
  prefix,
  random,
  check,
  key,
}));

const PLACES = Array.from({ length: 27 }, (_, index) => index);
const POWERS = PLACES.map(power);

const randomPart = fc.string({ unit: fc.constantFrom(...ALPHABET), minLength: 26, maxLength: 26 });
const form = fc.constantFrom(...FORMS);

describe('keywardFormat', () => {
  it.each(FORMS)('reads $prefix as a $kind key, $environment', ({ prefix, kind, environment, mark }) => {
    const random = 'wlj3nsyprj5ipdr2b4nkxzepnm';
    expect(keywardFormat.read(prefix + random + checkOf(mark, random))).toMatchObject({ kind, environment });
  });

  it.each(['', 's', 'sk', 'sk-', 'SK_', 'Pk_', 'xk_', 'ck_', 'rk_live_', ' sk_', 'ack_', 'eyJh.'])(
    'does not know the prefix %j',
    (prefix) => {
      expect(keywardFormat.read(`${prefix}wlj3nsyprj5ipdr2b4nkxzepnmg`)).toBeUndefined();
    },
  );

  it.each(FORMS)('returns malformed for an invalid key with the prefix $prefix', ({ prefix, mark }) => {
    const random = 'q2w3e4r5t6y7uiopasdfghjklz';
    const key = prefix + random + checkOf(mark, random);
    const others = [
      prefix,
      key.slice(0, -1),
      `${key}a`,
      prefix + random.slice(1) + checkOf(mark, random.slice(1)),
      `${prefix}a${random}${checkOf(mark, `a${random}`)}`,
      `${key} `,
      `${key}\n`,
      `${key}=`,
      `${prefix} ${key.slice(prefix.length)}`,
      prefix + key.slice(prefix.length).toUpperCase(),
    ];
    expect(others.map((text) => keywardFormat.read(text))).toEqual(others.map(() => 'malformed'));
  });

  it.each([...'018A_-=é'])('returns malformed for a key with %s, in every place', (character) => {
    const key = 'sk_wlj3nsyprj5ipdr2b4nkxzepnmg';
    expect(PLACES.filter((at) => isKey(replaced(key, key.length - 27 + at, character)))).toEqual([]);
  });

  it.each(FORMS)('finds every wrong character of a $kind key, $environment', ({ kind, environment }) => {
    const key = mintKey(kind, environment);
    const start = key.length - 27;
    const texts = PLACES.flatMap((at) => [...ALPHABET].map((character) => replaced(key, start + at, character)));
    expect(texts).toHaveLength(27 * 32);
    expect(texts.filter(isKey)).toEqual(PLACES.map(() => key));
  });

  it.each(FORMS)('finds any two swapped characters of a $kind key, $environment', ({ kind, environment }) => {
    const key = mintKey(kind, environment);
    const start = key.length - 27;
    const texts = PLACES.flatMap((one) =>
      PLACES.slice(one + 1).map((other) => swapped(key, start + one, start + other)),
    );
    expect(texts).toHaveLength((27 * 26) / 2);
    expect(texts.filter((text) => text !== key && isKey(text))).toEqual([]);
  });

  law('finds every wrong character and every swap of neighbours of any key', () =>
    fc.property(form, randomPart, fc.nat(26), fc.nat(30), ({ prefix, mark }, random, at, step) => {
      const body = random + checkOf(mark, random);
      const other = ALPHABET.charAt((ALPHABET.indexOf(body.charAt(at)) + 1 + step) % 32);
      const pair = swapped(body, at, (at + 1) % 27);
      expect([prefix + replaced(body, at, other), prefix + pair].map(isKey)).toEqual([false, pair === body]);
    }),
  );

  law('finds the prefix of another kind or environment', () =>
    fc.property(form, form, randomPart, (right, wrong, random) => {
      const body = random + checkOf(right.mark, random);
      expect(keywardFormat.read(wrong.prefix + body) === 'malformed').toBe(right !== wrong);
    }),
  );

  law('takes one check character of the 32 for each random part', () =>
    fc.property(form, randomPart, ({ prefix, kind, environment, mark }, random) => {
      const accepted = [...ALPHABET].filter((check) => keywardFormat.read(prefix + random + check) !== 'malformed');
      expect(accepted).toEqual([checkOf(mark, random)]);
      expect(keywardFormat.read(prefix + random + accepted)).toMatchObject({ kind, environment });
    }),
  );

  it('cannot be changed', () => {
    expect(Object.isFrozen(keywardFormat)).toBe(true);
  });
});

describe('docs/reference/key-format.md', () => {
  it('has five vectors', () => {
    expect(VECTORS).toHaveLength(5);
  });

  it.each(VECTORS)('$key is valid', ({ prefix, random, check, key }) => {
    const { mark, kind, environment } = FORMS.find((candidate) => candidate.prefix === prefix) ?? FORMS[0];
    expect(checkOf(mark, random)).toBe(check);
    expect(key).toBe(prefix + random + check);
    expect(keywardFormat.read(key)).toMatchObject({ kind, environment });
  });

  it.each(FORMS)('names $prefix with its kind, its environment and the mark $mark', (row) => {
    expect(DOCUMENT).toContain(`| \`${row.prefix}\` | ${row.kind} | ${row.environment} | ${row.mark} |`);
  });

  it('lists the powers of α', () => {
    expect(DOCUMENT).toContain(`are ${POWERS.join(', ')}.`);
  });
});

describe('the examples in lib/credentials/keyward-format.ts', () => {
  const source = readFileSync(new URL('../../lib/credentials/keyward-format.ts', import.meta.url), 'utf8');

  it.each(source.match(/\b[sp]k_(?:sbox_)?[a-z2-7]{27}\b/g) ?? ['none'])('%s is a valid key', (key) => {
    expect(isKey(key)).toBe(true);
  });
});

describe('mintKey', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it.each(FORMS)('creates a valid $kind key, $environment', ({ prefix, kind, environment, mark }) => {
    const key = mintKey(kind, environment);
    expect(key).toMatch(new RegExp(`^${prefix}[a-z2-7]{27}$`));
    expect(keywardFormat.read(key)).toMatchObject({ kind, environment });
    expect(key.at(-1)).toBe(checkOf(mark, key.slice(prefix.length, -1)));
  });

  it('P19 creates 100,000 keys: no duplicate, none that a form would change, none with Math.random', () => {
    const random = jest.spyOn(Math, 'random');
    const keys = Array.from({ length: 100_000 }, () => mintKey('secret', 'live'));
    expect(new Set(keys.map((key) => key.slice(0, -1))).size).toBe(100_000);
    expect(keys.filter((key) => !/^sk_[a-z2-7]{27}$/.test(key))).toEqual([]);
    expect(keys.filter((key) => encodeURIComponent(key) !== key)).toEqual([]);
    expect(random).not.toHaveBeenCalled();
  });

  it('uses every character of the alphabet in each of the 26 places', () => {
    const drawn = Array.from({ length: 26 }, () => new Set<string>());
    for (let i = 0; i < 2_000; i += 1) {
      const key = mintKey('public', 'live');
      for (const [at, characters] of drawn.entries()) characters.add(key.charAt('pk_'.length + at));
    }
    expect(drawn.map(({ size }) => size)).toEqual(drawn.map(() => 32));
  });

  it.each([
    ['access', 'live'],
    ['secret', 'test'],
  ])('throws for kind %s and environment %s', (kind, environment) => {
    const mint = mintKey as (kind: string, environment: string) => string;
    expect(() => mint(kind, environment)).toThrow(
      new TypeError(`mintKey: "kind" must be 'secret' or 'public', and "environment" must be 'live' or 'sandbox'`),
    );
  });
});

/**
 * The check character by the letter of docs/reference/key-format.md, in the plainest way there is: of all characters,
 * the one with which the sum is 0.
 */
function checkOf(mark: number, random: string): string {
  const good = [...ALPHABET].filter((check) => {
    const terms = [...`${random}${check}`].map((c, i) => product(POWERS[i] ?? 0, ALPHABET.indexOf(c)));
    return terms.reduce((sum, term) => sum ^ term, mark) === 0;
  });
  return good.join(' or ');
}

/** α to a power, α = x. */
function power(exponent: number): number {
  return exponent === 0 ? 1 : product(power(exponent - 1), 0b00010);
}

/** The product of two polynomials over GF(2), and what is left of it modulo x⁵ + x² + 1. */
function product(one: number, other: number): number {
  let result = 0;
  for (let i = 0; i < 5; i += 1) if (other & (1 << i)) result ^= one << i;
  for (let i = 9; i >= 5; i -= 1) if (result & (1 << i)) result ^= 0b100101 << (i - 5);
  return result;
}

function isKey(text: string): boolean {
  return typeof keywardFormat.read(text) === 'object';
}

function replaced(text: string, at: number, character: string): string {
  return text.slice(0, at) + character + text.slice(at + 1);
}

function swapped(text: string, one: number, other: number): string {
  return replaced(replaced(text, one, text.charAt(other)), other, text.charAt(one));
}
