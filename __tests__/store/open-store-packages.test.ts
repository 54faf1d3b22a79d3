import { expect, it, jest } from '@jest/globals';

for (const engine of ['sqlite', 'postgres']) {
  jest.unstable_mockModule(`../../lib/store/${engine}/engine.js`, () => {
    throw Object.assign(new Error("Cannot find package 'kysely'"), { code: 'ERR_MODULE_NOT_FOUND' });
  });
}
const { checkDriver, openStore } = await import('../../lib/store/open-store.js');

it.each([
  ['file:./keyward.db', 'kysely better-sqlite3'],
  ['memory:', 'kysely better-sqlite3'],
  ['postgres://db/x', 'kysely pg'],
])('a store at %s needs the packages %s', async (url, packages) => {
  for (const work of [openStore, checkDriver]) {
    await expect(work(url)).rejects.toMatchObject({
      name: 'MissingPackageError',
      message: `openStore needs a package that is not installed; run: npm install ${packages}`,
      packages,
    });
  }
});
