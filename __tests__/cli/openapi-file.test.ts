import { expect, it, jest } from '@jest/globals';

const replaceFile = jest.fn<() => Promise<void>>();
jest.unstable_mockModule('../../lib/cli/replace-file.js', () => ({ replaceFile }));
const { writeDocumentFile } = await import('../../lib/cli/openapi-file.js');

it.each([
  ['ENOSPC', 4],
  ['EDQUOT', 4],
  ['EFBIG', 4],
  ['EIO', 4],
  ['EPIPE', 4],
  ['EACCES', 2],
])('a document that cannot be written because of %s: exit code %i', async (code, exitCode) => {
  replaceFile.mockRejectedValue(Object.assign(new Error(`${code}: a fault`), { code }));
  await expect(writeDocumentFile('openapi.yaml', '')).rejects.toMatchObject({
    ...{ message: `openapi.yaml cannot be written: ${code}: a fault`, exitCode },
  });
});
