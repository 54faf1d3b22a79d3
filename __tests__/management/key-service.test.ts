import { describe, expect, it } from '@jest/globals';
import type { AccessKeyEdit, KeyEdit, Management, Member } from 'keyward/management';
import { hostile, managed, refusalOf } from '../support/managed.js';
import { engines } from '../support/test-stores.js';

type Service = Management['keys'] | Management['accessKeys'];

const refused = (status: number, code: string, message: string) => ({ status, code, message, field: undefined });
const conflict = expect.objectContaining({ status: 409, code: 'idempotency_conflict' });

describe.each(engines)('on %s', (engine) => {
  const at = managed(engine);

  /** Makes a key of each kind, and returns the two services with the nouns of their messages. */
  async function make() {
    const holder = await at.account();
    const { keys, accessKeys } = at.management;
    const [{ key }, { key: access }] = [await holder.key(), await holder.accessKey()];
    const services: readonly [Service, string, string, string][] = [
      [keys, 'key', key.id, access.id],
      [accessKeys, 'access key', access.id, key.id],
    ];
    return { holder, services };
  }

  /** Each operation of a service that names a key. */
  const operations = (service: Service, member: Member, id: string) => [
    () => service.view(member, id),
    () => service.edit(member, id, { version: 1, name: 'Till' }),
    () => service.rotate(member, id),
    () => service.revoke(member, id),
  ];

  it('a key of another account or kind, or without a string as its id, was not found', async () => {
    const { holder, services } = await make();
    const other = await at.account();
    for (const [service, noun, id, ofOtherKind] of services) {
      const notFound = refused(404, 'not_found', `the ${noun} was not found`);
      for (const doing of [
        ...operations(service, other.owner, id),
        ...operations(service, holder.owner, ofOtherKind),
        ...operations(service, holder.owner, 'key_none'),
        ...operations(service, holder.owner, hostile(undefined)),
        ...operations(service, holder.owner, hostile(7)),
        ...operations(service, holder.owner, hostile([id])),
      ]) {
        expect(await refusalOf(doing())).toEqual(notFound);
      }
      expect(await service.view(holder.owner, id)).toMatchObject({ id, state: 'active', version: 1 });
    }
  });

  it('an id with NUL is invalid', async () => {
    const { holder, services } = await make();
    const message = 'id: expected a string without NUL characters';
    for (const [service] of services) {
      for (const doing of operations(service, holder.owner, 'key_\0')) {
        expect(await refusalOf(doing())).toEqual({ status: 400, code: 'invalid', message, field: 'id' });
      }
    }
  });

  it('a revoked key cannot be changed', async () => {
    const { holder, services } = await make();
    for (const [service, noun, id] of services) {
      await service.revoke(holder.owner, id);
      const message = `the ${noun} is revoked, and this cannot be undone; create a new key`;
      for (const doing of operations(service, holder.owner, id).slice(1)) {
        expect(await refusalOf(doing())).toEqual(refused(409, 'revoked', message));
      }
    }
  });

  it('lists the keys of one environment if the member may manage all', async () => {
    const holder = await at.account();
    const { key } = await holder.key({ environment: 'sandbox' });
    await holder.key();
    const { items } = await at.management.keys.list(holder.owner, { environment: 'sandbox' });
    expect(items).toEqual([key]);
  });

  describe('a request that is sent again', () => {
    it('changes nothing, also if the client has read the new version', async () => {
      const { holder, services } = await make();
      for (const [service, , id] of services) {
        const edit = (version: number) => service.edit(holder.owner, id, { version, name: 'Till' }, id);
        const edited = await edit(1);
        expect(edited).toMatchObject({ name: 'Till', version: 2 });
        await service.edit(holder.owner, id, { version: 2, name: 'Shop' });
        for (const version of [1, 2, 3]) expect(await edit(version)).toMatchObject({ name: 'Shop', version: 3 });
      }
    });

    it('returns a revoked key too', async () => {
      const { holder, services } = await make();
      for (const [service, , id] of services) {
        const revoked = await service.revoke(holder.owner, id, id);
        expect(await service.revoke(holder.owner, id, id)).toEqual(revoked);
      }
    });

    it('is a conflict if it is for another key', async () => {
      const holder = await at.account();
      const [{ key }, { key: other }] = [await holder.key(), await holder.key()];
      await at.management.keys.revoke(holder.owner, key.id, 'once');
      expect(await refusalOf(at.management.keys.revoke(holder.owner, other.id, 'once'))).toEqual(conflict);
      expect(await at.management.keys.view(holder.owner, other.id)).toEqual(other);
    });

    it.each<[string, unknown]>([
      ['another name', { version: 1, name: 'Shop' }],
      ['null', null],
      ['undefined', undefined],
      ['a string', 'Till'],
    ])('is a conflict if it has %s', async (_what, edit) => {
      const { holder, services } = await make();
      for (const [service, , id] of services) {
        const first = await service.edit(holder.owner, id, { version: 1 }, id);
        const doing = service.edit(holder.owner, id, hostile<KeyEdit & AccessKeyEdit>(edit), id);
        expect(await refusalOf(doing)).toEqual(conflict);
        expect(await service.view(holder.owner, id)).toEqual(first);
      }
    });
  });
});
