import { afterEach, expect, it } from '@jest/globals';
import { decodeProtectedHeader } from 'jose';
import { memorySigningKeys } from '../../lib/issuer/index.js';
import { makeSigningKey } from '../../lib/issuer/signing-keys/signing-key.js';
import { basic, GRANT, ID, record, SECRET, type TokenService, tokenService } from '../support/token-service.js';

const started: TokenService[] = [];
afterEach(async () => {
  for (const service of started.splice(0)) await service.close();
});

it('a token of another instance is active, although its signing key is newer than those that were read', async () => {
  const signingKeys = memorySigningKeys();
  const one = await instance();
  await one.post(GRANT, basic(ID, SECRET));
  const [first] = await signingKeys.listSigningKeys();
  const newer = await makeSigningKey('ES256', one.clock.now());
  await signingKeys.addSigningKey(newer, first?.kid);
  await signingKeys.retireSigningKey(String(first?.kid));
  one.clock.advance(1_000);
  const other = await instance();
  const { access_token: token } = (await (await other.post(GRANT, basic(ID, SECRET))).json()) as Record<string, string>;
  expect(decodeProtectedHeader(String(token)).kid).toBe(newer.kid);
  const introspected = await fetch(`${one.url}/connect/introspect`, {
    method: 'POST',
    headers: { ...basic(ID, SECRET), 'content-type': 'application/x-www-form-urlencoded' },
    body: `token=${token}`,
  });
  expect(await introspected.json()).toMatchObject({ active: true, client_id: ID });

  async function instance() {
    const issuer = 'https://issuer.example';
    const service = await tokenService({ issuer, signingKeys, introspection: {} });
    service.table.set(ID, record({ scopes: ['tokens:introspect'], defaultScopes: ['tokens:introspect'] }));
    started.push(service);
    return service;
  }
});
