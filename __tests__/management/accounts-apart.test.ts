import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { KeyView, Management, Member } from 'keyward/management';
import { type Holder, type Managed, managed, refusalOf } from '../support/managed.js';
import { engines } from '../support/test-stores.js';

type Operation = (
  management: Management,
  member: Member,
  key: Pick<KeyView, 'id' | 'version' | 'secrets'>,
) => Promise<unknown>;

const ON_KEYS: Readonly<Record<string, Operation>> = {
  view: ({ keys }, member, { id }) => keys.view(member, id),
  edit: ({ keys }, member, { id, version }) => keys.edit(member, id, { version, disabled: true }),
  revoke: ({ keys }, member, { id }) => keys.revoke(member, id),
  rotate: ({ keys }, member, { id }) => keys.rotate(member, id, 60),
  endGrace: ({ keys }, member, { id }) => keys.endGrace(member, id),
};
const ON_ACCESS_KEYS: Readonly<Record<string, Operation>> = {
  view: ({ accessKeys }, member, { id }) => accessKeys.view(member, id),
  edit: ({ accessKeys }, member, { id, version }) => accessKeys.edit(member, id, { version, revokeTokens: true }),
  revoke: ({ accessKeys }, member, { id }) => accessKeys.revoke(member, id),
  rotate: ({ accessKeys }, member, { id }) => accessKeys.rotate(member, id, 60),
  endGrace: ({ accessKeys }, member, { id }) => accessKeys.endGrace(member, id),
  addSecret: ({ accessKeys }, member, { id }) => accessKeys.addSecret(member, id),
  deleteSecret: ({ accessKeys }, member, { id, secrets }) => accessKeys.deleteSecret(member, id, secrets[0]?.id ?? ''),
};

const OPERATIONS = [
  ...Object.entries(ON_KEYS).map(([name, operation]) => ({ name, operation, keyType: 'keys' as const })),
  ...Object.entries(ON_ACCESS_KEYS).map(([name, operation]) => ({ name, operation, keyType: 'accessKeys' as const })),
];

describe.each(engines)('on %s', (engine) => {
  const at = managed(engine);

  it.each(OPERATIONS)(
    'M17 $name with the id of a $keyType of another account gives the same error as a random id',
    async ({ operation, keyType }) => {
      const [victim, thief] = [await at.account(), await at.account()];
      const key = await rotatedKey(at, victim, keyType);
      const before = await victim.story();
      const random = { ...key, id: randomId(keyType) };
      const theirs = await refusalOf(operation(at.management, thief.owner, key));
      // Refusals of one minute share an entry.
      at.clock.advance(60_000);
      const nobodys = await refusalOf(operation(at.management, thief.owner, random));
      expect(theirs).toEqual(nobodys);
      expect(theirs).toMatchObject({ status: 404, code: 'not_found', field: undefined });
      expect(await at.management[keyType].view(victim.owner, key.id)).toEqual(key);
      expect(await victim.story()).toEqual(before);
      const written = (await thief.story()).map(({ subject, id, at: time, ...entry }) => entry);
      expect(written).toHaveLength(2);
      expect(written[0]).toEqual(written[1]);
    },
  );

  it.each(OPERATIONS)(
    'M17 $name with an invalid id of $keyType gives the same error as a random id',
    async ({ operation, keyType }) => {
      const holder = await at.account();
      const ofOtherType = keyType === 'keys' ? await holder.accessKey() : await holder.key();
      const nobodys = await refusalOf(
        operation(at.management, holder.owner, { ...ofOtherType.key, id: randomId(keyType) }),
      );
      const odd: readonly unknown[] = [
        ...[ofOtherType.key.id, holder.id, '', 'key_', `${randomId(keyType)}'--`, 'é', '%'],
        ...['\ud800', 'x'.repeat(20_000), undefined, null, 7, {}, [randomId(keyType)]],
      ];
      for (const id of odd) {
        const other = { ...ofOtherType.key, id: id as string };
        expect(await refusalOf(operation(at.management, holder.owner, other))).toEqual(nobodys);
      }
    },
  );

  it('M17 a list contains only keys of one account, with any filter', async () => {
    const [victim, thief] = [await at.account(), await at.account()];
    const { key: own } = await thief.key();
    at.clock.advance(1_000);
    const { key } = await victim.key({ name: 'Till' });
    const { list } = at.management.keys;
    expect((await list(thief.owner)).items).toEqual([own]);
    for (const text of [key.id, 'Till', key.hint, key.hint.slice(-4)]) {
      // What the thief's own key is called by may hold the four characters of a hint by chance.
      expect((await list(thief.owner, { text })).items.filter(({ id }) => id !== own.id)).toEqual([]);
      expect((await list(victim.owner, { text })).items).toEqual([key]);
    }
    // A place in another account's list is no way into it.
    const { next } = await list(victim.owner, { limit: 1 });
    expect(next).toBeNull();
    await victim.key();
    const page = await list(victim.owner, { limit: 1 });
    expect((await list(thief.owner, { after: page.next ?? '' })).items).toEqual([own]);
  });

  it('M17 the audit log is limited to one account', async () => {
    const [victim, thief] = [await at.account(), await at.account()];
    const { key } = await victim.key();
    for (const filter of [{}, { subject: key.id }, { actor: victim.developer.id }, { action: 'key.create' }]) {
      const { items } = await at.management.audit(thief.owner, filter);
      expect(items.filter(({ account }) => account !== thief.id)).toEqual([]);
    }
    expect((await at.management.audit(victim.owner, { subject: key.id })).items).toHaveLength(1);
  });

  it('a credential passed as an id is not stored', async () => {
    const holder = await at.account();
    const [{ text }, { text: secret }] = [await holder.key(), await holder.accessKey()];
    for (const credential of [text, secret]) {
      for (const { operation } of OPERATIONS) {
        await refusalOf(operation(at.management, holder.owner, { id: credential, version: 1, secrets: [] }));
      }
      at.clock.advance(60_000);
    }
    const refused = (await holder.story()).filter(({ outcome }) => outcome === 'refused');
    expect(refused).toHaveLength(2 * OPERATIONS.length);
    expect(refused.map(({ subject }) => subject)).toEqual(refused.map(() => null));
  });

  it('a member of an unknown account creates nothing', async () => {
    const holder = await at.account();
    const stray: Member = { ...holder.owner, account: 'acc_none' };
    const doing = at.management.keys.create(stray, { kind: 'secret', apis: 'all' });
    expect(await refusalOf(doing)).toMatchObject({ status: 404, message: 'the account was not found' });
    expect((await at.management.keys.list(stray)).items).toEqual([]);
  });
});

/** A key with a secret in its grace period, so that its own Owner could do every operation. */
async function rotatedKey({ management }: Managed, holder: Holder, keyType: 'keys' | 'accessKeys'): Promise<KeyView> {
  const { key } = keyType === 'keys' ? await holder.key() : await holder.accessKey();
  return (await management[keyType].rotate(holder.owner, key.id, 3_600)).key;
}

function randomId(keyType: 'keys' | 'accessKeys'): string {
  const random = [...randomBytes(26)].map((byte) => 'abcdefghijklmnopqrstuvwxyz234567'[byte & 31]).join('');
  return `${keyType === 'keys' ? 'key' : 'ack'}_${random}`;
}
