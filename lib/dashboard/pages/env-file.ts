/** The `.env` file for a new key. The file is named after the key, and its variables are named after the product. */
import type { KeyView } from '../../management/keys/key-view.js';

export interface EnvFile {
  /** The file name, such as `order-service.env`. It has only lowercase ASCII letters, digits, `-` and `_`. */
  readonly name: string;
  /** The names of the variables that the file sets. */
  readonly variables: readonly string[];
  /** The content as a `data:` URL. A download by a second request is impossible, because the secret is not stored. */
  readonly href: string;
}

const DEFAULT_PREFIX = 'KEYWARD';
const MAX_NAME = 60;

/** Windows does not open files with these names, whatever their extension is. */
const RESERVED_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/** @param secret - The key value, or the client secret. */
export function createEnvFile(
  productName: string,
  { kind, id, name }: Pick<KeyView, 'kind' | 'id' | 'name'>,
  secret: string,
): EnvFile {
  const prefix = toPrefix(productName);
  const values: Readonly<Record<string, string>> =
    kind === 'access'
      ? { [`${prefix}_CLIENT_ID`]: id, [`${prefix}_CLIENT_SECRET`]: secret }
      : { [`${prefix}_KEY`]: secret };
  const text = Object.entries(values).map(([variable, value]) => `${variable}=${value}\n`);
  const href = `data:text/plain;charset=utf-8,${encodeURIComponent(text.join(''))}`;
  return { name: toFileName(name, id), variables: Object.keys(values), href };
}

/** `Acme Pay` becomes `ACME_PAY`. The name of a variable cannot begin with a digit. */
function toPrefix(productName: string): string {
  const prefix = toAscii(productName, '_').toUpperCase();
  if (prefix === '') return DEFAULT_PREFIX;
  return /^\d/.test(prefix) ? `_${prefix}` : prefix;
}

/** `Order service` becomes `order-service.env`. */
function toFileName(name: string | null, id: string): string {
  const slug = toAscii(name ?? '', '-') || toAscii(id, '_') || 'key';
  return RESERVED_NAME.test(slug) ? `key-${slug}.env` : `${slug}.env`;
}

/**
 * Returns the lowercase ASCII letters and digits of a text, without accents. Each group of other characters becomes one
 * separator. At most `MAX_NAME` characters are returned.
 */
function toAscii(text: string, separator: '-' | '_'): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const words = plain.split(/[^a-z0-9]/).filter((word) => word !== '');
  return words.join(separator).slice(0, MAX_NAME).replace(/[-_]$/, '');
}
