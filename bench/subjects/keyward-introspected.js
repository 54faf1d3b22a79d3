/** keyward with opaque tokens, which an endpoint in this process knows as a table knows keys. */
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { introspectedTokens, requireBearer, requireScopes } from 'keyward';
import { SCOPES } from '../platform/scopes.js';

export const title = 'keyward, an introspected token';

const CLIENT = { id: 'bench', secret: 'unused' };

export async function make({ resolveKey, capacity }) {
  const server = createServer(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += chunk;
    const answer = await introspect(new URLSearchParams(body).get('token'));
    res.setHeader('Content-Type', 'application/json').end(JSON.stringify(answer));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  server.unref();
  const issuer = `http://127.0.0.1:${server.address().port}`;

  async function introspect(token) {
    const record = await resolveKey({ digest: hash('sha256', token) });
    const exp = record === undefined ? 0 : Math.floor(record.expiresAt.getTime() / 1_000);
    if (exp * 1_000 <= Date.now()) return { active: false };
    return { active: true, iss: issuer, sub: record.id, client_id: record.id, scope: record.scopes.join(' '), exp };
  }

  // As long as keys are cached here.
  const cache = { max: capacity, ttl: 3_600_000 };
  const tokens = introspectedTokens({ issuer, endpoint: `${issuer}/`, audience: false, client: CLIENT, cache });
  return [requireBearer({ accept: [tokens] }), requireScopes(SCOPES[0])];
}
