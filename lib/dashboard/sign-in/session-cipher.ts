/** Encrypts sessions for the cookie, so that nobody without the key can read or make one. */
import { EncryptJWT, type JWTPayload, jwtDecrypt } from 'jose';

export interface Session {
  /** 128 random bits, by which a session that was ended early is recognized. The id is not a secret. */
  readonly id: string;
  /** The id of the member. */
  readonly member: string;
  readonly account: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /**
   * When the member last sent a request, in milliseconds since 1970. It is updated at most once a minute, so the member
   * may have sent requests up to a minute later.
   */
  readonly seenAt: number;
}

export interface SessionCipher {
  encrypt(session: Session): Promise<string>;
  /**
   * @returns `undefined` for a text that this cipher did not encrypt. The caller must check whether the session has
   *   ended.
   */
  decrypt(text: string): Promise<Session | undefined>;
}

/** The type of the token, so that no other token with the same key is accepted as a session (RFC 8725 section 3.11). */
const TYPE = 'keyward-session';

/** A session has about 500 characters. A much longer text is refused without the cost of decrypting it. */
const MAX_CHARACTERS = 2_048;

/**
 * @param key - 32 bytes.
 * @param audience - The URL of the Dashboard. Sessions of another Dashboard with the same key are refused.
 */
export function createSessionCipher(key: Uint8Array, audience: string): SessionCipher {
  return {
    encrypt: ({ id, member, ...rest }) =>
      new EncryptJWT({ ...rest, jti: id, sub: member, aud: audience })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', typ: TYPE })
        .encrypt(key),
    async decrypt(text) {
      if (text.length > MAX_CHARACTERS) return undefined;
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
