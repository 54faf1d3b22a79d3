import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiKeys, authOf, credentialOf, requireBearer } from 'keyward';
import { T1 } from '../support/answers.js';
import {
  ALGS,
  BARE_BEARER,
  BARE_DPOP,
  DP,
  type DpopApi,
  serveDpopApi,
  T1_BEARER,
  T1_DPOP,
  T1_DPOP_ALONE,
} from '../support/dpop-api.js';
import { createKeyTable } from '../support/key-table.js';
import { getRaw } from '../support/raw-http.js';
import { serveApp } from '../support/served-app.js';
import { DECLINING } from '../support/stub-verifier.js';
import { forge } from '../support/token-forge.js';

const table = createKeyTable();
const keys = apiKeys({ resolver: table.resolveKey, kinds: ['secret'], environment: 'live' });

describe('the scheme of a token that is bound to a key pair', () => {
  let api: DpopApi;
  let strict: DpopApi;

  beforeAll(async () => {
    [api, strict] = await Promise.all([serveDpopApi({ further: [keys] }), serveDpopApi({ dpop: { required: true } })]);
  });
  afterAll(() => Promise.all([api.close(), strict.close()]));

  it('a token with its proof is accepted', async () => {
    const token = api.client.token();
    const { answer, response } = await api.present(token, api.client.proof(token));
    expect(answer).toEqual({ status: 200 });
    expect(JSON.parse(response.body)).toMatchObject({ kind: 'access', confirmation: 'dpop' });
  });

  it('a Bearer token and a key are accepted too', async () => {
    const bearer = await api.judge([`Authorization: Bearer ${forge(api.issuerKey)}`]);
    const key = await api.judge([`Authorization: Bearer ${table.add()}`]);
    expect([bearer.answer, key.answer]).toEqual([{ status: 200 }, { status: 200 }]);
    expect(JSON.parse(bearer.response.body)).not.toHaveProperty('confirmation');
  });

  it.each([
    ['without a proof', false],
    ['with its proof', true],
  ])('D01 a bound token in the scheme Bearer, %s', async (_name, hasProof) => {
    const token = api.client.token();
    const proof = hasProof ? [`DPoP: ${api.client.proof(token)}`] : [];
    const { answer, reason } = await api.judge([`Authorization: Bearer ${token}`, ...proof]);
    expect({ answer, reason }).toEqual({ answer: T1_BEARER, reason: 'cnf_scheme' });
  });

  it('D02 an unbound token in the scheme DPoP', async () => {
    const token = forge(api.issuerKey);
    const { answer, reason } = await api.present(token, api.client.proof(token));
    expect({ answer, reason }).toEqual({ answer: T1_DPOP, reason: 'cnf_scheme' });
  });

  it('D02 a key in the scheme DPoP is refused without a lookup', async () => {
    const key = table.add();
    const before = table.lookups();
    const { answer } = await api.present(key, api.client.proof(key));
    expect(answer).toEqual(T1_DPOP);
    expect(table.lookups()).toBe(before);
  });

  it('D02 a key that a custom verifier accepts in the scheme DPoP', async () => {
    const careless = { verify: () => ({ outcome: 'accepted', principal: table.recordOf(table.add()) }) as never };
    const other = await serveDpopApi({ further: [{ ...careless, kinds: ['secret'] }] });
    const { answer } = await other.present('some-credential', undefined);
    await other.close();
    expect(answer.status).not.toBe(200);
  });

  it('D02 the scheme DPoP at a gate without dpop', async () => {
    const gate = requireBearer({ accept: [DECLINING] });
    const { port, close } = await serveApp((app, handler) => app.use(gate, handler));
    const { status, headers } = await getRaw(port, ['Authorization: DPoP abc', 'DPoP: x']);
    await close();
    expect({ status, challenge: headers['www-authenticate'] }).toEqual(T1);
  });

  it.each([
    ['an unbound token in the scheme Bearer', 'Bearer', 'cnf_missing'],
    ['an unbound token in the scheme DPoP', 'DPoP', 'cnf_missing'],
  ])('D03 dpop.required and %s', async (_name, scheme, expected) => {
    const { answer, reason } = await strict.judge([`Authorization: ${scheme} ${forge(strict.issuerKey)}`]);
    expect({ answer, reason }).toEqual({ answer: T1_DPOP_ALONE, reason: expected });
  });

  it('D03 dpop.required and no credential: only the DPoP challenge', async () => {
    expect((await strict.judge([])).answer).toEqual({ status: 401, challenge: BARE_DPOP });
  });

  it.each([['dpop'], ['DPOP'], ['dPoP']])('D04 the scheme written %s', async (scheme) => {
    const token = api.client.token();
    const { answer } = await api.judge([`Authorization: ${scheme} ${token}`, `DPoP: ${api.client.proof(token)}`]);
    expect(answer).toEqual({ status: 200 });
  });

  it('D04 two spaces after the scheme', async () => {
    const token = api.client.token();
    const { answer } = await api.judge([`Authorization: DPoP  ${token}`, `DPoP: ${api.client.proof(token)}`]);
    expect(answer).toEqual({ status: 200 });
  });

  const MALFORMED = {
    status: 400,
    challenge: `DPoP realm="api", error="invalid_request", error_description="The credential is malformed, or the request has more than one credential", algs="${ALGS}"`,
  };

  it.each([
    ['two words', (token: string) => `DPoP ${token} extra`],
    ['no word', () => 'DPoP'],
    ['a TAB instead of the space', (token: string) => `DPoP\t${token}`],
  ])('D04 %s', async (_name, lineOf) => {
    const token = api.client.token();
    const { answer } = await api.judge([`Authorization: ${lineOf(token)}`, `DPoP: ${api.client.proof(token)}`]);
    expect(answer).toEqual(MALFORMED);
  });

  it.each([['DPoPx'], ['DPoP-x'], ['xDPoP']])('D04 %s is a different scheme', async (scheme) => {
    const { answer } = await api.judge([`Authorization: ${scheme} ${api.client.token()}`]);
    expect(answer).toEqual({ status: 401, challenge: `${BARE_BEARER}, ${BARE_DPOP}` });
  });

  it.each<[string, (proof: string) => readonly string[]]>([
    ['no field', () => []],
    ['two fields', (proof) => [`DPoP: ${proof}`, `DPoP: ${proof}`]],
    ['a good field and an empty one', (proof) => [`DPoP: ${proof}`, 'DPoP:']],
    ['one field with two proofs', (proof) => [`DPoP: ${proof}, ${proof}`]],
    ['an empty field', () => ['DPoP:']],
  ])('D05 %s', async (_name, linesOf) => {
    const token = api.client.token();
    const { answer } = await api.judge([`Authorization: DPoP ${token}`, ...linesOf(api.client.proof(token))]);
    expect(answer).toEqual(DP);
  });

  it('D28 realm, scope, resource_metadata and algs are in both challenges of one field', async () => {
    const { tokens } = await tokensOf(api);
    const resourceMetadata = 'https://api.test/metadata';
    const gate = requireBearer({ accept: [tokens], realm: 'pay "now"', scopes: ['payments'], resourceMetadata });
    const { port, close } = await serveApp((app, handler) => app.use(gate, handler));
    const { headers } = await getRaw(port, []);
    await close();
    const common = `realm="pay \\"now\\"", scope="payments", resource_metadata="${resourceMetadata}"`;
    expect(headers['www-authenticate']).toBe(`Bearer ${common}, DPoP ${common}, algs="${ALGS}"`);
  });

  it('D28 a token that lacks a scope gets the challenge of its scheme', async () => {
    const lacking = await serveDpopApi({ mount: (gate) => gate });
    const { tokens } = await tokensOf(lacking);
    const gate = requireBearer({ accept: [tokens], scopes: ['refunds'] });
    const { port, close } = await serveApp((app, handler) => app.use(gate, handler));
    const token = lacking.client.token();
    const { status, headers } = await getRaw(port, [
      `Authorization: DPoP ${token}`,
      `DPoP: ${lacking.client.proof(token)}`,
    ]);
    await Promise.all([close(), lacking.close()]);
    expect(status).toBe(403);
    expect(headers['www-authenticate']).toMatch(
      /^DPoP realm="api", error="insufficient_scope", .*scope="refunds", algs=/,
    );
  });

  it('credentialOf finds the token', async () => {
    const { tokens } = await tokensOf(api);
    const gate = requireBearer({ accept: [tokens] });
    const { port, close } = await serveApp((app) =>
      app.use(gate, (req, res) => {
        res.json([credentialOf(req), authOf(req).confirmation]);
      }),
    );
    const token = api.client.token();
    const { body } = await getRaw(port, [`Authorization: DPoP ${token}`, `DPoP: ${api.client.proof(token)}`]);
    await close();
    expect(JSON.parse(body)).toEqual([token, 'dpop']);
  });
});

async function tokensOf({ issuerKey, clock }: DpopApi) {
  const { accessTokens } = await import('keyward');
  const { AUDIENCE, ISSUER, jwksOf } = await import('../support/token-forge.js');
  const { ORIGIN } = await import('../support/dpop-client.js');
  const tokens = accessTokens({
    ...{ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(issuerKey), clock },
    dpop: { origin: ORIGIN },
  });
  return { tokens };
}
