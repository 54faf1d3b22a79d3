import { describe, expect, it } from '@jest/globals';
import { createManagement, createManagementApi, type Management } from 'keyward/management';
import { hostile, managed } from '../support/managed.js';

const FUNCTIONS = { audit() {}, usage() {} };

describe('the option management', () => {
  const at = managed('memory');
  const create = (management: unknown) =>
    createManagementApi({ management: hostile<Management>(management), memberOf: () => null });

  it('accepts what createManagement returns', () => {
    expect(create(createManagement({ store: at.store }))).toEqual(expect.any(Function));
  });

  it.each<[string, object]>([
    ['nothing else', {}],
    ['only keys', { keys: {} }],
    ['only access keys', { accessKeys: {} }],
  ])('refuses an object with audit() and usage() and %s', (_what, more) => {
    expect(() => create({ ...FUNCTIONS, ...more })).toThrow(
      new TypeError('createManagementApi: option "management" must be the result of createManagement(), got an object'),
    );
  });

  it('refuses an object without the functions', () => {
    expect(() => create({ keys: {}, accessKeys: {} })).toThrow(
      new TypeError(
        'createManagementApi: option "management" must be an object with audit() and usage(), got an object',
      ),
    );
  });
});
