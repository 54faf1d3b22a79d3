import { describe, expect, it } from '@jest/globals';
import type { KeySettings } from 'keyward/management';
import { digestOf } from '../../lib/credentials/digest.js';
import { keywardFormat } from '../../lib/credentials/keyward-format.js';
import { managed } from '../support/managed.js';
import { START } from '../support/manual-clock.js';
import { engines } from '../support/test-stores.js';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

describe.each(engines)('on %s', (engine) => {
  const at = managed(engine);

  it.each([
    ['secret', 'live', 'sk_'],
    ['secret', 'sandbox', 'sk_sbox_'],
    ['public', 'live', 'pk_'],
    ['public', 'sandbox', 'pk_sbox_'],
  ] as const)(
    'a %s key, %s, begins %s, and is shown by its last four characters',
    async (kind, environment, prefix) => {
      const holder = await at.account();
      const { key, text } = await holder.key({ kind, environment });
      expect(keywardFormat.read(text)).toMatchObject({ kind, environment });
      expect(text.startsWith(prefix)).toBe(true);
      expect(key).toMatchObject({ kind, environment, hint: `${prefix}…${text.slice(-4)}` });
      expect(key.publicKey).toBe(kind === 'public' ? text : null);
    },
  );

  it('a key has the given settings; default: the least access', async () => {
    const holder = await at.account();
    const { key, text } = await holder.key();
    expect(key).toEqual({
      ...{ id: key.id, kind: 'secret', account: holder.id, environment: 'live', name: null, apis: ['payments'] },
      ...{ scopes: null, defaultScopes: null, channels: 'all', platform: null, state: 'active', version: 1 },
      ...{ metadata: null, allowedAddresses: null, limits: null },
      ...{ createdAt: new Date(at.clock.now()), createdBy: holder.developer.id, expiresAt: null, revokedAt: null },
      ...{ disabledAt: null, hint: `sk_…${text.slice(-4)}`, publicKey: null, lastUsedAt: null },
      ...{ publicKeys: [], requireConfirmation: null },
      secrets: [
        {
          ...{ id: digestOf(text).slice(0, 16), hint: key.hint, createdAt: key.createdAt },
          ...{ state: 'current', acceptedUntil: null, lastUsedAt: null, lastUsedFrom: null },
        },
      ],
    });
    expect(await at.management.keys.view(holder.developer, key.id)).toEqual(key);
    const settings: Partial<KeySettings> = {
      ...{ kind: 'public', environment: 'sandbox', name: 'Till', apis: ['disputes', 'payments'] },
      ...{ scopes: ['payments:refund'], channels: ['pc_1'], platform: 'shop', expiresAt: new Date(START + 10 ** 9) },
    };
    expect((await holder.key(settings)).key).toMatchObject(settings);
  });

  it('an access key has the given scopes and default scopes', async () => {
    const holder = await at.account();
    const scopes = ['payments', 'disputes'];
    const { key, text } = await holder.accessKey(scopes);
    expect(text).toMatch(/^[\w-]{86}$/);
    expect(key).toMatchObject({
      kind: 'access',
      apis: null,
      scopes,
      defaultScopes: scopes,
      hint: `…${text.slice(-4)}`,
    });
    for (const defaultScopes of [[], ['disputes']]) {
      const made = await at.management.accessKeys.create(holder.owner, { scopes, defaultScopes });
      expect(made.key).toMatchObject({ scopes, defaultScopes });
    }
  });

  it('M46 ids are random: 130 bits each, all different, without a count', async () => {
    const holder = await at.account();
    const ids: string[] = [];
    for (let i = 0; i < 20; i += 1) {
      ids.push((await holder.key()).key.id, (await holder.accessKey()).key.id);
    }
    const randoms = ids.map((id) => {
      expect(id).toMatch(/^(?:key|ack)_[a-z2-7]{26}$/);
      return id.slice(4);
    });
    expect(new Set(randoms).size).toBe(40);
    // A counter or a time would leave a place where most are alike.
    for (let place = 0; place < 26; place += 1) {
      const drawn = new Set(randoms.map((random) => random[place]));
      expect(drawn.size).toBeGreaterThan(10);
      for (const character of drawn) expect(ALPHABET).toContain(character);
    }
  });

  it('M46 the ids of audit entries are random too', async () => {
    const holder = await at.account();
    await holder.key();
    const [entry] = await holder.story();
    expect(entry?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
