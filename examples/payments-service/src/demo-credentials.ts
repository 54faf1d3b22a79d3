/**
 * The credentials of the demo, new at each start.
 *
 * A platform's keys come out of its key management. In its place keyward's test kit draws the text of the keys, and two
 * maps are the tables. `resolveKey` and `resolveAccessKey` are what a service of your own would write over its database.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { AccessKeyRecord, AccessKeyResolver, KeyRecord, KeyResolver, PresentedKey } from 'keyward';
import { createTestKit } from 'keyward/testing';

export const ENVIRONMENT = 'sandbox';
export const ACCOUNT = 'acc_demo';
export const AUDIENCE = 'https://api.example.com';

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
    this.#keys.set(digestOf(key), record);
    return key;
  }

  /** @returns Its Secret, which is kept as a digest only. */
  addAccessKey(record: Omit<AccessKeyRecord, 'secrets'>): string {
    const secret = randomBytes(32).toString('base64url');
    this.#accessKeys.set(record.id, { ...record, secrets: [{ digest: digestOf(secret) }] });
    return secret;
  }
}

export type DemoCredentials = ReturnType<typeof createDemoCredentials>;

export function createDemoCredentials() {
  const tables = new CredentialTables();
  const holder = { account: ACCOUNT, environment: ENVIRONMENT } as const;
  const kit = createTestKit({ environment: ENVIRONMENT });
  const secretKey = (record: Pick<KeyRecord, 'id' | 'apis' | 'channels' | 'platform' | 'expiresAt'>) =>
    tables.addKey(kit.secretKey(), { kind: 'secret', ...holder, ...record });
  const publicKey = (record: Pick<KeyRecord, 'id' | 'apis'>) =>
    tables.addKey(kit.publicKey(), { kind: 'public', ...holder, ...record });

  const accessKeyId = 'ack_demo';
  const defaultScopes = ['payments', 'disputes', 'reports'];
  const scopes = [...defaultScopes, 'payments:refund'];

  return {
    tables,
    secretAll: secretKey({ id: 'key_all', apis: 'all' }),
    secretPayments: secretKey({ id: 'key_payments', apis: ['payments'] }),
    secretDisputes: secretKey({ id: 'key_disputes', apis: ['disputes'] }),
    secretEcommerce: secretKey({ id: 'key_shop', apis: ['payments'], platform: 'shop', channels: ['pc_shop'] }),
    public: publicKey({ id: 'key_public', apis: ['tokens'] }),
    expiredKey: secretKey({ id: 'key_expired', apis: 'all', expiresAt: new Date(Date.now() - 1) }),
    accessKeyId,
    accessKeySecret: tables.addAccessKey({ id: accessKeyId, ...holder, scopes, defaultScopes }),
    defaultScopes,
  };
}

function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
