/** New ids, keys and secrets, with what is stored of them. */
import { randomBytes } from 'node:crypto';
import { mintKey } from '../credentials/api-key.js';
import { digestOf } from '../credentials/digest.js';
import type { Environment, Kind } from '../credentials/kind.js';
import type { SecretRow } from '../store/tables.js';
import { ManagementError } from './management-error.js';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const ID_LENGTH = 26;
/** 64 bytes are 86 characters of base64url. */
const SECRET_BYTES = 64;

const ID_PREFIX = { secret: 'key_', public: 'key_', access: 'ack_' } as const;

/** 130 random bits: ids are not guessed, and tell nothing of how many there are. */
export function mintId(kind: Kind): string {
  let id: string = ID_PREFIX[kind];
  for (const byte of drawn(() => randomBytes(ID_LENGTH))) id += ALPHABET[byte & 31];
  return id;
}

/** A text that its holder presents, and the row that is kept of it. */
export interface Minted {
  readonly text: string;
  readonly row: SecretRow;
}

/** Mints the text of an API key, or the Secret of an access key. */
export function mint(kind: Kind, environment: Environment, key: string, now: number): Minted {
  const text = drawn(() =>
    kind === 'access' ? randomBytes(SECRET_BYTES).toString('base64url') : mintKey(kind, environment),
  );
  const row: SecretRow = {
    digest: digestOf(text),
    key_id: key,
    hint: hintOf(text, kind),
    // A public key is no secret: it stands in the pages of shops.
    public_text: kind === 'public' ? text : null,
    created_at: now,
    retires_at: null,
    last_used_at: null,
    last_used_from: null,
  };
  return { text, row };
}

/** Without random numbers nothing is made: a key of anything less could be guessed. */
function drawn<T>(draw: () => T): T {
  try {
    return draw();
  } catch (error) {
    throw new ManagementError('unavailable', 'the machine gives no random numbers; try again', undefined, error);
  }
}

/** `sk_…abcd`: enough to tell one's keys apart, and of no use to anybody else. */
function hintOf(text: string, kind: Kind): string {
  const prefix = kind === 'access' ? '' : text.slice(0, text.lastIndexOf('_') + 1);
  return `${prefix}\u2026${text.slice(-4)}`;
}
