import { describe, expect, it } from '@jest/globals';
import type { KeyView, Member } from 'keyward/management';
import { HAS, type Holder, hostile, type Managed, managed, refusalOf, refusing } from '../support/managed.js';
import { engines } from '../support/test-stores.js';

const KEY_TYPES = ['keys', 'accessKeys'] as const;
type KeyTypeName = (typeof KEY_TYPES)[number];

const SETTINGS = { keys: { kind: 'secret', apis: ['payments'] }, accessKeys: { scopes: ['payments'] } } as const;
/** What the audit log calls each type of key. */
const NOUN = { keys: 'key', accessKeys: 'access_key' } as const;

const VERBS = ['list', 'view', 'create', 'edit', 'revoke'] as const;
type Verb = (typeof VERBS)[number];

/** docs/spec.md §5.4, as statuses; `undefined` means permitted. */
const ANSWERS: Readonly<Record<string, Readonly<Record<Verb, 401 | 403 | undefined>>>> = {
  nobody: { list: 401, view: 401, create: 401, edit: 401, revoke: 401 },
  developer: { list: undefined, view: undefined, create: undefined, edit: 403, revoke: 403 },
  owner: { list: undefined, view: undefined, create: undefined, edit: undefined, revoke: undefined },
};
const CASES = Object.entries(ANSWERS)
  .flatMap(([who, answers]) => VERBS.map((verb) => ({ who, verb, status: answers[verb] })))
  .map((one, at) => ({ id: `M${String(at + 1).padStart(2, '0')}`, ...one }));

/** What a permitted call returns. */
function resultOf(verb: Verb, key: KeyView): object {
  const results: Readonly<Record<Verb, object>> = {
    list: { items: [key] },
    view: key,
    create: { key: { account: key.account, state: 'active' } },
    edit: { id: key.id, version: key.version + 1 },
    revoke: { id: key.id, state: 'revoked' },
  };
  return results[verb];
}

describe.each(engines)('on %s', (engine) => {
  const at = managed(engine);

  describe.each(KEY_TYPES)('%s', (keyType) => {
    it.each(CASES)('$id $who may $verb: $status', async ({ who, verb, status }) => {
      const { holder, key } = await made(at, keyType);
      const doing = act(at, keyType, verb, memberOf(holder, who), key);
      if (status === undefined) {
        expect(await doing).toMatchObject(resultOf(verb, key));
        return;
      }
      expect(await refusalOf(doing)).toEqual(refusing(status, status === 401 ? 'no_member' : 'forbidden'));
      expect(await at.management[keyType].view(holder.owner, key.id)).toEqual(key);
      expect((await at.management[keyType].list(holder.owner)).items).toEqual([key]);
    });

    it.each(['edit', 'revoke', 'rotate', 'endGrace'] as const)(
      'M16 a Developer calls %s directly: no change, and an audit entry',
      async (verb) => {
        const { holder, key } = await made(at, keyType);
        at.clock.advance(1_000);
        const refused = await refusalOf(act(at, keyType, verb, holder.developer, key));
        expect(refused).toEqual(refusing(403, 'forbidden'));
        expect(refused.message).toBe('this operation requires the Owner permission (scope keys:manage)');
        expect(await at.management[keyType].view(holder.owner, key.id)).toEqual(key);
        const [, entry, ...more] = await holder.story();
        expect(more).toEqual([]);
        expect(entry).toMatchObject({
          ...{ actor: holder.developer.id, role: 'developer', outcome: 'refused', subject: key.id },
          ...{
            action: `${NOUN[keyType]}.${verb === 'endGrace' ? 'end_grace' : verb}`,
            after: { refused: 'forbidden' },
          },
        });
      },
    );

    it.each(['create', 'edit', 'revoke', 'rotate', 'list', 'view'] as const)(
      'M18 %s without a member, with an account and a user in the body: nothing is created',
      async (verb) => {
        const { holder, key } = await made(at, keyType);
        const stolen = { accountId: holder.id, account: holder.id, userId: holder.owner.id, member: holder.owner };
        for (const nobody of [undefined, null, {}, { id: '', account: holder.id, permissions: ['owner'] }]) {
          const doing = act(at, keyType, verb, hostile<Member>(nobody), key, stolen);
          expect(await refusalOf(doing)).toEqual(refusing(401, 'no_member'));
        }
        expect((await at.management[keyType].list(holder.owner)).items).toEqual([key]);
        expect(await holder.story()).toHaveLength(1);
      },
    );
  });

  it.each(['addSecret', 'deleteSecret'] as const)('M16 a Developer calls %s directly', async (verb) => {
    const holder = await at.account();
    const { key } = await holder.accessKey();
    const { accessKeys } = at.management;
    const doing =
      verb === 'addSecret'
        ? accessKeys.addSecret(holder.developer, key.id)
        : accessKeys.deleteSecret(holder.developer, key.id, String(key.secrets[0]?.id));
    expect(await refusalOf(doing)).toEqual(refusing(403, 'forbidden'));
    expect(await at.management.accessKeys.view(holder.owner, key.id)).toEqual(key);
    expect((await holder.story()).filter(({ outcome }) => outcome === 'refused')).toHaveLength(1);
  });

  it('a member without a permission sees nothing, not even the audit log', async () => {
    const { holder, key } = await made(at, 'keys');
    const member: Member = { ...holder.developer, permissions: [] };
    const { keys, audit } = at.management;
    for (const [permission, doing] of [
      ['Reader permission (scope keys:read)', () => keys.list(member)],
      ['Reader permission (scope keys:read)', () => keys.view(member, key.id)],
      ['Developer permission (scope keys:write)', () => keys.create(member, SETTINGS.keys)],
      ['Reader permission (scope keys:read)', () => audit(member)],
    ] as const) {
      const refused = await refusalOf(doing());
      expect(refused).toEqual(refusing(403, 'forbidden'));
      expect(refused.message).toBe(`this operation requires the ${permission}`);
    }
  });

  it('is audited if a member without a permission asks for names, usage or the audit log', async () => {
    const { holder, key } = await made(at, 'keys');
    const member: Member = { ...holder.developer, permissions: [], address: '::ffff:203.0.113.9' };
    const { keyNames, usage, recentUsage, audit } = at.management;
    for (const doing of [
      () => keyNames(member, [key.id]),
      () => usage(member, key.id),
      () => recentUsage(member, [key.id]),
      () => audit(member),
    ]) {
      at.clock.advance(60_000);
      expect(await refusalOf(doing())).toEqual(refusing(403, 'forbidden'));
    }
    const refused = { role: null, outcome: 'refused', after: { refused: 'forbidden' }, origin: '203.0.113.9' };
    expect((await holder.story()).slice(1)).toMatchObject([
      { ...refused, action: 'key.names', subject: null },
      { ...refused, action: 'key.usage', subject: key.id },
      { ...refused, action: 'key.usage', subject: null },
      { ...refused, action: 'audit.list', subject: null },
    ]);
  });

  it('is audited as for other calls of access keys if a member without a permission asks for their usage', async () => {
    const { holder, key } = await made(at, 'accessKeys');
    const member: Member = { ...holder.developer, permissions: [] };
    at.clock.advance(60_000);
    expect(await refusalOf(at.management.usage(member, key.id))).toEqual(refusing(403, 'forbidden'));
    expect((await holder.story()).at(-1)).toMatchObject({ action: 'access_key.usage', subject: key.id });
  });

  it('reads everything as a Reader', async () => {
    const { holder, key } = await made(at, 'keys');
    const reader: Member = { ...holder.developer, permissions: ['reader'] };
    const { keys, accessKeys, keyNames, usage, recentUsage, audit } = at.management;
    expect((await keys.list(reader)).items.map(({ id }) => id)).toEqual([key.id]);
    expect((await keys.view(reader, key.id)).id).toBe(key.id);
    expect((await accessKeys.list(reader)).items).toEqual([]);
    expect((await keyNames(reader, [key.id])).size).toBe(key.name === null ? 0 : 1);
    expect(await usage(reader, key.id)).toMatchObject({ id: key.id, accepted: 0 });
    expect((await recentUsage(reader, [key.id])).size).toBe(0);
    expect((await audit(reader, { subject: key.id })).items).toMatchObject([{ action: 'key.create' }]);
  });

  it.each(['id', 'account', 'address'])('is invalid with NUL in its %s', async (field) => {
    const holder = await at.account();
    const doing = at.management.keys.list({ ...holder.owner, [field]: 'a\u0000' });
    expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', `member.${field}`));
  });

  it.each([
    ['id', 256],
    ['account', 64],
  ])('is invalid with a longer %s than %i characters, and nothing is audited', async (field, length) => {
    const holder = await at.account();
    const { keys, audit } = at.management;
    for (const permissions of [holder.owner.permissions, []]) {
      const member: Member = { ...holder.owner, permissions, [field]: 'a'.repeat(length + 1) };
      for (const doing of [() => keys.create(member, SETTINGS.keys), () => keys.list(member), () => audit(member)])
        expect(await refusalOf(doing())).toEqual(refusing(400, 'invalid', `member.${field}`));
    }
    expect(await holder.story()).toEqual([]);
  });

  it('acts with the longest id, of characters that take the most bytes, in the longest account', async () => {
    const { id: account } = await at.management.accounts.put('o'.repeat(256), 'a'.repeat(64), HAS);
    const member: Member = { id: '\u65e5'.repeat(256), account, permissions: ['developer'] };
    const { key } = await at.management.keys.create(member, SETTINGS.keys);
    expect(await refusalOf(at.management.keys.revoke(member, key.id))).toEqual(refusing(403, 'forbidden'));
    expect((await at.management.audit(member, { actor: member.id })).items).toMatchObject([
      { action: 'key.revoke', actor: member.id },
      { action: 'key.create', actor: member.id },
    ]);
  });

  it.each([
    ['an empty account', { account: '' }],
    ['an account that is no text', { account: 7 }],
    ['permissions that are no list', { permissions: 'owner' }],
  ])('is none with %s', async (_what, traits) => {
    const holder = await at.account();
    const doing = at.management.keys.list(hostile<Member>({ ...holder.owner, ...traits }));
    expect(await refusalOf(doing)).toEqual(refusing(401, 'no_member'));
  });

  it('ignores permissions that it does not know', async () => {
    const holder = await at.account();
    const member = hostile<Member>({ ...holder.owner, permissions: ['admin', 'developer', 'operator'] });
    await at.management.keys.create(member, SETTINGS.keys);
    expect(await holder.story()).toMatchObject([{ role: 'developer' }]);
  });

  it.each(['keyNames', 'recentUsage'] as const)('asks for %s of at most 200 keys', async (verb) => {
    const holder = await at.account();
    const { key } = await holder.key({ name: 'Till' });
    const ids = Array.from({ length: 199 }, (_, number) => `key_${number}`);
    await at.management[verb](holder.developer, [...ids, key.id]);
    for (const wrong of [[...ids, key.id, 'key_more'], hostile<string[]>(key.id)]) {
      expect(await refusalOf(at.management[verb](holder.developer, wrong))).toEqual(refusing(400, 'invalid', 'ids'));
    }
    const withNul = at.management[verb](holder.developer, ['key_\u0000']);
    expect(await refusalOf(withNul)).toEqual(refusing(400, 'invalid', 'ids'));
  });

  it.each([
    ['403 before 400', { permissions: [] }, 403],
    ['401 before 400', { permissions: undefined }, 401],
  ])('reports a missing permission before invalid input: %s', async (_what, changes, status) => {
    const holder = await at.account();
    const member = hostile<Member>({ ...holder.owner, ...changes });
    const wrong = { nonsense: true };
    const { keys, audit } = at.management;
    const doings = [
      () => keys.list(member, wrong as object),
      () => audit(member, wrong as object),
      () => keys.create(member, hostile(wrong)),
      () => keys.edit(member, 'key_none', hostile(wrong)),
    ];
    for (const doing of doings) expect((await refusalOf(doing())).status).toBe(status);
  });

  it('accepts an Owner without the permission Developer', async () => {
    const holder = await at.account();
    await at.management.keys.create(holder.owner, SETTINGS.keys);
    await at.management.keys.create({ ...holder.owner, permissions: ['developer', 'owner'] }, SETTINGS.keys);
    expect((await holder.story()).map(({ role }) => role)).toEqual(['owner', 'owner']);
  });
});

async function made(at: Managed, keyType: KeyTypeName): Promise<{ holder: Holder; key: KeyView }> {
  const holder = await at.account();
  const { key } = keyType === 'keys' ? await holder.key() : await holder.accessKey();
  return { holder, key };
}

function memberOf(holder: Holder, who: string): Member {
  if (who === 'nobody') return hostile<Member>(undefined);
  return who === 'owner' ? holder.owner : holder.developer;
}

function act(
  { management }: Managed,
  keyType: KeyTypeName,
  verb: Verb | 'rotate' | 'endGrace',
  member: Member,
  { id, version }: KeyView,
  more: object = {},
): Promise<unknown> {
  const service = management[keyType];
  if (verb === 'list') return service.list(member, more);
  if (verb === 'create') return service.create(member, hostile({ ...SETTINGS[keyType], ...more }));
  if (verb === 'edit') return service.edit(member, id, { version, name: 'edited', ...more });
  return service[verb](member, id);
}
