/**
 * The credentials of the demo: made once, by the key management that a platform's Dashboard stands on.
 *
 * The store holds digests alone, so what is to be printed again at the next start is kept in a file beside it.
 */
import { createManagement, type Management } from 'keyward/management';
import type { DemoStore } from './demo-store.js';
import { readSecretFile, writeSecretFile } from './secret-file.js';

export const ENVIRONMENT = 'live';
export const ACCOUNT = 'acc_demo';
export const AUDIENCE = 'https://api.example.com';

const APIS = ['payments', 'disputes', 'tokens', 'reports'];
const DEFAULT_SCOPES = ['payments', 'disputes', 'reports'];
const HOUR = 3_600_000;

export interface DemoCredentials {
  readonly secretAll: string;
  readonly secretPayments: string;
  readonly secretDisputes: string;
  readonly secretEcommerce: string;
  readonly public: string;
  readonly expiredKey: string;
  readonly accessKeyId: string;
  readonly accessKeySecret: string;
  readonly defaultScopes: readonly string[];
}

/** Those of an earlier start, or new ones. */
export async function demoCredentials({ store, beside }: DemoStore): Promise<DemoCredentials> {
  const file = `${beside}.demo.json`;
  const isMade = (await store.ledger.account(ACCOUNT)) !== undefined;
  const kept = isMade ? readSecretFile(file) : undefined;
  if (kept !== undefined) return JSON.parse(kept) as DemoCredentials;

  const aDayAgo = { now: () => Date.now() - 24 * HOUR, monotonic: () => performance.now() };
  const made = await make(createManagement({ store }), createManagement({ store, clock: aDayAgo }));
  writeSecretFile(file, JSON.stringify(made, undefined, 2));
  return made;
}

async function make({ accounts, keys, accessKeys }: Management, ofYesterday: Management): Promise<DemoCredentials> {
  await accounts.put('the demo', ACCOUNT, {
    apis: APIS,
    scopes: [...DEFAULT_SCOPES, 'payments:refund'],
    platforms: ['shop'],
  });
  const member = { id: 'the demo', account: ACCOUNT, permissions: ['developer'] } as const;
  const [kind, environment] = ['secret', ENVIRONMENT] as const;
  const secretKey = async (
    name: string,
    apis: 'all' | string[],
    more: { platform?: string; channels?: string[] } = {},
  ) => textOf(await keys.create(member, { kind, environment, name, apis, ...more }));
  const expired = { kind, environment, name: 'expired', apis: 'all', expiresAt: new Date(Date.now() - HOUR) } as const;
  const client = { environment, name: 'server', scopes: [...DEFAULT_SCOPES, 'payments:refund'] } as const;
  const accessKey = await accessKeys.create(member, { ...client, defaultScopes: DEFAULT_SCOPES });

  return {
    secretAll: await secretKey('all APIs', 'all'),
    secretPayments: await secretKey('payments only', ['payments']),
    secretDisputes: await secretKey('disputes only', ['disputes']),
    secretEcommerce: await secretKey('shop', ['payments'], { platform: 'shop', channels: ['pc_shop'] }),
    public: textOf(await keys.create(member, { kind: 'public', environment, name: 'browser', apis: ['tokens'] })),
    expiredKey: textOf(await ofYesterday.keys.create(member, expired)),
    accessKeyId: accessKey.key.id,
    accessKeySecret: textOf(accessKey),
    defaultScopes: DEFAULT_SCOPES,
  };
}

function textOf({ text }: { readonly text: string | undefined }): string {
  if (text === undefined) throw new TypeError('the text of a new key is shown once');
  return text;
}
