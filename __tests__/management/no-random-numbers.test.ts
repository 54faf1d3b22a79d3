import * as crypto from 'node:crypto';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Holder, Managed } from '../support/managed.js';
import { engines } from '../support/test-stores.js';

/** How many draws still succeed. */
let left = Number.POSITIVE_INFINITY;

jest.unstable_mockModule('node:crypto', () => ({
  ...crypto,
  randomBytes(size: number) {
    left -= 1;
    if (left < 0) throw new Error('the entropy source is gone: /dev/urandom');
    return crypto.randomBytes(size);
  },
}));

// Modules that are loaded from here on draw from it.
const { managed, refusalOf } = await import('../support/managed.js');

const UNAVAILABLE = {
  status: 503,
  code: 'unavailable',
  message: 'the system could not provide secure random numbers; try again',
  field: undefined,
};

afterEach(() => {
  left = Number.POSITIVE_INFINITY;
});

describe.each(engines)('on %s, where randomBytes throws', (engine) => {
  const at: Managed = managed(engine);

  const creations: Readonly<Record<string, (holder: Holder) => Promise<unknown>>> = {
    'a secret key': ({ developer }) =>
      at.management.keys.create(developer, { kind: 'secret', apis: ['payments'] }, 'once'),
    'a public key': ({ developer }) =>
      at.management.keys.create(developer, { kind: 'public', apis: ['payments'] }, 'once'),
    'an access key': ({ developer }) => at.management.accessKeys.create(developer, { scopes: ['payments'] }, 'once'),
  };

  it.each(
    Object.entries(creations).flatMap(([what, create]) => [
      { what, create, draws: 0, of: 'its id' },
      { what, create, draws: 1, of: 'its text' },
    ]),
  )('P20 creating $what, for $of: no key is stored', async ({ create, draws }) => {
    const holder = await at.account();
    left = draws;
    expect(await refusalOf(create(holder))).toEqual(UNAVAILABLE);
    expect((await at.management.keys.list(holder.owner)).items).toEqual([]);
    expect((await at.management.accessKeys.list(holder.owner)).items).toEqual([]);
    expect(await holder.story()).toEqual([]);
    // Nothing is left behind: not even of its idempotency key.
    left = Number.POSITIVE_INFINITY;
    expect(await create(holder)).toEqual({
      key: expect.anything(),
      secret: expect.any(String),
      doneAt: expect.any(Date),
    });
  });

  it.each(['keys', 'accessKeys'] as const)('P20 rotating one of %s: it does not change', async (keyType) => {
    const holder = await at.account();
    const { key } = await (keyType === 'keys' ? holder.key() : holder.accessKey());
    left = 0;
    expect(await refusalOf(at.management[keyType].rotate(holder.owner, key.id, 60))).toEqual(UNAVAILABLE);
    expect(await at.management[keyType].view(holder.owner, key.id)).toEqual(key);
  });

  it('P20 adding a Secret: the key does not change', async () => {
    const holder = await at.account();
    const { key } = await holder.accessKey();
    left = 0;
    expect(await refusalOf(at.management.accessKeys.addSecret(holder.owner, key.id))).toEqual(UNAVAILABLE);
    expect(await at.management.accessKeys.view(holder.owner, key.id)).toEqual(key);
  });
});
