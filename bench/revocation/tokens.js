/** Tokens to revoke: of a few access keys, which a store knows, and of an issuer in this process. */
import { randomUUID } from 'node:crypto';
import { accountRow, digestOf, keyRow, openReady, secretRow } from '../../soak/store-rows.js';
import { openIssuer } from '../platform/issuer.js';

const CLIENTS = Array.from({ length: 20 }, (_, number) => `ack_${String(number).padStart(26, 'a')}`);
const HOUR = 3_600_000;

/**
 * Writes access keys into the store of a URL, and signs so many tokens.
 *
 * @returns `keys`: `text` of each token, and what revokes it; `issuer`: options of `accessTokens`. It has to be closed.
 */
export async function seedTokens(url, count) {
  const store = await openReady(url);
  await store.repository.transact(async (tx) => {
    await tx.insertAccount(accountRow('acme'));
    for (const id of CLIENTS) {
      const row = { ...keyRow(id, 'acme'), kind: 'access', apis: null, scopes: '[]', default_scopes: '[]' };
      await tx.insertKey(row, [secretRow(digestOf(id), id)]);
    }
  });
  await store.close();
  const issuer = await openIssuer();
  const { issuer: name, audience, jwksUrl } = issuer.facts('ES256');
  const keys = Array.from({ length: count }, (_, number) => {
    const [client, jti] = [CLIENTS[number % CLIENTS.length], randomUUID()];
    const text = issuer.token('ES256', { sub: client, client_id: client, jti });
    return { id: jti, text, token: { client, jti, expiresAt: Date.now() + HOUR } };
  });
  return { keys, issuer: { issuer: name, audience, jwks: jwksUrl }, close: issuer.close };
}
