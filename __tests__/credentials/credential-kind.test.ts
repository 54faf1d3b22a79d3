import { describe, expect, it } from '@jest/globals';
import { KEY_KINDS, KINDS } from '../../lib/credentials/credential-kind.js';
import { ENVIRONMENTS } from '../../lib/credentials/environment.js';

describe('the lists for checking options and records', () => {
  it.each([
    ['KINDS', KINDS, ['secret', 'public', 'access']],
    ['KEY_KINDS', KEY_KINDS, ['secret', 'public']],
    ['ENVIRONMENTS', ENVIRONMENTS, ['live', 'sandbox']],
  ])('%s is complete, and cannot be changed', (_name, list, members) => {
    expect(list).toEqual(members);
    expect(Object.isFrozen(list)).toBe(true);
  });
});
