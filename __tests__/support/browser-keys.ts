/** Keys in every state that pages show, for the tests in a browser and for the pictures of the documentation. */
import { createManagement, type KeySettings, type KeyView } from 'keyward/management';
import { digestOf } from '../../lib/credentials/digest.js';
import type { BrowserSite } from './browser-site.js';

const DAY = 86_400_000;

export interface FilledSite {
  /** Rotated, so that its old text is in its grace; the old one is still used. */
  readonly secret: KeyView;
  readonly public: KeyView;
  /** Has two client secrets. */
  readonly access: KeyView;
  readonly disabled: KeyView;
  readonly deleted: KeyView;
  /** Without a name. */
  readonly nameless: KeyView;
}

export async function fill({ management, store, owner }: BrowserSite): Promise<FilledSite> {
  const { keys, accessKeys } = management;
  const developer = { ...owner, id: 'dana', permissions: ['developer'] } as const;

  async function made(daysAgo: number, settings: Partial<KeySettings>) {
    const clock = { now: () => Date.now() - daysAgo * DAY, monotonic: () => performance.now() };
    const { keys: then } = createManagement({ store, clock });
    const { key, secret: text } = await then.create(developer, { kind: 'secret', apis: ['payments'], ...settings });
    return { key, use: () => store.recordUse?.(digestOf(String(text)), '203.0.113.7') };
  }

  const { key: disabled } = await made(60, { name: 'Nightly export' });
  await keys.edit(owner, disabled.id, { version: disabled.version, disabled: true });
  const { key: deleted } = await made(50, { name: 'Old checkout' });
  await keys.revoke(owner, deleted.id);
  await made(40, { name: 'Pilot', apis: ['disputes'], expiresAt: new Date(Date.now() - 10 * DAY) });
  const webShop = await made(31, { kind: 'public', name: 'Web shop' });
  webShop.use();
  const plugin = { name: 'Shop plugin', apis: 'all', platform: 'shop', channels: ['pc_shop'] } as const;
  await made(12, { ...plugin, environment: 'sandbox' });
  const { key: nameless } = await made(4, { expiresAt: new Date(Date.now() + 9 * DAY) });
  const orders = await made(2, { name: 'Order service', apis: 'all' });
  const { key: secret } = await keys.rotate(owner, orders.key.id, 7 * 86_400);
  orders.use();
  const { key: access } = await accessKeys.create(developer, { scopes: ['payments', 'disputes'], name: 'Back office' });
  await accessKeys.addSecret(owner, access.id);
  // A refusal stands in the audit too.
  await keys.revoke(developer, secret.id).catch(() => undefined);
  return { secret, public: webShop.key, access, disabled, deleted, nameless };
}
