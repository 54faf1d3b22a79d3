import { describe, expect, it } from '@jest/globals';
import { inEnvironment } from '../../lib/management/keys/member-rules.js';
import { HAS, managed, refusalOf } from '../support/managed.js';
import { engines } from '../support/test-stores.js';

describe('the environment of a member', () => {
  const everywhere = { id: 'm', account: 'acme', permissions: ['owner'] } as const;
  const sandbox = { ...everywhere, environment: 'sandbox' } as const;

  it.each<[unknown, unknown]>([
    [{}, { environment: 'sandbox' }],
    [{ environment: 'live' }, { environment: 'live' }],
    [null, null],
    [undefined, undefined],
    ['text', 'text'],
  ])('changes the settings %p to %p', (settings, changed) => {
    expect(inEnvironment(settings, sandbox)).toStrictEqual(changed);
  });

  it('changes nothing if there is none', () => {
    expect(inEnvironment({ name: 'Till' }, everywhere)).toStrictEqual({ name: 'Till' });
  });
});

describe.each(engines)('on %s, scopes of the management API', (engine) => {
  const at = managed(engine);
  const scopes = ['keys:manage', 'keys:write', 'keys:other', 'payments'];
  const settings = { kind: 'secret', apis: ['payments'], scopes } as const;

  it('cannot be given to a key by a member without their permissions', async () => {
    const holder = await at.account({ ...HAS, scopes });
    expect(await refusalOf(at.management.keys.create(holder.developer, settings))).toEqual({
      ...{ status: 403, code: 'forbidden', field: undefined },
      message: 'your permissions do not allow you to give a key these scopes: keys:manage, keys:other',
    });
    expect((await at.management.keys.list(holder.owner)).items).toEqual([]);
  });

  it('are given to a key by a member who has the permissions', async () => {
    const holder = await at.account({ ...HAS, scopes });
    const ofDeveloper = { ...settings, scopes: ['keys:write', 'payments'] };
    expect((await at.management.keys.create(holder.owner, settings)).key.scopes).toEqual(scopes);
    expect((await at.management.keys.create(holder.developer, ofDeveloper)).key.scopes).toEqual(ofDeveloper.scopes);
  });
});
