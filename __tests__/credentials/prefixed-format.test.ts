import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { apiKeys, createKeyText, digestOf, type KeyReading, keyFormat, requireBearer } from 'keyward';
import { keywardFormat } from '../../lib/credentials/keyward-format.js';
import { hasKeyPrefix } from '../../lib/credentials/prefixed-format.js';
import { A5, answerOf, T1 } from '../support/answers.js';
import { createKeyTable } from '../support/key-table.js';
import { law } from '../support/law.js';
import { serveApp } from '../support/served-app.js';

const DOCUMENT = readFileSync(new URL('../../docs/reference/key-format.md', import.meta.url), 'utf8');
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const FORMS = (['secret', 'public'] as const).flatMap((kind) =>
  (['live', 'sandbox'] as const).map((environment) => ({ kind, environment })),
);
const acme = keyFormat({ prefix: 'acme' });

/** The checksum again, by another way: the digest as one number in base 32. */
function checksumOf(text: string): string {
  const digest = BigInt(`0x${createHash('sha256').update(text).digest('hex')}`);
  return Array.from({ length: 6 }, (_, at) => ALPHABET[Number((digest >> BigInt(251 - 5 * at)) & 31n)]).join('');
}

describe('keyFormat', () => {
  it.each(FORMS)('R20 reads the $kind keys of $environment that createKeyText makes', (form) => {
    const key = createKeyText({ ...form, prefix: 'acme' });
    const start = `acme_${form.kind === 'secret' ? 'sk' : 'pk'}_${form.environment === 'sandbox' ? 'sbox_' : ''}`;
    expect(key).toMatch(new RegExp(`^${start}[a-z2-7]{32}$`));
    expect(key.slice(-6)).toBe(checksumOf(key.slice(0, -6)));
    expect(acme.read(key)).toMatchObject(form);
  });

  it('R20 has the checksum that the documentation shows', () => {
    const [key = ''] = DOCUMENT.match(/acme_sk_[a-z2-7]{32}/) ?? [];
    expect(acme.read(key)).toMatchObject({ kind: 'secret', environment: 'live' });
  });

  law('R20 finds every wrong character, every swap, and the start of another kind or environment', () =>
    fc.property(fc.constantFrom(...FORMS), fc.nat(31), fc.nat(31), fc.nat(30), (form, at, by, swap) => {
      const key = createKeyText({ ...form, prefix: 'acme' });
      const start = key.length - 32;
      const place = start + at;
      const wrong = ALPHABET[(ALPHABET.indexOf(key.charAt(place)) + by) % 32];
      const changed = key.slice(0, place) + wrong + key.slice(place + 1);
      const [left, right] = [key.charAt(start + swap), key.charAt(start + swap + 1)];
      const swapped = key.slice(0, start + swap) + right + left + key.slice(start + swap + 2);
      const elsewhere = key.includes('sbox_') ? key.replace('sbox_', '') : key.replace(/k_/, 'k_sbox_');
      for (const other of [changed, swapped, elsewhere]) {
        const reading: KeyReading | 'malformed' | undefined = acme.read(other);
        if (other === key ? reading === 'malformed' : reading !== 'malformed') throw new Error(`read ${other}`);
      }
    }),
  );

  it.each([
    ['one character less', (key: string) => key.slice(0, -1)],
    ['one character more', (key: string) => `${key}a`],
    ['a line end', (key: string) => `${key}\n`],
    ['capitals', (key: string) => key.slice(0, 8) + key.slice(8).toUpperCase()],
    ['no body', () => 'acme_sk_'],
  ])('R20 %s is malformed', (_what, change) => {
    expect(acme.read(change(createKeyText({ kind: 'secret', environment: 'live', prefix: 'acme' })))).toBe('malformed');
  });

  it.each(FORMS)('R20 declines the keys of the default format and of other prefixes: $kind, $environment', (form) => {
    const own = createKeyText(form);
    expect(keywardFormat.read(own)).toMatchObject(form);
    expect(acme.read(own)).toBeUndefined();
    for (const prefix of ['acme2', 'ac', 'acmesk', 'skacme']) {
      const other = createKeyText({ ...form, prefix });
      expect([acme.read(other), keywardFormat.read(other)]).toEqual([undefined, undefined]);
      expect(keyFormat({ prefix }).read(createKeyText({ ...form, prefix: 'acme' }))).toBeUndefined();
    }
  });

  it.each([
    '',
    'a',
    'sk',
    'pk',
    'Acme',
    '2acme',
    'acme_',
    'acme_sk',
    'ac-me',
    'ac.me',
    'acmé',
    'a'.repeat(21),
    7,
    null,
  ])('R20 refuses the prefix %j', (prefix) => {
    const expected = /option "prefix" must be 2 to 20 lowercase letters or digits, beginning with a letter/;
    expect(() => keyFormat({ prefix } as { prefix: string })).toThrow(expected);
    if (prefix !== null) expect(() => createKeyText({ ...FORMS[0], prefix } as never)).toThrow(expected);
  });

  it.each([
    ['keyFormat', () => keyFormat({ prefix: 'acme', suffix: 'x' } as never), 'keyFormat: unknown option "suffix"'],
    ['createKeyText', () => createKeyText({ ...FORMS[0], size: 1 } as never), 'createKeyText: unknown option "size"'],
    ['a kind', () => createKeyText({ kind: 'access', environment: 'live' } as never), 'option "kind" must be'],
    ['an environment', () => createKeyText({ kind: 'secret' } as never), 'option "environment" must be'],
  ])('an invalid %s: a TypeError', (_what, make, message) => {
    expect(make).toThrow(TypeError);
    expect(make).toThrow(message);
  });

  it('the regular expression of the documentation finds only the keys', () => {
    const [, source = ''] = DOCUMENT.match(/```\n(\(\?<!.*)\n```/) ?? [];
    const keys = [1, 2].map(() => createKeyText({ kind: 'secret', environment: 'live', prefix: 'acme' }));
    const others = [
      createKeyText({ kind: 'public', environment: 'live', prefix: 'acme' }),
      `x${keys[0]}`,
      `${keys[0]}a`,
    ];
    expect(`a "${keys[0]}", ${others.join(' ')} (${keys[1]})`.match(new RegExp(source, 'g'))).toEqual(keys);
  });
});

describe('apiKeys with a format of a prefix', () => {
  it('R20 accepts its keys, looks up no malformed one, and declines the others', async () => {
    const table = createKeyTable();
    const key = createKeyText({ kind: 'secret', environment: 'live', prefix: 'acme' });
    const record = { id: 'key_1', kind: 'secret', environment: 'live', account: 'acc_1', apis: 'all' } as const;
    table.answer(({ digest }) => (digest === digestOf(key) ? record : undefined));
    const options = { resolver: table, kinds: ['secret'], environment: 'live' } as const;
    const keys = apiKeys({ ...options, format: acme });
    const failing = apiKeys({ ...options, resolver: () => Promise.reject(new Error('down')) });
    const api = await serveApp((app, handler) => {
      app.get('/', requireBearer({ accept: [keys, failing] }), handler);
    });
    expect((await api.ask('/', key)).status).toBe(200);
    expect(answerOf(await api.ask('/', `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`))).toEqual(T1);
    expect(table.lookups()).toBe(1);
    expect(answerOf(await api.ask('/', createKeyText({ kind: 'secret', environment: 'live' })))).toEqual(A5);
    await api.close();
  });

  it('two verifiers of one prefix claim the same keys: the gate is not made', () => {
    const verifier = () =>
      apiKeys({
        ...{ resolver: () => undefined, kinds: ['secret'], environment: 'live' },
        format: keyFormat({ prefix: 'acme' }),
      });
    expect(() => requireBearer({ accept: [verifier(), verifier()] })).toThrow(TypeError);
  });
});

describe('a text that is longer than a key', () => {
  const signed = (body: string) => body + checksumOf(body);

  it.each([
    ['a valid key', signed(`acme_sk_${'a'.repeat(26)}`), { kind: 'secret', environment: 'live' }],
    ['a random part that is too long', signed(`acme_sk_${'a'.repeat(27)}`), 'malformed'],
    ['a random part that is too short', signed(`acme_sk_${'a'.repeat(25)}`), 'malformed'],
    ['a character that is not in the alphabet before it', signed(`acme_sk_0${'a'.repeat(26)}`), 'malformed'],
    ['a key with a checksum of itself behind it', signed(`acme_sk_${'a'.repeat(32)}0`), 'malformed'],
  ])('%s', (_what, text, reading) => {
    const read = acme.read(text);
    expect(typeof reading === 'string' ? read : read && { ...(read as KeyReading) }).toEqual(
      typeof reading === 'string' ? reading : expect.objectContaining(reading),
    );
  });
});

describe('hasKeyPrefix', () => {
  it('recognizes a key of each prefix that was used, also an invalid one', () => {
    createKeyText({ kind: 'secret', environment: 'live', prefix: 'acme' });
    createKeyText({ kind: 'public', environment: 'live', prefix: 'globex' });
    const texts = ['acme_sk_x', 'globex_pk_sbox_x', 'initech_sk_x', 'acme_x', 'sk_live_x', ''];
    expect(texts.filter(hasKeyPrefix)).toEqual(['acme_sk_x', 'globex_pk_sbox_x']);
  });
});
