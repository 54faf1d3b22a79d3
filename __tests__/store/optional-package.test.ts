import { describe, expect, it } from '@jest/globals';
import { optionalPackage } from '../../lib/store/optional-package.js';

const failing = (code?: string) => Object.assign(new Error('cannot find it'), code === undefined ? {} : { code });

describe('optionalPackage', () => {
  it('loads an installed package', async () => {
    expect(await optionalPackage(async () => 7, 'keyward/store', 'kysely pg')).toBe(7);
  });

  it('says what to install if a package is missing', async () => {
    const loading = optionalPackage(
      () => Promise.reject(failing('ERR_MODULE_NOT_FOUND')),
      'keyward/store',
      'kysely pg',
    );
    await expect(loading).rejects.toMatchObject({
      name: 'MissingPackageError',
      code: 'package_missing',
      message: 'keyward/store needs a package that is not installed; run: npm install kysely pg',
      packages: 'kysely pg',
    });
  });

  it.each([failing('ERR_DLOPEN_FAILED'), failing(), 'text', undefined])(
    'hides no other failure (%#)',
    async (failure) => {
      await expect(optionalPackage(() => Promise.reject(failure), 'keyward/store', 'kysely pg')).rejects.toBe(failure);
    },
  );
});
