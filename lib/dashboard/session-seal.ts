/** Sessions as the text of a cookie: encrypted, so that nobody reads or makes one without the key. */
import { EncryptJWT, type JWTPayload, jwtDecrypt } from 'jose';

export interface Session {
  /** 128 random bits. */
  readonly id: string;
  /** The id of the member. */
  readonly member: string;
  readonly account: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly seenAt: number;
}

export interface SessionSeal {
  seal(session: Session): Promise<string>;
  /** @returns `undefined` for whatever this seal did not make. */
  open(text: string): Promise<Session | undefined>;
}

export const SESSION_KEY_BYTES = 32;

/** Says what the text is for, so that nothing else that is encrypted with the key passes for it (RFC 8725 section 3.11). */
const TYPE = 'keyward-session';

/** A session is some 500 characters. A text that is longer is not even decrypted. */
const MAX_CHARACTERS = 2_048;

/**
 * @param key - 32 bytes.
 * @param audience - The Dashboard that the sessions are for: those of another one that has the same key are not taken.
 */
export function sessionSeal(key: Uint8Array, audience: string): SessionSeal {
  return {
    seal: ({ id, member, ...rest }) =>
      new EncryptJWT({ ...rest, jti: id, sub: member, aud: audience })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', typ: TYPE })
        .encrypt(key),
    async open(text) {
      if (text.length > MAX_CHARACTERS) return undefined;
      try {
        const { payload } = await jwtDecrypt(text, key, {
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256GCM'],
          typ: TYPE,
          audience,
        });
        return sessionOf(payload);
      } catch {
        return undefined;
      }
    },
  };
}

function sessionOf({ jti: id, sub: member, account, startedAt, seenAt }: JWTPayload): Session | undefined {
  if (typeof id !== 'string' || typeof member !== 'string' || typeof account !== 'string') return undefined;
  if (typeof startedAt !== 'number' || typeof seenAt !== 'number') return undefined;
  return { id, member, account, startedAt, seenAt };
}
