import { describe, expect, it } from '@jest/globals';
import type { Change } from 'keyward';
import { createManagement, type Management, ManagementError } from 'keyward/management';
import { managed, OPERATOR } from '../support/managed.js';
import { listenTo } from '../support/store-listener.js';
import { sharedEngines } from '../support/test-stores.js';

const OTHERS = 30;

describe.each(sharedEngines)('an emergency on %s, through two stores', (engine) => {
  const at = managed(engine);

  /** What becomes of each: `undefined`, or the code of what it was refused with. */
  const ends = (works: readonly Promise<unknown>[]) =>
    Promise.all(
      works.map((work) =>
        work.then(
          () => undefined,
          (error: unknown) => (error instanceof ManagementError ? error.code : error),
        ),
      ),
    );

  it.each(['API key', 'access key'] as const)(
    'N26 revoking an %s during 30 edits and rotations without a version always succeeds',
    async (what) => {
      const there = createManagement({ store: await at.another(), clock: at.clock });
      const holder = await at.account();
      for (let round = 0; round < 5; round += 1) {
        const { key } = what === 'API key' ? await holder.key() : await holder.accessKey();
        const [here, far] = [at.management, there].map((one) => (what === 'API key' ? one.keys : one.accessKeys));
        const works = Array.from({ length: OTHERS }, (_, i) => {
          const service = (i % 2 === 0 ? here : far) ?? at.management.keys;
          if (i % 3 === 0)
            return service.edit(holder.owner, key.id, { version: 1 + Math.floor(i / 3), name: `edit ${i}` });
          return service.rotate(holder.owner, key.id);
        });
        const revocation = (far ?? at.management.keys).revoke(holder.owner, key.id);
        const [revoked] = await ends([revocation, ...works]);
        expect(revoked).toBeUndefined();
        expect((await here?.view(holder.owner, key.id))?.state).toBe('revoked');
      }
    },
  );

  it('an ending that another process has just made takes effect in this process before the answer', async () => {
    const store = await at.another();
    const there = createManagement({ store, clock: at.clock });
    const { id, owner, ...holder } = await at.account();
    const [{ key }, { key: client }] = [await holder.key(), await holder.accessKey()];
    const { key: added } = await at.management.accessKeys.addSecret(owner, client.id);
    const secret = added.secrets[0]?.id ?? '';
    const endings: [Change, (management: Management) => Promise<unknown>][] = [
      [{ key: key.id }, ({ keys }) => keys.edit(owner, key.id, { version: key.version, disabled: true })],
      [{ key: key.id }, ({ keys }) => keys.revoke(owner, key.id, 'the same request')],
      [{ key: key.id }, ({ keys }) => keys.revoke(owner, key.id)],
      [{ accessKey: client.id }, ({ accessKeys }) => accessKeys.deleteSecret(owner, client.id, secret)],
      [{ account: id }, ({ accounts }) => accounts.setDisabled(OPERATOR, id, true)],
    ];
    for (const [change, end] of endings) {
      await end(at.management).catch(() => undefined);
      const heard = listenTo(store);
      await end(there).catch(() => undefined);
      expect(heard.changes).toContainEqual(change);
    }
  });

  it('N26 disabling an account during 30 other changes of it always succeeds', async () => {
    const there = createManagement({ store: await at.another(), clock: at.clock });
    const { id } = await at.account();
    const works = Array.from({ length: OTHERS }, (_, i) =>
      (i % 2 === 0 ? at.management : there).accounts.put(OPERATOR, id, { scopes: [`scope_${i}`] }),
    );
    const [disabled, ...others] = await ends([there.accounts.setDisabled(OPERATOR, id, true), ...works]);
    expect([disabled, new Set(others)]).toEqual([undefined, new Set([undefined])]);
    expect((await at.management.accounts.view(id)).disabledAt).not.toBeNull();
  });
});
