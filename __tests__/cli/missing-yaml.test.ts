import { expect, it, jest } from '@jest/globals';

jest.unstable_mockModule('yaml', () => {
  throw Object.assign(new Error("Cannot find package 'yaml'"), { code: 'ERR_MODULE_NOT_FOUND' });
});
const { loadYaml } = await import('../../lib/cli/edit-yaml.js');

it('YAML needs a package, and the error names it', async () => {
  await expect(loadYaml()).rejects.toMatchObject({
    name: 'MissingPackageError',
    message: 'YAML needs a package that is not installed; run: npm install yaml',
  });
});
