/** Encrypts the session in the cookie, so that nobody without the key can read or forge a session. */
import type { JWTPayload } from 'jose';

export interface Session {
  /** 128 random bits. The server recognizes a session that was ended early by this ID. It is not a secret. */
  readonly id: string;
  /** The ID of the member. */
  readonly member: string;
  readonly account: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /**
   * When the member last sent a request, in milliseconds since 1970. It is updated about once a minute, so it may be up
   * to a minute too early.
   */
  readonly seenAt: number;
}

export interface SessionCipher {
  encrypt(session: Session): Promise<string>;
  /**
   * Decrypts a session. The caller must check whether the session has ended.
   *
   * @returns `undefined` for a text that was not encrypted with the same key and for the same audience.
   */
  decrypt(text: string): Promise<Session | undefined>;
}

/**
 * The `typ` of the JWT. Without it, another JWT that was encrypted with the same key could be accepted as a session
 * (RFC 8725 section 3.11).
 */
const TYPE = 'keyward-session';

/** An encrypted session has about 500 characters. A longer text than this is refused without decrypting it. */
const MAX_CHARACTERS = 2_048;

/**
 * @param key - 32 bytes.
 * @param audience - The URL of the Dashboard. Sessions of another Dashboard with the same key are refused.
 */
export function createSessionCipher(key: Uint8Array, audience: string): SessionCipher {
  return {
    async encrypt({ id, member, ...rest }) {
      const { EncryptJWT } = await import('jose');
      return await new EncryptJWT({ ...rest, jti: id, sub: member, aud: audience })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', typ: TYPE })
        .encrypt(key);
    },
    async decrypt(text) {
      if (text.length > MAX_CHARACTERS) return undefined;
      const { jwtDecrypt } = await import('jose');
      try {
        const { payload } = await jwtDecrypt(text, key, {
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256GCM'],
          typ: TYPE,
          audience,
        });
        return parseSession(payload);
      } catch {
        return undefined;
      }
    },
  };
}

function parseSession({ jti: id, sub: member, account, startedAt, seenAt }: JWTPayload): Session | undefined {
  if (typeof id !== 'string' || typeof member !== 'string' || typeof account !== 'string') return undefined;
  if (typeof startedAt !== 'number' || typeof seenAt !== 'number') return undefined;
  return { id, member, account, startedAt, seenAt };
}
