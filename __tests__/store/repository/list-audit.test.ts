import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listAudit } from '../../../lib/store/repository/list-audit.js';
import type { AuditFilter } from '../../../lib/store/repository/repository.js';
import type { AuditRow } from '../../../lib/store/tables.js';
import { makeRepository, type TestRepository } from '../../support/store-repository.js';
import { engines } from '../../support/test-stores.js';

const auditRow = (id: string, traits: Partial<AuditRow> = {}): AuditRow => ({
  ...{ id, at: 0, account: 'acme', actor: 'ada', role: 'owner', action: 'key.edit', outcome: 'done' },
  ...{ subject: 'key_1', before: null, after: null, origin: null },
  ...traits,
});

describe.each(engines)('the audit log in %s', (name) => {
  let test: TestRepository;

  beforeAll(async () => {
    test = await makeRepository(name);
  });
  afterAll(() => test.close());

  const insert = (rows: readonly AuditRow[]) =>
    test.engine.transact(async (tx) => {
      for (const row of rows) await tx.insertInto('audit').values(row).execute();
    });
  const listed = async (filter: Partial<AuditFilter>, batch = 1_000) =>
    (await listAudit(test.engine.lists, { limit: 9, ...filter }, { ...test.engine, batch })).map(({ id }) => id);

  describe('with entries of two accounts', () => {
    beforeAll(() =>
      insert([
        auditRow('1', { at: 10 }),
        auditRow('2', { at: 30, subject: 'key_2' }),
        auditRow('3', { at: 20, actor: 'bob', account: 'b' }),
        auditRow('4', { at: 20, action: 'key.revoke' }),
        auditRow('5', { at: 20, actor: 'bob', subject: null }),
      ]),
    );

    it.each<[string, Partial<AuditFilter>, readonly string[]]>([
      ['of one account, newest first', { account: 'acme' }, ['2', '5', '4', '1']],
      ['of all accounts, last written first', {}, ['5', '4', '3', '2', '1']],
      ['of a subject', { account: 'acme', subject: 'key_1' }, ['4', '1']],
      ['of an actor', { account: 'acme', actor: 'ada' }, ['2', '4', '1']],
      ['of an action', { account: 'acme', action: 'key.edit' }, ['2', '5', '1']],
      [
        'of a subject, an actor and an action',
        { account: 'acme', subject: 'key_1', actor: 'ada', action: 'key.edit' },
        ['1'],
      ],
      ['of an actor, in all accounts', { actor: 'bob' }, ['5', '3']],
      ['of a subject and an action, in all accounts', { subject: 'key_1', action: 'key.edit' }, ['3', '1']],
      ['of a period', { account: 'acme', from: 20, to: 30 }, ['5', '4']],
      ['of a period, in all accounts', { from: 20, to: 30 }, ['5', '4', '3']],
      ['after an entry', { account: 'acme', after: { time: 20, id: '5' } }, ['4', '1']],
      ['after an entry, in all accounts', { after: { time: 20, id: '4' } }, ['3', '2', '1']],
      [
        'before a time, after an entry that does not exist',
        { account: 'acme', after: { time: 20, id: 'none' } },
        ['1'],
      ],
      ['before a time, after an entry of another account', { account: 'acme', after: { time: 20, id: '3' } }, ['1']],
      ['after an entry that does not exist, in all accounts: none', { after: { time: 20, id: 'none' } }, []],
      ['up to a limit', { account: 'acme', limit: 2 }, ['2', '5']],
    ])('lists entries %s', async (_what, filter, expected) => {
      expect(await listed(filter)).toEqual(expected);
    });
  });

  describe('with 15 entries, of which 6 match', () => {
    const matching = [1, 3, 4, 6, 11, 13];

    beforeAll(() => {
      const rows = Array.from({ length: 15 }, (_, at) => {
        const action = matching.includes(at) ? 'key.create' : 'key.edit';
        return auditRow(`far ${at}`, {
          account: 'far',
          at: 15 - at,
          action,
          actor: at === 1 || at === 13 ? 'bob' : 'ada',
        });
      });
      return insert(rows.reverse());
    });

    it.each([
      ['one account', 'far'],
      ['all accounts', undefined],
    ])('lists the matching entries of %s, each once, over several batches', async (_what, account) => {
      // The first batch has 4 rows for each entry of the page, and the further ones have 3.
      const filter = { account, action: 'key.create', subject: 'key_1', limit: 1 };
      const seen: string[] = [];
      for (let after: AuditFilter['after']; ; ) {
        const page = await listAudit(test.engine.lists, { ...filter, after }, { ...test.engine, batch: 3 });
        seen.push(...page.map(({ id }) => id));
        const last = page.at(-1);
        if (last === undefined) break;
        after = { time: last.at, id: last.id };
      }
      expect(seen).toEqual(matching.map((at) => `far ${at}`));
      expect(await listed({ ...filter, limit: 2 }, 1)).toEqual(['far 1', 'far 3']);
      expect(await listed({ ...filter, actor: 'bob', limit: 3 }, 1)).toEqual(['far 1', 'far 13']);
    });
  });
});
