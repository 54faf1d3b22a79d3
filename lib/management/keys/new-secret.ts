/** Creates ids, key values and secrets, with the rows to store. */
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

/** Creates an id with 130 random bits, so that ids cannot be guessed and do not show how many keys exist. */
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
    // A public key is stored as it is: it is not a secret, because the web pages that use it show it to everybody.
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
 * Draws random numbers, and throws if the machine has no secure ones, because a key made without them could be guessed.
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
