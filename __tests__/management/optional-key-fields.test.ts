import { describe, expect, it } from '@jest/globals';
import type { KeySettings } from 'keyward/management';
import { MetadataPatch } from '../../lib/management/keys/optional-key-fields.js';
import { hostile, managed, refusalOf } from '../support/managed.js';

const patch = (entries: object) => hostile<Record<string, string>>(new MetadataPatch(entries));
const ADDRESSES = 'allowedAddresses: expected 1 to 256 IP addresses or networks in CIDR notation';
const LIMITS =
  'limits: expected a list of 1 to 8 objects { requests, seconds }, where requests is a whole number from 1 to 1,000,000,000, seconds is a whole number from 1 to 604,800, and no two objects have the same value of seconds';
const METADATA =
  'metadata: expected at most 64 entries, each with a name of 1 to 40 characters and a value of up to 500 characters, without NUL characters';

describe('a patch of metadata', () => {
  const at = managed('memory');

  it('sets some entries, deletes those that are null, and leaves the others', async () => {
    const { edit, view } = at.management.keys;
    const holder = await at.account();
    const { key } = await holder.key({ metadata: { plan: 'gold', region: 'eu', old: 'x' } });
    const metadata = patch({ plan: 'silver', old: null, never: null, till: '7' });
    const edited = await edit(holder.owner, key.id, { version: 1, metadata });
    expect(edited.metadata).toEqual({ plan: 'silver', region: 'eu', till: '7' });
    expect(await view(holder.owner, key.id)).toEqual(edited);
    const emptied = patch({ plan: null, region: null, till: null });
    expect((await edit(holder.owner, key.id, { version: 2, metadata: emptied })).metadata).toBeNull();
  });

  it('can be applied to a key without metadata, and to a new key', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    const edited = await at.management.keys.edit(holder.owner, key.id, { version: 1, metadata: patch({ a: 'b' }) });
    expect(edited.metadata).toEqual({ a: 'b' });
    expect((await holder.key({ metadata: patch({ a: 'b', c: null }) })).key.metadata).toEqual({ a: 'b' });
  });
});

describe('the error message', () => {
  const at = managed('memory');

  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['shows the address that is wrong', { allowedAddresses: ['203.0.113.7', 'a.example'] }, `, got "a.example"`],
    ['shows an address of 50 characters', { allowedAddresses: ['x'.repeat(50)] }, `, got "${'x'.repeat(50)}"`],
    ['shortens an address', { allowedAddresses: ['x'.repeat(51)] }, `, got "${'x'.repeat(50)}..."`],
    ['replaces invisible characters', { allowedAddresses: ['203.0\u202e ~\n\u00e9.7'] }, ', got "203.0? ~??.7"'],
    ['shows only text', { allowedAddresses: ['203.0.113.7', 7] }, ''],
    ['shows no list', { allowedAddresses: '203.0.113.7' }, ''],
    ['shows no address if there are too many', { allowedAddresses: new Array(257).fill('a.example') }, ''],
  ])('of allowed addresses %s', async (_what, settings, got) => {
    const holder = await at.account();
    const refused = await refusalOf(holder.key(hostile<Partial<KeySettings>>(settings)));
    expect(refused).toMatchObject({ field: 'allowedAddresses', message: `${ADDRESSES}${got}` });
  });

  it('of metadata and limits says what is expected', async () => {
    const holder = await at.account();
    for (const [settings, message] of [
      [{ metadata: { nul: 'a\0b' } }, METADATA],
      [{ limits: [] }, LIMITS],
    ] as const)
      expect(await refusalOf(holder.key(settings))).toMatchObject({ message });
  });
});
