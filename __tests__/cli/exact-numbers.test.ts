import { describe, expect, it } from '@jest/globals';
import { CliError } from '../../lib/cli/cli-error.js';
import { formatMarkedJson, formatMarkedYaml, parseMarkedJson, parseMarkedYaml } from '../../lib/cli/exact-numbers.js';

const NUMBERS = ['0', '-0', '1.0', '9223372036854775807', '1e400', '-2.50E+10', '12345678901234567890.5'];

describe('numbers of a JSON document', () => {
  it.each(NUMBERS)('stay as they are written: %s', async (number) => {
    const document = parseMarkedJson(`{"a": ${number}, "b": [${number},${number}]}`);
    expect(formatMarkedJson(document)).toBe(`{\n  "a": ${number},\n  "b": [\n    ${number},\n    ${number}\n  ]\n}\n`);
    expect(await formatMarkedYaml(document)).toBe(`a: ${number}\nb:\n  - ${number}\n  - ${number}\n`);
  });

  it('in strings and names are left as they are', () => {
    const value = { '1': '2', 'a "3" b': 'say \\"4\\" \\', c: [true, null, '5'] };
    expect(parseMarkedJson(JSON.stringify(value))).toEqual(value);
    expect(formatMarkedJson(value)).toBe(`${JSON.stringify(value, null, 2)}\n`);
  });
});

describe('numbers of a YAML document', () => {
  it.each(NUMBERS)('stay as they are written: %s', async (number) => {
    const document = await parseMarkedYaml(`a: ${number}\nb: [${number}]\n`);
    expect(formatMarkedJson(document)).toBe(`{\n  "a": ${number},\n  "b": [\n    ${number}\n  ]\n}\n`);
    expect(await formatMarkedYaml(document)).toBe(`a: ${number}\nb:\n  - ${number}\n`);
  });

  it.each([
    ['0x1F', 31],
    ['.5', 0.5],
    ['+1', 1],
    ['1.', 1],
    ['007', 7],
    ['0o17', 15],
    ['1e', '1e'],
    ['"1"', '1'],
    ['true', true],
  ])('that JSON does not have are values: %s', async (source, expected) => {
    expect(await parseMarkedYaml(`a: ${source}\n`)).toEqual({ a: expected });
  });

  it('are names too, and may be merged', async () => {
    expect(await parseMarkedYaml('200: ok\n')).toEqual({ 200: 'ok' });
    expect(await parseMarkedYaml('a: &a {x: true}\nb: {<<: *a}\n')).toEqual({ a: { x: true }, b: { x: true } });
  });

  it.each(['.inf', '-.inf', '.nan', '0x7FFFFFFFFFFFFFFF', '-.1e30'])(
    'that JSON cannot express are refused: %s',
    async (number) => {
      const value = await parseMarkedYaml(`limits: {most: ${number}}\n`);
      expect(() => formatMarkedJson(value)).toThrow(
        new CliError('the number at "most" cannot be written as JSON; write the document as YAML'),
      );
    },
  );

  it('are written as JSON if they are exact', () => {
    const { MAX_SAFE_INTEGER: most } = Number;
    expect(formatMarkedJson({ most, least: -most, half: 0.5 })).toBe(
      `{\n  "most": ${most},\n  "least": -${most},\n  "half": 0.5\n}\n`,
    );
  });
});
