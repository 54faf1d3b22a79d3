import { expect, it, jest } from '@jest/globals';

/** kysely 0.29 needs Node 22. `npm run check:consumers` tries the real one there. */
it('a store opens with kysely 0.29, which has the migrator in kysely/migration', async () => {
  const { Migrator, ...kysely } = await import('kysely');
  jest.unstable_mockModule('kysely', () => kysely);
  jest.unstable_mockModule('kysely/migration', () => ({ Migrator }), { virtual: true });
  const { openStore } = await import('../../lib/store/open-store.js');
  const store = await openStore('memory:');
  expect(await store.ready()).toBe(true);
  await store.close();
});
