import { describe, expect, it, jest } from '@jest/globals';

for (const name of ['yaml', 'csv-parse']) {
  jest.unstable_mockModule(name, () => {
    throw Object.assign(new Error(`Cannot find package '${name}'`), { code: 'ERR_MODULE_NOT_FOUND' });
  });
}
const { loadYaml } = await import('../../lib/cli/edit-yaml.js');
const { openTable } = await import('../../lib/cli/import/csv-table.js');

const missing = (message: string) => expect.objectContaining({ name: 'MissingPackageError', message });

describe('the error names a package that is missing', () => {
  it('for YAML', async () => {
    await expect(loadYaml()).rejects.toEqual(
      missing('YAML needs a package that is not installed; run: npm install yaml'),
    );
  });

  it('for an import', async () => {
    await expect(openTable('keys.csv', { size: 1, firstLine: 2 }, () => undefined)).rejects.toEqual(
      missing('keyward keys import needs a package that is not installed; run: npm install csv-parse'),
    );
  });
});
