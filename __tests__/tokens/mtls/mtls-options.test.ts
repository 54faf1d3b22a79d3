import { expect, it } from '@jest/globals';
import { readMtlsOptions } from '../../../lib/tokens/mtls/mtls-options.js';

const read = (options: unknown) => readMtlsOptions('accessTokens', options);

it('needs no option', () => {
  expect(read({})).toEqual({ certificateOf: undefined, required: false });
});

it('has the given function', () => {
  const certificateOf = () => undefined;
  expect(read({ certificateOf, required: true })).toEqual({ certificateOf, required: true });
});

it.each<[unknown, string]>([
  [true, ' must be an options object, got a boolean'],
  [{ certificate: '' }, ': unknown option "certificate"; the options are certificateOf, required'],
  [{ certificateOf: 'header' }, ': option "certificateOf" must be a function, got a string'],
  [{ required: 1 }, ': option "required" must be a boolean, got a number'],
])('%j is refused', (options, message) => {
  expect(() => read(options)).toThrow(new TypeError(`accessTokens: option "mtls"${message}`));
});
