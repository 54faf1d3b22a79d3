import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, jest } from '@jest/globals';

const replaceFile = jest.fn<() => Promise<void>>();
jest.unstable_mockModule('../../lib/cli/replace-file.js', () => ({ replaceFile }));
const { readDocumentFile, writeDocumentFile } = await import('../../lib/cli/openapi-file.js');

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

describe('a document that cannot be read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-document-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const NO_DOCUMENT = 'is not an OpenAPI document; expected an object in JSON or YAML';
  it.each([
    ['a.json', 'null', NO_DOCUMENT],
    ['a.json', '1', NO_DOCUMENT],
    ['a.yaml', '', NO_DOCUMENT],
    ['a.YML', 'a text', NO_DOCUMENT],
    [
      'a.yaml',
      'a: [1',
      'is not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ] at line 1, column 6',
    ],
    ['a.yml', 'a: *b', 'is not valid YAML: Unresolved alias (the anchor must be set before the alias): b'],
  ])('%s with %j', async (name, text, message) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    await expect(readDocumentFile(path)).rejects.toMatchObject({ message: `${path} ${message}`, exitCode: 2 });
  });
});

describe('readDocumentFile: numbers that JavaScript cannot hold', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-document-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const JSON_NUMBERS = ['9223372036854775807', '-0', '1e400', '1.10', '0.1000000000000000055', '1E-3', '200'];
  const warn = jest.fn<(message: string) => void>();

  async function changed(text: string, from: string, to: string, path = ['paths', '200', 'x']): Promise<string> {
    writeFileSync(join(folder, from), text);
    const { format } = await readDocumentFile(join(folder, from));
    return await format([{ path, value: 'new' }], to, warn);
  }

  const json = `{
  "paths": {
    "200": {
      "y": "1e400, \\"9223372036854775807\\""
    }
  },
  "numbers": [
    ${JSON_NUMBERS.join(',\n    ')}
  ]
}
`;
  const yaml = `paths:\n  "200":\n    y: 1\nnumbers:\n  - ${JSON_NUMBERS.join('\n  - ')}\n`;

  it('JSON stays as it is', async () => {
    expect(await changed(json, 'a.json', 'b.json')).toBe(json.replace(/("y": .*)\n/, '$1,\n      "x": "new"\n'));
  });

  it('YAML stays as it is, also where its comments and anchors are lost', async () => {
    const forms = '0x1F 0o17 +5 .5 .inf 1.0e+3 010'.split(' ').map((form) => `  - ${form}\n`);
    expect(await changed(yaml + forms.join(''), 'a.yaml', 'b.yml')).toBe(
      `${yaml.replace('y: 1', 'y: 1\n    x: new')}${forms.join('')}`,
    );
    expect(warn).not.toHaveBeenCalled();
    const merged = `${yaml}base: &base { x: { z: 1e400 } }\nmerged: { <<: *base }\n`;
    const text = await changed(merged, 'a.yaml', 'b.yml', ['merged', 'x', 'w']);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(text).toContain(`numbers:\n  - ${JSON_NUMBERS.join('\n  - ')}\n`);
    expect(text).toMatch(/merged:\n {2}x:\n {4}z: 1e400\n {4}w: new\n$/);
  });

  it('JSON and YAML are converted to the other', async () => {
    expect(await changed(json, 'a.json', 'b.yaml')).toContain(`numbers:\n  - ${JSON_NUMBERS.join('\n  - ')}\n`);
    const text = await changed(yaml, 'a.yaml', 'b.json');
    expect(text).toContain(`"numbers": [\n    ${JSON_NUMBERS.join(',\n    ')}\n  ]`);
    expect(JSON.parse(text).paths).toEqual({ 200: { y: 1, x: 'new' } });
  });

  it.each(['.inf', '-.inf', '.nan', '0xFFFFFFFFFFFFFFFF'])('YAML with %s is not written as JSON', async (number) => {
    await expect(changed(`paths: {}\nlimit: ${number}\n`, 'a.yaml', 'b.json')).rejects.toMatchObject({
      ...{ message: 'the number at "limit" cannot be written as JSON; write the document as YAML', exitCode: 1 },
    });
  });
});
