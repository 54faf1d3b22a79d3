/** Validates the metadata, allowed addresses and limits of a key, which are stored as JSON. */
import { isAddressRange } from '../../credentials/address-list.js';
import { isRateLimits, RATE_LIMITS_EXPECTED } from '../../credentials/rate-limit.js';
import { isMetadata, MAX_ADDRESSES, METADATA_EXPECTED } from '../../credentials/records/record-fields.js';
import { parseOptional } from '../../store/json-columns.js';
import type { KeyRow } from '../../store/tables.js';
import type { Given } from '../fields.js';
import { invalid } from '../management-error.js';

export const OPTIONAL_FIELDS = ['metadata', 'allowedAddresses', 'limits'];

/** How many characters of an invalid address an error message shows. No valid address or network is longer. */
const MAX_SHOWN = 50;

type OptionalColumns = Pick<KeyRow, 'metadata' | 'allowed_addresses' | 'limits'>;

/**
 * A merge patch of metadata (RFC 7396): `null` deletes an entry. The transaction of the edit merges it with the stored
 * metadata. If the management API merged it before, a request that is sent again could have a different result, and
 * cause an `idempotency_conflict`.
 */
export class MetadataPatch {
  readonly entries: object;

  constructor(entries: object) {
    this.entries = entries;
  }
}

/**
 * Validates metadata, allowed addresses and limits. A field that is not given keeps the value that is stored in `row`.
 *
 * @throws ManagementError `invalid`
 */
export function readOptionalFields(given: Given, row: OptionalColumns | undefined): OptionalColumns {
  const { metadata, allowedAddresses, limits } = given;
  return {
    metadata: metadata === undefined ? (row?.metadata ?? null) : readMetadata(merged(metadata, row)),
    allowed_addresses:
      allowedAddresses === undefined ? (row?.allowed_addresses ?? null) : readAddresses(allowedAddresses),
    limits: limits === undefined ? (row?.limits ?? null) : readLimits(limits),
  };
}

/** Returns the stored metadata after a patch. A value that is not a `MetadataPatch` is returned unchanged. */
function merged(value: unknown, row: OptionalColumns | undefined): unknown {
  if (!(value instanceof MetadataPatch)) return value;
  const entries = new Map<string, unknown>(Object.entries(parseOptional<object>(row?.metadata ?? null) ?? {}));
  for (const [name, text] of Object.entries(value.entries)) {
    if (text === null) entries.delete(name);
    else entries.set(name, text);
  }
  return Object.fromEntries(entries);
}

/** Validates metadata, and converts it to the JSON to store. Empty metadata is stored as `null`. */
function readMetadata(value: unknown): string | null {
  if (value === null) return null;
  if (
    !isMetadata(value) ||
    Object.entries(value)
      .flat()
      .some((text) => text.includes('\0'))
  ) {
    throw invalid('metadata', `expected ${METADATA_EXPECTED}, without NUL characters`);
  }
  return Object.keys(value).length === 0 ? null : JSON.stringify(value);
}

function readAddresses(value: unknown): string | null {
  if (value === null) return null;
  const isList = Array.isArray(value) && value.length > 0 && value.length <= MAX_ADDRESSES;
  if (!isList || !value.every(isAddressRange)) {
    const wrong: unknown = isList ? value.find((one) => !isAddressRange(one)) : undefined;
    const got = typeof wrong === 'string' ? `, got "${shown(wrong)}"` : '';
    throw invalid('allowedAddresses', `expected 1 to ${MAX_ADDRESSES} IP addresses or networks in CIDR notation${got}`);
  }
  return JSON.stringify(value);
}

/**
 * Shortens a text for an error message. All characters except printable ASCII become `?`, because they may be
 * invisible.
 */
function shown(text: string): string {
  const plain = text.replaceAll(/[^\x20-\x7e]/g, '?');
  return plain.length > MAX_SHOWN ? `${plain.slice(0, MAX_SHOWN)}...` : plain;
}

function readLimits(value: unknown): string | null {
  if (value === null) return null;
  if (!isRateLimits(value)) throw invalid('limits', `expected ${RATE_LIMITS_EXPECTED}`);
  return JSON.stringify(value.map(({ requests, seconds }) => ({ requests, seconds })));
}
