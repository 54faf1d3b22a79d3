import { describe, expect, it } from '@jest/globals';
import type { AccessKeySettings, KeyEdit, KeySettings } from 'keyward/management';
import { hostile, managed, refusalOf, refusing } from '../support/managed.js';
import { START } from '../support/manual-clock.js';
import { engines } from '../support/test-stores.js';

const KEY = { kind: 'secret', apis: ['payments'] };
const ACCESS_KEY = { scopes: ['payments'] };
const NEVER_GIVEN = [
  ...['accountId', 'account', 'role', 'id', 'digest', 'createdBy', 'createdAt', 'revoked', 'revokedAt', 'env'],
  ...['version_', 'hint', 'secrets', 'publicKey', 'permissions', '__proto__', 'constructor', 'toString'],
];

/** An object with one more field, as JSON brings it: an own one, whatever its name. */
function withField(settings: object, field: string) {
  const members = [...Object.entries(settings), [field, 'acc_1']];
  const text = members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join();
  return hostile<KeySettings & AccessKeySettings & KeyEdit>(JSON.parse(`{${text}}`));
}

describe.each(engines)('on %s', (engine) => {
  const at = managed(engine);

  describe('unknown fields', () => {
    it.each([...NEVER_GIVEN, 'version', 'disabled', 'defaultScopes', 'revokeTokens'])(
      'M19 a new key with %s',
      async (field) => {
        const holder = await at.account();
        const doing = at.management.keys.create(holder.owner, withField(KEY, field));
        expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', field));
        expect((await at.management.keys.list(holder.owner)).items).toEqual([]);
      },
    );

    it.each([...NEVER_GIVEN, 'version', 'disabled', 'apis', 'kind', 'revokeTokens'])(
      'M19 a new access key with %s',
      async (field) => {
        const holder = await at.account();
        const doing = at.management.accessKeys.create(holder.owner, withField(ACCESS_KEY, field));
        expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', field));
        expect((await at.management.accessKeys.list(holder.owner)).items).toEqual([]);
      },
    );

    it.each([...NEVER_GIVEN, 'kind', 'environment', 'defaultScopes', 'revokeTokens'])(
      'M19 the edit of a key with %s',
      async (field) => {
        const holder = await at.account();
        const { key } = await holder.key();
        const doing = at.management.keys.edit(holder.owner, key.id, withField({ version: 1, name: 'new' }, field));
        expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', field));
        expect(await at.management.keys.view(holder.owner, key.id)).toEqual(key);
      },
    );

    it.each([...NEVER_GIVEN, 'kind', 'environment', 'apis'])('M19 the edit of an access key with %s', async (field) => {
      const holder = await at.account();
      const { key } = await holder.accessKey();
      const edit = withField({ version: 1, name: 'new' }, field);
      const doing = at.management.accessKeys.edit(holder.owner, key.id, edit);
      expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', field));
      expect(await at.management.accessKeys.view(holder.owner, key.id)).toEqual(key);
    });

    it.each(['sort', 'digest', '__proto__', 'account', 'offset'])('M19 a list by %s', async (field) => {
      const holder = await at.account();
      for (const list of [at.management.keys.list, at.management.accessKeys.list, at.management.audit]) {
        expect(await refusalOf(list(holder.owner, withField({}, field)))).toEqual(refusing(400, 'invalid', field));
      }
    });
  });

  describe('malicious objects', () => {
    const DEPTH = 10_000;
    const deep = (open: string, close: string) => JSON.parse(`${open.repeat(DEPTH)}1${close.repeat(DEPTH)}`);
    const deepObject = deep('{"a":', '}');
    const deepList = deep('[', ']');

    it.each<[string, unknown, string]>([
      ['depth 10^4 for the settings', deepObject, 'a'],
      ['depth 10^4 in an unknown field', { ...KEY, more: deepObject }, 'more'],
      ['depth 10^4 for the name', { ...KEY, name: deepObject }, 'name'],
      ['depth 10^4 for the APIs', { ...KEY, apis: deepList }, 'apis'],
      ['depth 10^4 for the scopes', { ...KEY, scopes: deepList }, 'scopes'],
      ['depth 10^4 for the channels', { ...KEY, channels: deepObject }, 'channels'],
      ['depth 10^4 for the expiry', { ...KEY, expiresAt: deepList }, 'expiresAt'],
      ['JSON __proto__', JSON.parse('{"__proto__":{"polluted":true},"kind":"secret","apis":"all"}'), '__proto__'],
      ['JSON __proto__ for the APIs', { ...KEY, apis: JSON.parse('{"__proto__":["payments"]}') }, 'apis'],
      ['settings that inherit their fields', Object.create(KEY), 'kind'],
      ['a list of settings', [KEY], 'request'],
      ['a text', JSON.stringify(KEY), 'request'],
      ['null', null, 'request'],
      ['nothing', undefined, 'request'],
      ['a number too large', { ...KEY, name: 10n ** 30n }, 'name'],
    ])('M39 %s', async (_what, settings, field) => {
      const holder = await at.account();
      for (const idempotencyKey of [undefined, 'once']) {
        const doing = at.management.keys.create(holder.developer, hostile<KeySettings>(settings), idempotencyKey);
        const refused = await refusalOf(doing);
        expect(refused).toEqual(refusing(400, 'invalid'));
        // With an idempotency key it is written as JSON first, which may be what cannot be done.
        if (idempotencyKey === undefined || refused.field !== 'request') expect(refused.field).toBe(field);
      }
      expect((await at.management.keys.list(holder.developer)).items).toEqual([]);
      expect(({} as { polluted?: true }).polluted).toBeUndefined();
    });

    it('M39 the same for an edit', async () => {
      const holder = await at.account();
      const { key } = await holder.key();
      for (const edit of [
        deepObject,
        { version: 1, name: deepObject },
        JSON.parse('{"__proto__":{"version":1}}'),
        null,
      ]) {
        const doing = at.management.keys.edit(holder.owner, key.id, hostile<KeyEdit>(edit));
        expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid'));
      }
      expect(await at.management.keys.view(holder.owner, key.id)).toEqual(key);
    });
  });

  describe('invalid field values', () => {
    it.each<[string, object]>([
      ['kind', { ...KEY, kind: undefined }],
      ['kind', { ...KEY, kind: 'access' }],
      ['environment', { ...KEY, environment: 'test' }],
      ['environment', { ...KEY, environment: null }],
      ['apis', { kind: 'secret' }],
      ['apis', { ...KEY, apis: [] }],
      ['apis', { ...KEY, apis: null }],
      ['apis', { ...KEY, apis: ['*'] }],
      ['apis', { kind: 'public', apis: 'all' }],
      ['scopes', { ...KEY, scopes: 'payments' }],
      ['channels', { ...KEY, channels: null }],
      ['platform', { ...KEY, platform: '' }],
      ['name', { ...KEY, name: 'x'.repeat(101) }],
      ['expiresAt', { ...KEY, expiresAt: new Date(START - 1) }],
      ['expiresAt', { ...KEY, expiresAt: new Date(START) }],
      ['expiresAt', { ...KEY, expiresAt: '2040-01-01' }],
    ])('a new key is refused for its %s: %p', async (field, settings) => {
      const holder = await at.account();
      const doing = at.management.keys.create(holder.owner, hostile<KeySettings>(settings));
      expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', field));
    });

    it.each(['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString', 'valueOf'])(
      'P15 nothing is created with the name %s',
      async (name) => {
        const { keys, accounts } = at.management;
        const holder = await at.account({ apis: 'all', channels: 'all' });
        const key = { kind: 'secret', apis: ['payments'] } as const;
        for (const doing of [
          () => accounts.put('operator', name, {}),
          () => accounts.put('operator', holder.id, { apis: [name] }),
          () => accounts.put('operator', holder.id, { platforms: [name] }),
          () => keys.create(holder.owner, { ...key, apis: [name] }),
          () => keys.create(holder.owner, { ...key, channels: [name] }),
          () => keys.create(holder.owner, { ...key, platform: name }),
        ]) {
          expect(await refusalOf(doing())).toEqual(refusing(400, 'invalid'));
        }
        expect(await refusalOf(keys.view(holder.owner, name))).toEqual(refusing(404, 'not_found'));
      },
    );

    it.each<[string, object]>([
      ['scopes', {}],
      ['scopes', { scopes: [] }],
      ['scopes', { scopes: null }],
      ['scopes', { scopes: ['a b'] }],
      ['defaultScopes', { scopes: ['payments'], defaultScopes: ['disputes'] }],
      ['defaultScopes', { scopes: ['payments'], defaultScopes: null }],
      ['expiresAt', { scopes: ['payments'], expiresAt: new Date(START) }],
    ])('a new access key is refused for its %s: %p', async (field, settings) => {
      const holder = await at.account();
      const doing = at.management.accessKeys.create(holder.owner, hostile<AccessKeySettings>(settings));
      expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', field));
    });

    it.each<[string, object]>([
      ['version', { name: 'new' }],
      ['version', { version: '1' }],
      ['version', { version: 1.5 }],
      ['version', { version: Number.NaN }],
      ['apis', { version: 1, apis: [] }],
      ['disabled', { version: 1, disabled: 'true' }],
      ['disabled', { version: 1, disabled: null }],
      ['expiresAt', { version: 1, expiresAt: new Date(START) }],
    ])('the edit of a key is refused for its %s: %p', async (field, edit) => {
      const holder = await at.account();
      const { key } = await holder.key();
      const doing = at.management.keys.edit(holder.owner, key.id, hostile<KeyEdit>(edit));
      expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', field));
    });

    it('the edit of an access key is refused if revokeTokens is not a boolean', async () => {
      const holder = await at.account();
      const { key } = await holder.accessKey();
      const edit = { version: 1, revokeTokens: hostile<boolean>('yes') };
      const doing = at.management.accessKeys.edit(holder.owner, key.id, edit);
      expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', 'revokeTokens'));
    });

    it('validation errors are not in the audit log', async () => {
      const holder = await at.account();
      await refusalOf(at.management.keys.create(holder.owner, hostile({})));
      expect(await holder.story()).toEqual([]);
    });
  });
});
