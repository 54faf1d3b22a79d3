import { describe, expect, it, jest } from '@jest/globals';
import type { AuditEntry, KeyView, Management } from 'keyward/management';
import { Fields } from '../../../lib/dashboard/http/request-fields.js';
import { ACCESS_KEYS, API_KEYS } from '../../../lib/dashboard/key-type.js';
import { auditCsv } from '../../../lib/dashboard/pages/audit-csv.js';
import { AUDIT_FILTERS, auditReader, keyTypeOfEntry, subjectNames } from '../../../lib/dashboard/pages/audit-reader.js';
import { cursorOf } from '../../../lib/management/pagination.js';
import { hostile } from '../../support/managed.js';
import { accessKey, auditEntry, msBefore, secretKey } from '../fixed-keys.js';
import { contextOf } from '../whole-page.js';

interface Asked {
  readonly subject?: string;
  readonly after?: string;
  readonly limit?: number;
}
type Entries = { readonly items: readonly AuditEntry[]; readonly next: string | null };

/** Entries of a key, from the number of milliseconds before now. */
const entriesOf = (subject: string, ages: readonly number[]) =>
  ages.map((age) => auditEntry({ subject, id: `${subject}-${age}`, at: msBefore(age) }));
const upTo = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index);

/** A reader of an audit log that has these entries, and of keys that a text finds. */
function logOf(logs: Readonly<Record<string, Entries>>, found: readonly KeyView[] = []) {
  const audit = jest.fn(
    async (_member: unknown, { subject }: Asked) => logs[subject ?? ''] ?? { items: [], next: null },
  );
  const list = (kinds: readonly string[]) =>
    jest.fn(async (_member: unknown, { state }: { state?: string }) => ({
      items: found.filter((key) => kinds.includes(key.kind) && (state === 'revoked') === (key.state === 'revoked')),
      next: null,
    }));
  const services = { keys: { list: list(['secret', 'public']) }, accessKeys: { list: list(['access']) } };
  const keyNames = jest.fn(
    async (_member: unknown, ids: readonly string[]) => new Map(ids.map((id) => [id, `name of ${id}`])),
  );
  const management = hostile<Management>({ audit, keyNames, ...services });
  const contextWith = (query: string) =>
    contextOf({ management }, { fields: new Fields(new URLSearchParams(query), [...AUDIT_FILTERS, 'after', 'limit']) });
  return { audit, keyNames, services, contextWith, readerOf: (query = '') => auditReader(contextWith(query)) };
}

const KEYS = [secretKey({ id: 'a' }), accessKey({ id: 'b' }), secretKey({ id: 'c', state: 'revoked' })];

describe('the reader of the audit log', () => {
  it('reads the pages that are asked for', async () => {
    const log = logOf({ '': { items: entriesOf('a', [1]), next: 'more' } });
    const reader = await log.readerOf('actor=kim&from=2027-01-31');
    expect(await reader.read('x', 7)).toEqual({ items: entriesOf('a', [1]), next: 'more' });
    const from = new Date('2027-01-31T00:00:00Z');
    expect(log.audit.mock.lastCall?.[1]).toEqual({ actor: 'kim', from, subject: undefined, after: 'x', limit: 7 });
    expect([reader.found, reader.hasTooMany]).toEqual([undefined, false]);
  });

  it.each(['from', 'to'])('names the filter %s if it is no day', async (field) => {
    await expect(logOf({}).readerOf(`${field}=yesterday`)).rejects.toMatchObject({ code: 'invalid', field });
  });

  it('takes a complete ID as it is', async () => {
    const log = logOf({ a: { items: entriesOf('a', [1]), next: null } }, KEYS);
    expect((await log.readerOf('subject=a')).found).toBeUndefined();
    expect(log.services.keys.list).not.toHaveBeenCalled();
  });

  it('finds keys of both types, also revoked ones, by a part of their name', async () => {
    const log = logOf({}, KEYS);
    expect((await log.readerOf('subject=Till')).found?.map(({ id }) => id)).toEqual(['a', 'c', 'b']);
    for (const { list } of Object.values(log.services))
      expect(list.mock.calls.map(([, asked]) => asked)).toEqual([
        { text: 'Till', limit: 21 },
        { text: 'Till', limit: 21, state: 'revoked' },
      ]);
  });

  it.each([
    ['the one key that it finds', KEYS.slice(0, 1), 'a'],
    ['the text if it finds no key, so that the other filters are validated', [], 'Till'],
  ])('reads the page of %s', async (_what, found, subject) => {
    const log = logOf({}, found);
    await (await log.readerOf('subject=Till')).read('x', 7);
    expect(log.audit.mock.lastCall?.[1]).toMatchObject({ subject, after: 'x', limit: 7 });
  });
});

describe('the entries of several keys', () => {
  const merged = async (logs: Readonly<Record<string, Entries>>, limit?: number) =>
    await (await logOf(logs, KEYS).readerOf('subject=Till')).read(undefined, limit);
  const idsIn = ({ items }: Entries) => items.map(({ id }) => id);

  it('are together, the newest first', async () => {
    const page = await merged({
      a: { items: entriesOf('a', [1, 4]), next: null },
      b: { items: entriesOf('b', [2, 3]), next: null },
      c: { items: entriesOf('c', [0]), next: null },
    });
    expect([idsIn(page), page.next]).toEqual([['c-0', 'a-1', 'b-2', 'b-3', 'a-4'], null]);
  });

  it('are read 50 at a time, or more if asked for', async () => {
    for (const [limit, size] of [
      [10, 50],
      [80, 80],
    ]) {
      const log = logOf({}, KEYS);
      await (await log.readerOf('subject=Till')).read('x', limit);
      expect(log.audit.mock.calls.slice(1).map(([, { subject, after, limit }]) => [subject, after, limit])).toEqual(
        ['a', 'c', 'b'].map((id) => [id, 'x', size]),
      );
    }
  });

  it('end with the last page, if they are as many as it may have', async () => {
    const page = await merged({
      a: { items: entriesOf('a', upTo(30)), next: null },
      b: { items: entriesOf('b', upTo(20, 30)), next: null },
    });
    expect([page.items.length, page.next]).toEqual([50, null]);
  });

  it('that are too many for a page continue before its last millisecond', async () => {
    const page = await merged({
      a: { items: entriesOf('a', upTo(30)), next: null },
      b: { items: entriesOf('b', upTo(30, 30)), next: null },
    });
    // The page would end with the entry of 49 ms ago, and leaves it to the next page.
    expect(page.next).toBe(cursorOf({ time: msBefore(48).getTime(), id: '-' }));
    expect(idsIn(page)).toEqual([...upTo(30).map((age) => `a-${age}`), ...upTo(19, 30).map((age) => `b-${age}`)]);
  });

  it('continue also if only one key has more', async () => {
    const page = await merged({
      a: { items: entriesOf('a', upTo(50)), next: 'more' },
      b: { items: [], next: null },
    });
    expect([page.items.length, page.next]).toEqual([49, cursorOf({ time: msBefore(48).getTime(), id: '-' })]);
  });

  it('of one millisecond stay together', async () => {
    const page = await merged({
      a: { items: entriesOf('a', Array(40).fill(5)), next: null },
      b: { items: entriesOf('b', Array(40).fill(5)), next: null },
    });
    expect([page.items.length, page.next]).toEqual([80, cursorOf({ time: msBefore(5).getTime(), id: '-' })]);
  });
});

describe('the names of the keys of entries', () => {
  it('are asked for once each, and not for entries about anything else', async () => {
    const log = logOf({});
    const entries = [
      auditEntry({ subject: 'a', action: 'key.edit' }),
      auditEntry({ subject: 'a', action: 'key.rotate' }),
      auditEntry({ subject: 'b', action: 'access_key.edit' }),
      auditEntry({ subject: 'acme', action: 'account.put' }),
      auditEntry({ subject: null, action: 'key.create' }),
    ];
    expect([...(await subjectNames(log.contextWith(''), entries)).keys()]).toEqual(['a', 'b']);
    expect(log.keyNames.mock.calls.map(([, ids]) => ids)).toEqual([['a', 'b']]);
    expect(await subjectNames(log.contextWith(''), entries.slice(3))).toEqual(new Map());
    expect(log.keyNames).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['key.edit', API_KEYS],
    ['access_key.edit', ACCESS_KEYS],
    ['account.put', undefined],
    ['sign_in', undefined],
  ])('%s: the type of its key', (action, expected) => {
    expect(keyTypeOfEntry({ action })).toBe(expected);
  });
});

describe('the file of the audit log', () => {
  it.each([
    ['one key', KEYS.slice(0, 1)],
    ['several keys', KEYS],
    ['no key', []],
  ])('of %s is read in pages of its size', async (_what, found) => {
    const log = logOf({}, found);
    await auditCsv(log.contextWith('subject=Till'));
    const [, ...limits] = log.audit.mock.calls.map(([, { limit }]) => limit);
    expect(limits).toEqual(found.length > 1 ? found.map(() => 200) : [20]);
  });

  it('has empty cells for what an entry does not have', async () => {
    const nothing = { role: null, subject: null, before: null, after: null, origin: null };
    const log = logOf({ '': { items: [auditEntry({ ...nothing, at: msBefore(0), action: 'sign_in' })], next: null } });
    const { body } = await auditCsv(log.contextWith(''));
    const lines = [];
    for await (const line of body as AsyncIterable<string>) lines.push(line);
    expect(lines[1]).toBe('"2027-01-15T08:00:00.000Z","kim","","sign_in","done","","","","","","entry"\r\n');
  });
});
