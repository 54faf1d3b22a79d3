/** The settings of the demo's account and keys. Each key may use other APIs or channels. */
import type { AccessKeySettings, KeySettings } from 'keyward/management';

export const ENVIRONMENT = 'live';
export const ACCOUNT = 'acc_demo';

export const DEFAULT_SCOPES = ['payments', 'disputes', 'reports'];
const SCOPES = [...DEFAULT_SCOPES, 'payments:refund'];

export const ENTITLEMENT = { apis: ['payments', 'disputes', 'tokens', 'reports'], scopes: SCOPES, platforms: ['shop'] };

export const KEYS = {
  secretAll: secretKey('all APIs', 'all'),
  secretPayments: secretKey('payments only', ['payments']),
  secretDisputes: secretKey('disputes only', ['disputes']),
  secretEcommerce: { ...secretKey('shop', ['payments']), platform: 'shop', channels: ['pc_shop'] },
  public: { kind: 'public', environment: ENVIRONMENT, name: 'browser', apis: ['tokens'] },
  expiredKey: secretKey('expired', 'all'),
} satisfies Readonly<Record<string, KeySettings>>;

export type KeyName = keyof typeof KEYS;
export const KEY_NAMES = Object.keys(KEYS) as KeyName[];

export const ACCESS_KEY = {
  environment: ENVIRONMENT,
  name: 'server',
  scopes: SCOPES,
  defaultScopes: DEFAULT_SCOPES,
} satisfies AccessKeySettings;

function secretKey(name: string, apis: 'all' | string[]): KeySettings & { readonly kind: 'secret' } {
  return { kind: 'secret', environment: ENVIRONMENT, name, apis };
}
