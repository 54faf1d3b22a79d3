import { expect, it } from '@jest/globals';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { addClientCredentials, type ClientAuthentication } from '../../lib/http/add-client-credentials.js';
import { createKey } from '../support/token-forge.js';

const { privateKey, publicKey } = createKey('ES256');
const NOW = 1_800_000_000_999;

async function added(clientId: string, authentication: ClientAuthentication) {
  const [headers, form] = [new Headers(), new URLSearchParams({ token: 't' })];
  await addClientCredentials(headers, form, { clientId, authentication }, NOW);
  return { headers: Object.fromEntries(headers), form: Object.fromEntries(form) };
}

it.each([
  ['api', 'secret', 'api:secret'],
  // RFC 6749 section 2.3.1: each half is encoded as in a form.
  ['a b:c', 'p+q&r=é', 'a+b%3Ac:p%2Bq%26r%3D%C3%A9'],
])('the client %s sends its secret in the header', async (clientId, secret, credentials) => {
  expect(await added(clientId, { secret })).toEqual({
    headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
    form: { token: 't' },
  });
});

it('a client with a private key sends an assertion, new each time', async () => {
  const authentication = { signingKey: { key: privateKey, alg: 'ES256', kid: 'k' }, audience: 'https://issuer.test' };
  const { headers, form } = await added('api', authentication);
  expect(headers).toEqual({});
  expect(form).toEqual({
    ...{ token: 't', client_id: 'api', client_assertion: expect.any(String) },
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  });
  const { payload, protectedHeader } = await jwtVerify(String(form.client_assertion), publicKey, {
    currentDate: new Date(NOW),
  });
  expect(protectedHeader).toEqual({ typ: 'JWT', alg: 'ES256', kid: 'k' });
  expect(payload).toEqual({
    ...{ iss: 'api', sub: 'api', aud: 'https://issuer.test', jti: expect.stringMatching(/^[\da-f-]{36}$/) },
    ...{ iat: 1_800_000_000, exp: 1_800_000_060 },
  });
  const again = await added('api', authentication);
  expect(again.form.client_assertion).not.toBe(form.client_assertion);
});

it('an assertion names no kid if the key has none', async () => {
  const authentication = { signingKey: { key: privateKey, alg: 'ES256', kid: undefined }, audience: 'x' };
  const { form } = await added('api', authentication);
  expect(decodeProtectedHeader(String(form.client_assertion))).toEqual({ typ: 'JWT', alg: 'ES256' });
});
