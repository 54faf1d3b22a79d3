import { describe, expect, it } from '@jest/globals';
import type { KeyView, Management } from 'keyward/management';
import { type Holder, managed, refusalOf, refusing } from '../support/managed.js';
import { engines } from '../support/test-stores.js';

/** A key with an old secret that is still accepted, and an access key with two secrets. */
interface Made {
  readonly holder: Holder;
  readonly key: KeyView;
  readonly access: KeyView;
}

type Repeat = (management: Management, made: Made, idempotencyKey: string) => Promise<unknown>;

const CHANGES: Readonly<Record<string, Repeat>> = {
  'rotate a key': ({ keys }, { holder, key }, once) => keys.rotate(holder.owner, key.id, 60, key.version, once),
  'rotate a key, whatever its version': ({ keys }, { holder, key }, once) =>
    keys.rotate(holder.owner, key.id, 60, undefined, once),
  'end a grace period': ({ keys }, { holder, key }, once) => keys.endGrace(holder.owner, key.id, once),
  'revoke a key': ({ keys }, { holder, key }, once) => keys.revoke(holder.owner, key.id, once),
  'edit a key': ({ keys }, { holder, key }, once) =>
    keys.edit(holder.owner, key.id, { version: key.version, name: 'Shop' }, once),
  'revoke tokens': ({ accessKeys }, { holder, access }, once) =>
    accessKeys.edit(holder.owner, access.id, { version: access.version, revokeTokens: true }, once),
  'delete a secret': ({ accessKeys }, { holder, access }, once) =>
    accessKeys.deleteSecret(holder.owner, access.id, access.secrets[0]?.id ?? '', once),
  'revoke an access key': ({ accessKeys }, { holder, access }, once) =>
    accessKeys.revoke(holder.owner, access.id, once),
};

describe.each(engines)('on %s', (engine) => {
  const at = managed(engine);

  async function make(): Promise<Made> {
    const holder = await at.account();
    const { key } = await holder.key();
    const { key: access } = await holder.accessKey();
    return {
      holder,
      key: (await at.management.keys.rotate(holder.owner, key.id, 3_600)).key,
      access: (await at.management.accessKeys.addSecret(holder.owner, access.id)).key,
    };
  }

  const stateOf = async ({ holder, key, access }: Made) => ({
    key: await at.management.keys.view(holder.owner, key.id),
    access: await at.management.accessKeys.view(holder.owner, access.id),
    story: await holder.story(),
  });

  it.each(Object.entries(CHANGES))('N36 %s, sent twice: carried out once, one entry', async (_what, change) => {
    const made = await make();
    const entries = (await made.holder.story()).length;
    at.clock.advance(1_000);
    await change(at.management, made, 'once');
    const after = await stateOf(made);
    expect(after.story).toHaveLength(entries + 1);
    at.clock.advance(1_000);
    await change(at.management, made, 'once');
    expect(await stateOf(made)).toEqual(after);
  });

  it.each(Object.entries(CHANGES))(
    'N36 %s, sent eight times concurrently: carried out once, one entry',
    async (_what, change) => {
      const made = await make();
      const entries = (await made.holder.story()).length;
      await Promise.all(Array.from({ length: 8 }, () => change(at.management, made, 'once')));
      const { key, access, story } = await stateOf(made);
      expect(story).toHaveLength(entries + 1);
      expect(story.every(({ outcome }) => outcome === 'done')).toBe(true);
      expect(key.version + access.version).toBe(made.key.version + made.access.version + 1);
    },
  );

  it('N36 a repeated rotation returns the time of the rotation, and no secret', async () => {
    const { holder, key } = await make();
    const first = await at.management.keys.rotate(holder.owner, key.id, 60, key.version, 'once');
    at.clock.advance(30_000);
    const again = await at.management.keys.rotate(holder.owner, key.id, 60, key.version, 'once');
    expect(first).toMatchObject({ secret: expect.any(String), doneAt: new Date(at.clock.now() - 30_000) });
    expect(again).toEqual({ key: first.key, secret: undefined, doneAt: first.doneAt });
  });

  it('N36 a repeated request for a second secret returns none, and adds none', async () => {
    const { holder } = await make();
    const { key } = await holder.accessKey();
    const add = () => at.management.accessKeys.addSecret(holder.owner, key.id, key.version, 'once');
    const [first, again] = [await add(), await add()];
    expect(first.secret).toEqual(expect.any(String));
    expect(again).toEqual({ key: first.key, secret: undefined, doneAt: first.doneAt });
    expect(again.key.secrets).toHaveLength(2);
  });

  it.each<[string, Repeat]>([
    [
      'of another grace period',
      ({ keys }, { holder, key }, once) => keys.rotate(holder.owner, key.id, 61, key.version, once),
    ],
    [
      'of another key',
      ({ accessKeys }, { holder, access }, once) => accessKeys.rotate(holder.owner, access.id, 60, 2, once),
    ],
    ['of another operation', ({ keys }, { holder, key }, once) => keys.endGrace(holder.owner, key.id, once)],
  ])('N36 a request %s under the same idempotency key is a conflict', async (_what, other) => {
    const made = await make();
    await at.management.keys.rotate(made.holder.owner, made.key.id, 60, made.key.version, 'once');
    const after = await stateOf(made);
    expect(await refusalOf(other(at.management, made, 'once'))).toEqual(refusing(409, 'idempotency_conflict'));
    expect(await stateOf(made)).toEqual(after);
  });

  it('another operation with the same input under the same idempotency key is a conflict', async () => {
    const made = await make();
    const { holder, key, access } = made;
    const { keys, accessKeys } = at.management;
    await accessKeys.deleteSecret(holder.owner, access.id, access.secrets[0]?.id ?? '');
    await accessKeys.addSecret(holder.owner, access.id, undefined, 'add');
    await keys.rotate(holder.owner, key.id, undefined, undefined, 'rotate');
    const after = await stateOf(made);
    // Taken for a repeated request, these would succeed without an effect: the old secret would still be accepted.
    for (const other of [
      () => keys.endGrace(holder.owner, key.id, 'rotate'),
      () => accessKeys.rotate(holder.owner, access.id, undefined, undefined, 'add'),
    ]) {
      expect(await refusalOf(other())).toEqual(refusing(409, 'idempotency_conflict'));
    }
    expect(await stateOf(made)).toEqual(after);
  });

  it('a request that changed nothing is stored too: another one under its idempotency key is a conflict', async () => {
    const holder = await at.account();
    const { key } = await holder.key({ name: 'Till' });
    const edit = (name: string) => at.management.keys.edit(holder.owner, key.id, { version: 1, name }, 'once');
    expect((await edit('Till')).version).toBe(1);
    expect(await refusalOf(edit('Shop'))).toEqual(refusing(409, 'idempotency_conflict'));
    expect((await edit('Till')).version).toBe(1);
  });

  it('a request to delete another secret under the same idempotency key is a conflict', async () => {
    const { holder } = await make();
    const { key } = await holder.accessKey();
    const { accessKeys } = at.management;
    const added = await accessKeys.addSecret(holder.owner, key.id);
    const [newest, oldest] = added.key.secrets.map(({ id }) => id);
    await accessKeys.deleteSecret(holder.owner, key.id, oldest ?? '', 'once');
    const other = accessKeys.deleteSecret(holder.owner, key.id, newest ?? '', 'once');
    expect(await refusalOf(other)).toEqual(refusing(409, 'idempotency_conflict'));
  });

  it('N36 a change that failed can be sent again', async () => {
    const { holder, key } = await make();
    const rotate = (version: number) => at.management.keys.rotate(holder.owner, key.id, 0, version, 'once');
    expect(await refusalOf(rotate(7))).toEqual(refusing(409, 'version_conflict'));
    expect(await rotate(key.version)).toMatchObject({ secret: expect.any(String) });
  });

  it('N36 a member without the permission is refused, also for a known idempotency key', async () => {
    const { holder, key } = await make();
    const rotate = (member: typeof holder.owner) => at.management.keys.rotate(member, key.id, 0, key.version, 'once');
    await rotate(holder.owner);
    expect(await refusalOf(rotate(holder.developer))).toEqual(refusing(403, 'forbidden'));
  });
});
