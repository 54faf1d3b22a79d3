import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createManagement, type KeyView, type Management } from 'keyward/management';
import type { CredentialStore } from 'keyward/store';
import { StoreError } from 'keyward/store';
import type { RepositoryTransaction } from '../../lib/store/repository/repository.js';
import { type Holder, managed, OPERATOR, refusalOf, storyOf } from '../support/managed.js';
import { onDatabase } from '../support/store-database.js';
import { engines, sharedEngines } from '../support/test-stores.js';

const SETTINGS = { kind: 'secret', apis: ['payments'] } as const;

interface Made {
  readonly holder: Holder;
  /** A key with a text in its grace. */
  readonly key: KeyView;
  /** Access keys with one client secret, and with two. */
  readonly one: KeyView;
  readonly two: KeyView;
}

const CHANGES: Readonly<Record<string, (management: Management, made: Made) => Promise<unknown>>> = {
  'create a key': ({ keys }, { holder }) => keys.create(holder.developer, SETTINGS),
  'create a key, once': ({ keys }, { holder }) => keys.create(holder.developer, SETTINGS, 'once'),
  'edit a key': ({ keys }, { holder, key }) => keys.edit(holder.owner, key.id, { version: key.version, name: 'Shop' }),
  'rotate a key': ({ keys }, { holder, key }) => keys.rotate(holder.owner, key.id, 60),
  'end the grace of a key': ({ keys }, { holder, key }) => keys.endGrace(holder.owner, key.id),
  'delete a key': ({ keys }, { holder, key }) => keys.revoke(holder.owner, key.id),
  'import a key': ({ keys }, { holder }) => keys.import(OPERATOR, holder.id, [{ ...SETTINGS, digest: newDigest() }]),
  'create an access key': ({ accessKeys }, { holder }) => accessKeys.create(holder.developer, { scopes: ['payments'] }),
  'add a Secret': ({ accessKeys }, { holder, one }) => accessKeys.addSecret(holder.owner, one.id),
  'delete a Secret': ({ accessKeys }, { holder, two }) =>
    accessKeys.deleteSecret(holder.owner, two.id, two.secrets[0]?.id ?? ''),
  'change an account': ({ accounts }, { holder }) => accounts.put(OPERATOR, holder.id, { apis: [] }),
  'disable an account': ({ accounts }, { holder }) => accounts.setDisabled(OPERATOR, holder.id, true),
};

describe.each(engines)('on %s, if the audit log cannot be written', (engine) => {
  const at = managed(engine);

  it.each(Object.entries(CHANGES))('M41 to %s fails, and nothing is changed', async (_what, change) => {
    const made = await makeIn(await at.account(), at.management);
    const before = await everythingOf(at.management, made.holder);
    const broken = createManagement({ store: withoutAudit(at.store), clock: at.clock });
    expect(await refusalOf(change(broken, made))).toMatchObject({ status: 503, code: 'unavailable' });
    expect(await everythingOf(at.management, made.holder)).toEqual(before);
    // Nothing stands in the way of it afterwards: no text and no idempotency key.
    await change(at.management, made);
  });

  it('M41 a refusal that cannot be audited reveals nothing about the request', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    const { keys } = createManagement({ store: withoutAudit(at.store), clock: at.clock });
    for (const doing of [() => keys.revoke(holder.developer, key.id), () => keys.view(holder.owner, 'key_none')]) {
      expect(await refusalOf(doing())).toMatchObject({
        status: 503,
        message: 'the service is temporarily unavailable; try again',
      });
    }
  });

  it('M42 no management function changes or deletes an entry', () => {
    expect(functionsOf(at.management)).toEqual([
      ...[
        'accessKeys.addPublicKey',
        'accessKeys.addSecret',
        'accessKeys.create',
        'accessKeys.deleteSecret',
        'accessKeys.edit',
      ],
      ...[
        'accessKeys.endGrace',
        'accessKeys.list',
        'accessKeys.removePublicKey',
        'accessKeys.revoke',
        'accessKeys.rotate',

        'accessKeys.view',
      ],
      ...['accounts.audit', 'accounts.list', 'accounts.put', 'accounts.setDisabled', 'accounts.view', 'audit'],
      ...[
        'keyNames',
        'keys.create',
        'keys.edit',
        'keys.endGrace',
        'keys.import',
        'keys.list',
        'keys.revoke',
        'keys.rotate',
        'keys.view',
        'recentUsage',
        'usage',
      ],
    ]);
  });

  it('M42 a list returns copies', async () => {
    const holder = await at.account();
    await holder.key();
    const before = await holder.story();
    const { items } = await at.management.audit(holder.owner);
    for (const entry of items) Object.assign(entry, { actor: 'somebody else', after: null });
    expect(await holder.story()).toEqual(before);
  });
});

describe.each(sharedEngines)('on %s, with direct SQL', (engine) => {
  const at = managed(engine);

  it.each([
    ["update audit set actor = 'somebody else'"],
    ['update audit set outcome = outcome where id is not null'],
    ['delete from audit'],
    ["delete from audit where action = 'key.create'"],
    ...(engine === 'PostgreSQL' ? [['truncate audit'], ['truncate audit cascade']] : []),
  ])('M42 %s is refused', async (statement) => {
    const holder = await at.account();
    await holder.key();
    const before = await holder.story();
    // What better-sqlite3 throws is an error of whichever test file loaded it first.
    const message = await onDatabase(at.url, statement).then(
      () => 'done',
      (error: { readonly message: string }) => error.message,
    );
    expect(message).toBe('audit is append-only');
    expect(await holder.story()).toEqual(before);
  });

  it('M41 a full audit log: nothing can be changed, everything can be viewed', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    const full =
      engine === 'PostgreSQL'
        ? 'alter table audit add constraint is_full check (false) not valid'
        : "create trigger is_full before insert on audit begin select raise(abort, 'full'); end";
    const emptied = engine === 'PostgreSQL' ? 'alter table audit drop constraint is_full' : 'drop trigger is_full';
    await onDatabase(at.url, full);
    const before = await everythingOf(at.management, holder);
    const doing = at.management.keys.edit(holder.owner, key.id, { version: 1, name: 'Shop' });
    expect(await refusalOf(doing)).toMatchObject({ status: 503, code: 'unavailable' });
    expect(await everythingOf(at.management, holder)).toEqual(before);
    await onDatabase(at.url, emptied);
    await at.management.keys.edit(holder.owner, key.id, { version: 1, name: 'Shop' });
    expect((await storyOf(at.management, holder.owner)).map(({ outcome }) => outcome)).not.toContain('refused');
  });
});

async function makeIn(holder: Holder, { keys, accessKeys }: Management): Promise<Made> {
  const { key } = await keys.rotate(holder.owner, (await holder.key()).key.id, 3_600);
  const [{ key: one }, { key: other }] = [await holder.accessKey(), await holder.accessKey()];
  const { key: two } = await accessKeys.addSecret(holder.owner, other.id);
  return { holder, key, one, two };
}

function newDigest(): string {
  return randomBytes(32).toString('hex');
}

/** The store, but that nothing more is written to the audit. */
function withoutAudit(store: CredentialStore): CredentialStore {
  const audit = async () => {
    throw new StoreError('store_unavailable', 'the disk is full', 'SQLITE_FULL');
  };
  const without = (tx: RepositoryTransaction) =>
    new Proxy(tx, {
      get(target, name) {
        if (name === 'audit' || name === 'auditRefusal') return audit;
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  const { repository } = store;
  return {
    ...store,
    repository: { ...repository, transact: (work) => repository.transact((tx) => work(without(tx))) },
  };
}

/** Whatever can be seen of an account. */
async function everythingOf({ keys, accessKeys, accounts, audit }: Management, { id, owner }: Holder) {
  const [live, revoked] = [await keys.list(owner), await keys.list(owner, { state: 'revoked' })];
  return [await accounts.view(id), live, revoked, await accessKeys.list(owner), (await audit(owner)).items.length];
}

function functionsOf(value: object, path: readonly string[] = []): readonly string[] {
  return Object.entries(value)
    .flatMap(([name, member]) =>
      typeof member === 'function' ? [[...path, name].join('.')] : functionsOf(member, [...path, name]),
    )
    .sort();
}
