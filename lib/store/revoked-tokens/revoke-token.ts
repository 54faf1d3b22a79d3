/** Revokes one access token before it expires. */
import { sql, type Transaction } from 'kysely';
import { MAX_REVOKED_TOKENS } from '../../credentials/records/read-revoked-tokens.js';
import { appendChange, type Feed } from '../change-feed.js';
import { databaseTime } from '../database-clock.js';
import type { Engine } from '../engine.js';
import { StoreError } from '../store-error.js';
import type { Tables } from '../tables.js';
import { KEEP_AFTER_EXPIRY } from './revoked-tokens-cache.js';

/**
 * Milliseconds for which a revocation is stored after the `exp` of its token: one day. The clock of the database may be
 * ahead for some time, for example by the wrong time zone. Without this margin, a revocation that is still needed would
 * then be deleted, or not be stored at all.
 */
const STORED_AFTER_EXPIRY = 86_400_000;
/**
 * Approximate maximum of expired rows that each revocation deletes. It is small, so that SQLite does not block the
 * event loop.
 */
const EXPIRED_TO_DELETE = 1_000;
const MAX_JTI = 256;

/**
 * Stores the revocation of a token. The promise resolves after the commit. Nothing is stored if the token is already
 * revoked, if the access key is unknown, or if the token expired more than a day ago.
 *
 * @param id - The client ID of the access key.
 * @throws TypeError for a `jti` that is empty or longer than 256 characters, and for an invalid date.
 * @throws StoreError `too_many_revoked_tokens` if the access key has 100,000 revoked tokens that have not expired. If
 *   all tokens were revoked at once, earlier revocations do not count.
 */
export async function revokeToken(engine: Engine, feed: Feed, id: string, jti: string, expiresAt: Date): Promise<void> {
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI) {
    throw new TypeError(`revokeToken: "jti" must be a string of 1 to ${MAX_JTI} characters`);
  }
  const expires_at = expiresAt.getTime();
  if (Number.isNaN(expires_at)) throw new TypeError('revokeToken: "expiresAt" must be a valid Date');
  const change = { accessKey: id };
  await engine.transact(async (tx) => {
    const now = await databaseTime(engine, tx);
    const deleteBefore = now - STORED_AFTER_EXPIRY;
    await deleteExpired(tx, deleteBefore);
    if (expires_at <= deleteBefore || (await isRevoked(tx, id, jti))) return;
    // This statement locks the row of the access key, so that revocations are committed in the order of their numbers.
    // A process that reads a number can then also read all lower numbers.
    const counted = await tx
      .updateTable('keys')
      .set(({ eb }) => ({ tokens_revoked: eb('tokens_revoked', '+', 1) }))
      .where('id', '=', id)
      .where('kind', '=', 'access')
      .returning(['tokens_revoked', 'tokens_superseded'])
      .executeTakeFirst();
    if (counted === undefined) return;
    // Counting may take long, because the rows of expired tokens stay stored for a day. It is not needed if the access
    // key has had fewer revocations since all of its tokens were revoked at once.
    if (counted.tokens_revoked - counted.tokens_superseded > MAX_REVOKED_TOKENS) {
      await assertBelowLimit(tx, id, counted.tokens_superseded, now - KEEP_AFTER_EXPIRY);
    }
    await tx
      .insertInto('revoked_tokens')
      .values({ key_id: id, jti, number: counted.tokens_revoked, expires_at })
      .onConflict((conflict) => conflict.columns(['key_id', 'jti']).doNothing())
      .execute();
    await appendChange(engine, tx, change);
  });
  // This process is notified even if nothing was stored: another process may have revoked the token a moment ago, and
  // the next poll of this process would be too late.
  feed.notify(change);
}

async function isRevoked(tx: Transaction<Tables>, id: string, jti: string): Promise<boolean> {
  const found = await tx
    .selectFrom('revoked_tokens')
    .select('number')
    .where('key_id', '=', id)
    .where('jti', '=', jti)
    .executeTakeFirst();
  return found !== undefined;
}

/**
 * Checks that the access key may have one more revoked token.
 *
 * @param superseded - The value of the column `tokens_superseded`. Revocations up to this number do not count.
 * @param expired - Revocations of tokens that expired at this time or earlier do not count.
 */
async function assertBelowLimit(
  tx: Transaction<Tables>,
  id: string,
  superseded: number,
  expired: number,
): Promise<void> {
  const revoked = tx.selectFrom('revoked_tokens').select('number').where('key_id', '=', id);
  const stored = revoked.where('number', '>', superseded).limit(MAX_REVOKED_TOKENS);
  // The first count reads only an index. Only if it is too high, the slower second count reads the rows too, and leaves
  // out expired revocations.
  for (const query of [stored, stored.where('expires_at', '>', expired)]) {
    const counted = tx.selectFrom(query.as('counted')).select(sql<number>`count(*)`.as('count'));
    if (Number((await counted.executeTakeFirstOrThrow()).count) < MAX_REVOKED_TOKENS) return;
  }
  const message = `access key ${id} has ${MAX_REVOKED_TOKENS} revoked tokens, which is the maximum; revoke all of its tokens at once (edit the access key with "revokeTokens": true), or wait until some expire`;
  throw new StoreError('too_many_revoked_tokens', message);
}

async function deleteExpired(tx: Transaction<Tables>, before: number): Promise<void> {
  const expired = tx.selectFrom('revoked_tokens').select('expires_at').where('expires_at', '<=', before);
  const last = await expired.orderBy('expires_at').offset(EXPIRED_TO_DELETE).limit(1).executeTakeFirst();
  await tx
    .deleteFrom('revoked_tokens')
    .where('expires_at', '<=', last?.expires_at ?? before)
    .execute();
}
