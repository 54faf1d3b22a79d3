/**
 * Creates and parses keys with a prefix of your own, such as `acme_sk_…`. They end with a checksum, so a secret scanner
 * can tell real keys from other texts.
 */
import { hash } from 'node:crypto';
import { type Option, type OptionTable, oneOf, optional, readTable } from '../options/option-table.js';
import { KEY_KINDS, type KeyKind } from './credential-kind.js';
import { ENVIRONMENTS, type Environment } from './environment.js';
import { createRandomPart, KEY_ALPHABET, type KeyFormat, type KeyReading, mintKey } from './keyward-format.js';

/** Options of `keyFormat`. */
export interface KeyFormatOptions {
  /** The prefix of every key: 2 to 20 lowercase letters and digits that start with a letter; not `sk` or `pk`. */
  readonly prefix: string;
}

/** Options of `createKeyText`. */
export interface KeyTextOptions {
  readonly kind: KeyKind;
  readonly environment: Environment;
  /** The prefix, as for `keyFormat`. Default: keyward's own format, `sk_…` and `pk_…`. */
  readonly prefix?: string | undefined;
}

interface Form extends KeyReading {
  readonly start: string;
}

const PREFIX = /^(?!(?:sk|pk)$)[a-z][a-z0-9]{1,19}$/;
const CHECKSUM_LENGTH = 6;
const BODY = /^[a-z2-7]{32}$/;

const prefixOption: Option<string> = (options, name) => {
  const prefix = options.raw(name);
  if (typeof prefix === 'string' && PREFIX.test(prefix)) return prefix;
  throw options.wrongText(
    name,
    '2 to 20 lowercase letters or digits, beginning with a letter ("sk" and "pk" are not allowed)',
  );
};

const FORMAT_OPTIONS = { prefix: prefixOption } satisfies OptionTable<KeyFormatOptions>;
const TEXT_OPTIONS = {
  kind: oneOf(KEY_KINDS),
  environment: oneOf(ENVIRONMENTS),
  prefix: optional(prefixOption),
} satisfies OptionTable<KeyTextOptions>;

/**
 * The format object of each prefix. The same prefix always gets the same object: a gate compares these objects to find
 * two verifiers of the same keys.
 */
const formats = new Map<string, PrefixedFormat>();

/**
 * Creates the format of keys such as `acme_sk_…` and `acme_pk_sbox_…`, for the option `format` of `apiKeys`.
 *
 * A key consists of the prefix, kind and environment, 26 random characters of `a-z2-7` (130 bits), and a checksum of 6
 * characters: the first 30 bits of the SHA-256 of all characters before it. docs/reference/key-format.md has a regular
 * expression for secret scanners.
 *
 * @returns A format that accepts these keys, and declines all others, including keys of keyward's own format.
 * @throws TypeError if the prefix is missing or invalid, and for an unknown option.
 * @example
 * ```ts
 * import { apiKeys, createKeyText, digestOf, keyFormat, type KeyRecord } from 'keyward';
 *
 * const records = new Map<string, KeyRecord>();
 * const key = createKeyText({ kind: 'secret', environment: 'live', prefix: 'acme' });
 * records.set(digestOf(key), {
 *   id: 'key_1',
 *   kind: 'secret',
 *   environment: 'live',
 *   account: 'acc_1',
 *   apis: ['payments'],
 * });
 * const keys = apiKeys({
 *   resolver: ({ digest }) => records.get(digest),
 *   kinds: ['secret'],
 *   environment: 'live',
 *   format: keyFormat({ prefix: 'acme' }),
 * });
 * ```
 */
export function keyFormat(options: KeyFormatOptions): KeyFormat {
  return formatOf(readTable('keyFormat', options, FORMAT_OPTIONS).prefix);
}

/**
 * Creates a new API key with 130 random bits. Store `digestOf(key)`, and show the key once.
 *
 * @param options - `kind`: `'secret'` or `'public'`; `environment`: `'live'` or `'sandbox'`; `prefix`: as for
 *   `keyFormat`, default: keyward's own format.
 * @throws TypeError for an option that is missing, unknown or wrong.
 * @example
 * ```ts
 * import { createKeyText } from 'keyward';
 *
 * createKeyText({ kind: 'secret', environment: 'sandbox' }); // 'sk_sbox_…'
 * createKeyText({ kind: 'public', environment: 'live', prefix: 'acme' }); // 'acme_pk_…'
 * ```
 */
export function createKeyText(options: KeyTextOptions): string {
  const { kind, environment, prefix } = readTable('createKeyText', options, TEXT_OPTIONS);
  return prefix === undefined ? mintKey(kind, environment) : formatOf(prefix).create(kind, environment);
}

class PrefixedFormat implements KeyFormat {
  readonly #forms: readonly Form[];

  constructor(prefix: string) {
    // Sandbox prefixes come first, because `acme_sk_sbox_` also starts with `acme_sk_`.
    this.#forms = KEY_KINDS.flatMap((kind) => {
      const start = `${prefix}_${kind === 'secret' ? 'sk' : 'pk'}_`;
      return [
        { start: `${start}sbox_`, kind, environment: 'sandbox' as const },
        { start, kind, environment: 'live' as const },
      ];
    });
  }

  read(text: string): KeyReading | 'malformed' | undefined {
    const form = this.#forms.find(({ start }) => text.startsWith(start));
    if (form === undefined) return undefined;
    const body = text.slice(form.start.length);
    return BODY.test(body) && text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH))) ? form : 'malformed';
  }

  create(kind: KeyKind, environment: Environment): string {
    const form = this.#forms.find((candidate) => candidate.kind === kind && candidate.environment === environment);
    const text = `${form?.start}${createRandomPart()}`;
    return text + checksum(text);
  }
}

function formatOf(prefix: string): PrefixedFormat {
  const format = formats.get(prefix) ?? new PrefixedFormat(prefix);
  formats.set(prefix, format);
  return format;
}

/**
 * Checks whether a text starts with a prefix that this process has used with `keyFormat` or `createKeyText`, such as
 * `acme_sk_`. The key need not be valid.
 */
export function hasKeyPrefix(text: string): boolean {
  return [...formats.values()].some((format) => format.read(text) !== undefined);
}

/** Returns the first 30 bits of the SHA-256 of a text as 6 characters with 5 bits each. */
function checksum(text: string): string {
  let bits = Number.parseInt(hash('sha256', text).slice(0, 8), 16) >>> 2;
  let characters = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i += 1) {
    characters = KEY_ALPHABET.charAt(bits & 31) + characters;
    bits >>>= 5;
  }
  return characters;
}
