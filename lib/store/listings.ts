/** Rows for people to look at: one, or a page of them. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { AuditFilter, KeyFilter, KeyWithSecrets } from './ledger.js';
import type { AccountRow, AuditRow, SecretRow, Tables } from './tables.js';

export async function accountRow(db: Kysely<Tables>, id: string): Promise<AccountRow | undefined> {
  return await db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function keyWithSecrets(db: Kysely<Tables>, id: string): Promise<KeyWithSecrets | undefined> {
  const key = await db.selectFrom('keys').selectAll().where('id', '=', id).executeTakeFirst();
  return key && { key, secrets: await secretsOf(db, [id]) };
}

export async function listKeys(db: Kysely<Tables>, filter: KeyFilter): Promise<readonly KeyWithSecrets[]> {
  const { account, kinds, api, state, text, now, after, limit } = filter;
  let query = db.selectFrom('keys').selectAll().where('account', '=', account);
  if (kinds.length === 1) query = query.where('kind', '=', kinds[0] ?? 'secret');
  else query = query.where('kind', 'in', kinds);
  if (api !== undefined) query = query.where(reaches(api));
  query = query.where(stateIs(state, now));
  if (text !== undefined) {
    query = query.where(({ or, exists, selectFrom }) => {
      const ofKey = selectFrom('secrets').select('digest').whereRef('secrets.key_id', '=', 'keys.id');
      return or([contains('name', text), contains('keys.id', text), exists(ofKey.where(contains('hint', text)))]);
    });
  }
  if (after !== undefined) query = query.where(sql<boolean>`(created_at, id) < (${after.time}, ${after.id})`);
  const keys = await query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
  const secrets = await secretsOf(
    db,
    keys.map(({ id }) => id),
  );
  return keys.map((key) => ({ key, secrets: secrets.filter(({ key_id }) => key_id === key.id) }));
}

const OF_AUDIT = [
  'id',
  'at',
  'account',
  'actor',
  'role',
  'action',
  'outcome',
  'subject',
  'before',
  'after',
  'origin',
] as const;

/** Entries of one instant stand in the order of writing, which their random ids do not tell, and their numbers do. */
export async function listAudit(db: Kysely<Tables>, filter: AuditFilter): Promise<readonly AuditRow[]> {
  const { account, subject, actor, action, after, limit } = filter;
  let query = db.selectFrom('audit').select(OF_AUDIT).where('account', '=', account);
  if (subject !== undefined) query = query.where('subject', '=', subject);
  if (actor !== undefined) query = query.where('actor', '=', actor);
  if (action !== undefined) query = query.where('action', '=', action);
  if (after !== undefined) {
    const number = db.selectFrom('audit').select('number').where('id', '=', after.id).where('account', '=', account);
    query = query.where(sql<boolean>`(at, number) < (${after.time}, (${number}))`);
  }
  return await query.orderBy('at', 'desc').orderBy('number', 'desc').limit(limit).execute();
}

async function secretsOf(db: Kysely<Tables>, keys: readonly string[]): Promise<readonly SecretRow[]> {
  if (keys.length === 0) return [];
  return await db.selectFrom('secrets').selectAll().where('key_id', 'in', keys).orderBy('created_at').execute();
}

/**
 * Names of APIs have no quotes, so what stands between quotes is a whole one. Written with `like`, PostgreSQL would take
 * it for rare, and sort the whole table for one page.
 */
function reaches(api: string): RawBuilder<boolean> {
  return sql`(apis = '"all"' or replace(apis, ${JSON.stringify(api)}, '') <> apis)`;
}

function stateIs(state: KeyFilter['state'], now: number): RawBuilder<boolean> {
  if (state === undefined) return sql`revoked_at is null`;
  if (state === 'revoked') return sql`revoked_at is not null`;
  if (state === 'expired') return sql`(revoked_at is null and expires_at <= ${now})`;
  const lives = sql`revoked_at is null and (expires_at is null or expires_at > ${now})`;
  return state === 'disabled' ? sql`(${lives} and disabled_at is not null)` : sql`(${lives} and disabled_at is null)`;
}

/** Whether a column holds a text, as it is written or in other case. */
function contains(column: string, text: string): RawBuilder<boolean> {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return sql`lower(${sql.ref(column)}) like lower(${pattern}) escape '\\'`;
}
