import { describe, expect, it } from '@jest/globals';
import { HAS, type Holder, managed, OPERATOR, storyOf } from '../support/managed.js';
import { engines } from '../support/test-stores.js';

const NOTHING = { apis: [], scopes: [], channels: 'all', platforms: [], disabled: false };

describe.each(engines)('on %s', (engine) => {
  const at = managed(engine);

  /** What the audit says of an account, without its creation. */
  const changesOf = async ({ owner }: Holder) =>
    (await storyOf(at.management, owner)).slice(1).map(({ action, before, after }) => ({ action, before, after }));

  it('N40 a put with one change: the entry has only that field', async () => {
    const holder = await at.account();
    await at.management.accounts.put(OPERATOR, holder.id, { ...HAS, apis: ['payments'] });
    expect(await changesOf(holder)).toEqual([
      { action: 'account.put', before: { apis: HAS.apis }, after: { apis: ['payments'] } },
    ]);
  });

  it('N40 disable and enable: the entry has only that field', async () => {
    const holder = await at.account();
    await at.management.accounts.setDisabled(OPERATOR, holder.id, true);
    await at.management.accounts.setDisabled(OPERATOR, holder.id, false);
    expect(await changesOf(holder)).toEqual([
      { action: 'account.disable', before: { disabled: false }, after: { disabled: true } },
      { action: 'account.enable', before: { disabled: true }, after: { disabled: false } },
    ]);
  });

  it('N40 a put that changes nothing: no entry, and the same version', async () => {
    const holder = await at.account();
    const { version } = await at.management.accounts.view(holder.id);
    await at.management.accounts.put(OPERATOR, holder.id, HAS);
    await at.management.accounts.setDisabled(OPERATOR, holder.id, false);
    expect(await changesOf(holder)).toEqual([]);
    expect((await at.management.accounts.view(holder.id)).version).toBe(version);
  });

  it('N40 a new account: the entry has every field', async () => {
    const holder = await at.account();
    const id = `new_${holder.id}`;
    await at.management.accounts.put(OPERATOR, id, { apis: ['payments'] });
    const [created] = await storyOf(at.management, { ...holder.owner, account: id });
    expect(created).toMatchObject({ before: null, after: { ...NOTHING, apis: ['payments'] } });
  });

  it('N40 the entries of a rotation and of a revoked key', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    const rotated = (await at.management.keys.rotate(holder.owner, key.id)).key;
    await at.management.keys.revoke(holder.owner, key.id);
    const [, rotation, revocation] = await holder.story();
    expect(rotation).toMatchObject({
      before: { secrets: [{ hint: key.hint, acceptedUntil: null }] },
      after: { secrets: [{ hint: rotated.hint, acceptedUntil: null }, { hint: key.hint }] },
    });
    expect(revocation).toMatchObject({ before: { revokedAt: null }, after: { revokedAt: expect.any(String) } });
  });
});
