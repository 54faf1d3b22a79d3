import { describe, expect, it } from '@jest/globals';
import { managed, refusalOf } from '../support/managed.js';
import { engines } from '../support/test-stores.js';

const MINUTE = 60_000;

describe.each(engines)('on %s', (engine) => {
  const at = managed(engine);

  /** An id that no key has, of the letters of ids. */
  const idOf = (number: number) => {
    const letters = String(number).replace(/\d/g, (digit) => 'klmnopqrst'.charAt(Number(digit)));
    return `key_${letters.padStart(26, 'a')}`;
  };

  it('N43 300 refused views by one Developer: one entry with a count, and nothing else is lost', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    at.clock.advance(MINUTE - (at.clock.now() % MINUTE));
    for (let number = 0; number < 300; number += 1) {
      await refusalOf(at.management.keys.view(holder.developer, idOf(number)));
      if (number === 100) await refusalOf(at.management.keys.revoke(holder.developer, key.id));
      if (number === 150) await refusalOf(at.management.keys.view(holder.owner, idOf(1)));
      if (number === 200) await at.management.keys.edit(holder.owner, key.id, { version: 1, name: 'Till' });
      if (number === 250) await refusalOf(at.management.accessKeys.view(holder.developer, idOf(1)));
    }
    const [, ...entries] = await holder.story();
    const { developer, owner } = holder;
    expect(entries.map(({ actor, action, subject, after }) => [actor, action, subject, after])).toEqual([
      [developer.id, 'key.view', idOf(0), { refused: 'not_found', count: 300 }],
      [developer.id, 'key.revoke', key.id, { refused: 'forbidden' }],
      [owner.id, 'key.view', idOf(1), { refused: 'not_found' }],
      [owner.id, 'key.edit', key.id, { name: 'Till' }],
      [developer.id, 'access_key.view', idOf(1), { refused: 'not_found' }],
    ]);
  });

  it('N43 each minute has its own entry and count', async () => {
    const holder = await at.account();
    at.clock.advance(MINUTE - (at.clock.now() % MINUTE));
    for (const views of [3, 1, 2]) {
      const startedAt = at.clock.now();
      for (let number = 0; number < views; number += 1) {
        await refusalOf(at.management.keys.view(holder.developer, idOf(number)));
        at.clock.advance(1_000);
      }
      at.clock.advance(MINUTE - (at.clock.now() - startedAt));
    }
    expect((await holder.story()).map(({ after }) => after)).toEqual([
      { refused: 'not_found', count: 3 },
      { refused: 'not_found' },
      { refused: 'not_found', count: 2 },
    ]);
  });

  it('N43 refused changes of two keys of the account have an entry each', async () => {
    const holder = await at.account();
    const keys = [(await holder.key()).key, (await holder.key()).key];
    for (const { id } of [...keys, ...keys]) await refusalOf(at.management.keys.revoke(holder.developer, id));
    const refused = (await holder.story()).filter(({ outcome }) => outcome === 'refused');
    expect(refused.map(({ subject, after }) => [subject, after])).toEqual(
      keys.map(({ id }) => [id, { refused: 'forbidden', count: 2 }]),
    );
  });

  it('N43 concurrent refusals are all counted in one entry', async () => {
    const holder = await at.account();
    await Promise.all(
      Array.from({ length: 20 }, (_, number) => refusalOf(at.management.keys.view(holder.developer, idOf(number)))),
    );
    expect((await holder.story()).map(({ after }) => after)).toEqual([{ refused: 'not_found', count: 20 }]);
  });

  it('N43 a list with pages of one entry has the same entries and counts', async () => {
    const holder = await at.account();
    at.clock.advance(MINUTE - (at.clock.now() % MINUTE));
    for (const number of [1, 2]) await refusalOf(at.management.keys.view(holder.developer, idOf(number)));
    for (const _ of [1, 2]) await refusalOf(at.management.keys.revoke(holder.developer, idOf(3)));
    const first = await at.management.audit(holder.owner, { limit: 1 });
    const second = await at.management.audit(holder.owner, { limit: 1, after: String(first.next) });
    expect([...first.items, ...second.items].map(({ action, after }) => [action, after])).toEqual([
      ['key.revoke', { refused: 'forbidden', count: 2 }],
      ['key.view', { refused: 'not_found', count: 2 }],
    ]);
  });
});
