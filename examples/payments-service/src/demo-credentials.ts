/**
 * The credentials of the demo, new at each start.
 *
 * A platform's keys come out of its key management, and its tokens out of its token endpoint. In their place keyward's
 * test kit draws the text of the keys, jose signs a token, and two maps are the tables. `resolveKey` and
 * `resolveAccessKey` are what a service of your own would write over its database.
 */
import { createHash } from 'node:crypto';
import { exportJWK, generateKeyPair, type JSONWebKeySet, SignJWT } from 'jose';
import type { AccessKeyRecord, AccessKeyResolver, KeyRecord, KeyResolver, PresentedKey } from 'keyward';
import { createTestKit } from 'keyward/testing';
import { newId } from './new-id.js';

export const ENVIRONMENT = 'sandbox';
export const ACCOUNT = 'acc_demo';
export const ISSUER = 'https://access.example.com';
export const AUDIENCE = 'https://api.example.com';

const KEY_ID = 'demo';
const HOUR = 3_600;

/** Two tables: keys by their digest, since the keys themselves are nowhere, and access keys by their Identifier. */
class CredentialTables implements KeyResolver, AccessKeyResolver {
  readonly #keys = new Map<string, KeyRecord>();
  readonly #accessKeys = new Map<string, AccessKeyRecord>();

  resolveKey({ digest }: PresentedKey): KeyRecord | undefined {
    return this.#keys.get(digest);
  }

  resolveAccessKey(id: string): AccessKeyRecord | undefined {
    return this.#accessKeys.get(id);
  }

  addKey(key: string, record: KeyRecord): string {
    this.#keys.set(createHash('sha256').update(key).digest('hex'), record);
    return key;
  }

  addAccessKey(record: AccessKeyRecord): void {
    this.#accessKeys.set(record.id, record);
  }
}

export type DemoCredentials = Awaited<ReturnType<typeof createDemoCredentials>>;

export async function createDemoCredentials() {
  const tables = new CredentialTables();
  const holder = { account: ACCOUNT, environment: ENVIRONMENT } as const;
  const kit = createTestKit({ environment: ENVIRONMENT });
  const secretKey = (record: Pick<KeyRecord, 'id' | 'apis' | 'channels' | 'platform' | 'expiresAt'>) =>
    tables.addKey(kit.secretKey(), { kind: 'secret', ...holder, ...record });
  const publicKey = (record: Pick<KeyRecord, 'id' | 'apis'>) =>
    tables.addKey(kit.publicKey(), { kind: 'public', ...holder, ...record });

  const scopes = ['payments', 'disputes', 'reports'];
  const accessKey: AccessKeyRecord = { id: 'ack_demo', ...holder, secrets: [], scopes, defaultScopes: scopes };
  tables.addAccessKey(accessKey);
  const signer = await createSigner();
  const now = Math.floor(Date.now() / 1_000);

  return {
    tables,
    jwks: signer.jwks,
    secretAll: secretKey({ id: 'key_all', apis: 'all' }),
    secretPayments: secretKey({ id: 'key_payments', apis: ['payments'] }),
    secretDisputes: secretKey({ id: 'key_disputes', apis: ['disputes'] }),
    secretEcommerce: secretKey({ id: 'key_shop', apis: ['payments'], platform: 'shop', channels: ['pc_shop'] }),
    public: publicKey({ id: 'key_public', apis: ['tokens'] }),
    accessToken: await signer.sign(accessKey, now),
    expiredKey: secretKey({ id: 'key_expired', apis: 'all', expiresAt: new Date(Date.now() - 1) }),
    expiredToken: await signer.sign(accessKey, now - 2 * HOUR),
  };
}

/** Signs access tokens in the shape of RFC 9068, each good for an hour. */
async function createSigner() {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwk = await exportJWK(publicKey);
  const jwks: JSONWebKeySet = { keys: [{ ...jwk, kid: KEY_ID, alg: 'ES256', use: 'sig' }] };
  const sign = ({ id, defaultScopes }: AccessKeyRecord, issuedAt: number) =>
    new SignJWT({ client_id: id, scope: defaultScopes.join(' ') })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: KEY_ID })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setSubject(id)
      .setJti(newId('jti'))
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + HOUR)
      .sign(privateKey);
  return { jwks, sign };
}
