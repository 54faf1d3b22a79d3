/** Creates ids of keys, key values and client secrets, and the database row for each secret. */
import { randomBytes } from 'node:crypto';
import type { Kind } from '../../credentials/credential-kind.js';
import { digestOf } from '../../credentials/digest.js';
import type { Environment } from '../../credentials/environment.js';
import { mintKey } from '../../credentials/keyward-format.js';
import { hintOf } from '../../credentials/secret-hint.js';
import type { SecretRow } from '../../store/tables.js';
import { ManagementError } from '../management-error.js';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const ID_LENGTH = 26;
/** The number of random bytes in a client secret. In base64url, they are 86 characters. */
const SECRET_BYTES = 64;

const ID_PREFIX = { secret: 'key_', public: 'key_', access: 'ack_' } as const;

/** Creates the id of a key. It has 130 random bits: nobody can guess it, or see from it how many keys exist. */
export function newId(kind: Kind): string {
  let id: string = ID_PREFIX[kind];
  for (const byte of randomOrThrow(() => randomBytes(ID_LENGTH))) id += ALPHABET[byte & 31];
  return id;
}

/** A secret, and the row that is stored for it. */
export interface NewSecret {
  readonly text: string;
  readonly row: SecretRow;
}

/** Creates the key value of an API key, or the client secret of an access key. */
export function newSecret(kind: Kind, environment: Environment, key: string, now: number): NewSecret {
  const text = randomOrThrow(() =>
    kind === 'access' ? randomBytes(SECRET_BYTES).toString('base64url') : mintKey(kind, environment),
  );
  const row: SecretRow = {
    digest: digestOf(text),
    key_id: key,
    hint: hintOf(text, kind),
    // The value of a public API key is stored in plain text. It is not secret, because web pages show it to everybody.
    public_text: kind === 'public' ? text : null,
    created_at: now,
    retires_at: null,
    ended_at: null,
    last_used_at: null,
    last_used_from: null,
  };
  return { text, row };
}

/**
 * Runs a function that needs secure random numbers. If the machine has none, it throws, because a key made from other
 * numbers could be guessed.
 */
function randomOrThrow<T>(draw: () => T): T {
  try {
    return draw();
  } catch (error) {
    throw new ManagementError(
      'unavailable',
      'the system could not provide secure random numbers; try again',
      undefined,
      error,
    );
  }
}
