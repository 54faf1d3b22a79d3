import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createManagement, type KeyView, type Management, type PublicKeyInput } from 'keyward/management';
import { digestOf } from '../../lib/credentials/digest.js';
import { SqlTransaction } from '../../lib/store/repository/sql-transaction.js';
import { type Holder, managed, OPERATOR, refusalOf, refusing } from '../support/managed.js';
import { type HeldTransaction, holdDatabase, onDatabase, schemaOf } from '../support/store-database.js';
import { eventually } from '../support/store-wait.js';
import { onServer } from '../support/test-stores.js';

interface Made {
  readonly holder: Holder;
  readonly key: KeyView;
  readonly access: KeyView;
}

type Work = (management: Management, made: Made) => Promise<unknown>;

const PUBLIC_JWK = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }) as PublicKeyInput;

const create: Work = ({ keys }, { holder }) => keys.create(holder.owner, { kind: 'secret', apis: ['payments'] });

const ADDING: Readonly<Record<string, Work>> = {
  'create a key': create,
  'create an access key': ({ accessKeys }, { holder }) => accessKeys.create(holder.owner, { scopes: ['payments'] }),
  'rotate a key': ({ keys }, { holder, key }) => keys.rotate(holder.owner, key.id),
  'add a secret': ({ accessKeys }, { holder, access }) => accessKeys.addSecret(holder.owner, access.id),
  'add a public key': ({ accessKeys }, { holder, access }) =>
    accessKeys.addPublicKey(holder.owner, access.id, PUBLIC_JWK),
};

const GRANTING: Readonly<Record<string, Work>> = {
  'create a key': create,
  'edit a key': ({ keys }, { holder, key }) =>
    keys.edit(holder.owner, key.id, { version: key.version, apis: ['disputes'] }),
};

async function make(holder: Holder): Promise<Made> {
  return { holder, key: (await holder.key()).key, access: (await holder.accessKey()).key };
}

onServer('on PostgreSQL, while an operator changes the account in a transaction that is not committed', () => {
  const at = managed('PostgreSQL');
  let held: HeldTransaction | undefined;

  afterEach(async () => {
    await held?.commit();
    held = undefined;
  });

  async function waiting(): Promise<number> {
    const query = `select pid from pg_stat_activity where wait_event_type = 'Lock' and query like`;
    return (await onDatabase(at.url, `${query} '%"${schemaOf(at.url)}"."accounts"%'`)).length;
  }

  /** The result of work that begins before the transaction of the operator is committed. */
  async function resultDuring<T>(columns: string, work: (management: Management, made: Made) => Promise<T>) {
    const made = await make(await at.account());
    const change = `update accounts set ${columns}, version = version + 1 where id = '${made.holder.id}'`;
    held = await holdDatabase(at.url, change);
    let isSettled = false;
    const result = work(at.management, made).finally(() => {
      isSettled = true;
    });
    await Promise.all([
      result,
      eventually(async () => isSettled || (await waiting()) === 1).then(async () => {
        await held?.commit();
        held = undefined;
      }),
    ]);
    return await result;
  }

  const refusalDuring = (columns: string, work: Work) =>
    resultDuring(columns, (management, made) => refusalOf(work(management, made)));

  it.each(Object.entries(ADDING))('a member cannot %s if the account is disabled', async (_what, work) => {
    expect(await refusalDuring('disabled_at = 1', work)).toEqual(refusing(403, 'forbidden'));
  });

  it.each(Object.entries(GRANTING))('a member cannot %s for an API that the account loses', async (_what, work) => {
    expect(await refusalDuring(`apis = '[]'`, work)).toEqual(refusing(400, 'invalid', 'apis'));
  });

  it('an import refuses keys for an API that the account loses', async () => {
    const given = {
      digest: digestOf(`sk_${randomBytes(16).toString('hex')}`),
      kind: 'secret',
      apis: ['payments'],
    } as const;
    const report = await resultDuring(`apis = '[]'`, ({ keys }, { holder }) =>
      keys.import(OPERATOR, holder.id, [given]),
    );
    expect(report).toEqual({
      ...{ imported: 0, known: 0 },
      refused: [{ index: 0, message: expect.stringMatching(/^apis: /) }],
    });
  });

  it('the account can be disabled while its members create keys without a pause', async () => {
    const made = await make(await at.account());
    const operator = createManagement({ store: await at.another(), clock: at.clock });
    let isStopped = false;
    async function createUntilRefused(): Promise<void> {
      while (!isStopped) await create(at.management, made);
    }
    const creating = Array.from({ length: 6 }, () => refusalOf(createUntilRefused()));
    const disabling = operator.accounts.setDisabled(OPERATOR, made.holder.id, true).catch((error: unknown) => {
      isStopped = true;
      throw error;
    });
    const [{ disabledAt }, ...refusals] = await Promise.all([disabling, ...creating]);
    expect([disabledAt, refusals]).toEqual([expect.any(Date), creating.map(() => refusing(403, 'forbidden'))]);
  });
});

describe('an operation with an idempotency key', () => {
  const at = managed('memory');

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it.each<[string, Work]>([
    ['a creation', ({ keys }, { holder }) => keys.create(holder.owner, { kind: 'secret', apis: 'all' }, 'again')],
    ['a rotation', ({ keys }, { holder, key }) => keys.rotate(holder.owner, key.id, 0, undefined, 'again')],
    [
      'an edit',
      ({ keys }, { holder, key }) =>
        keys.edit(holder.owner, key.id, { version: key.version, apis: ['disputes'] }, 'again'),
    ],
  ])('locks the account before it stores the idempotency key, so that two cannot deadlock: %s', async (_what, work) => {
    const made = await make(await at.account());
    const stores = jest.spyOn(SqlTransaction.prototype, 'insertCreation');
    const locks = jest.spyOn(SqlTransaction.prototype, 'lockAccount');
    await work(at.management, made);
    const [stored = 0] = stores.mock.invocationCallOrder;
    expect(locks).toHaveBeenCalled();
    expect(Math.max(...locks.mock.invocationCallOrder)).toBeLessThan(stored);
  });
});
