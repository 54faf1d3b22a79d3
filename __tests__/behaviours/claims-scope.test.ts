import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { accessTokens, type Guard, requireApi, requireScopes } from 'keyward';
import { lacking, S3, T1 } from '../support/answers.js';
import { createManualClock } from '../support/manual-clock.js';
import { ACCEPTED, refusal, serveTokenApi, type TokenApi } from '../support/token-api.js';
import { AUDIENCE, createKey, forge, ISSUER, jwksOf, type Members } from '../support/token-forge.js';

const key = createKey('ES256');
const tokens = accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(key), clock: createManualClock() });

let api: TokenApi;
beforeAll(async () => {
  api = await serveTokenApi([tokens]);
});
afterAll(() => api.close());

async function judgeBehind(guard: Guard, claims: Members) {
  const guarded = await serveTokenApi([tokens], guard);
  try {
    return await guarded.judge(forge(key, claims));
  } finally {
    await guarded.close();
  }
}

const BAD_SCOPE = refusal(T1, 'token_scope');
const listed = (...scopes: string[]) => ({ scopes });

describe('the claim', () => {
  it.each<[string, unknown]>([
    ['a number', 1],
    ['an object', {}],
    ['null', null],
    ['a list with a number', ['payments', 1]],
    ['a list with two scopes in one text', ['payments disputes']],
  ])('C15 scope is %s', async (_name, scope) => {
    expect(await api.judge(forge(key, { scope }))).toEqual(BAD_SCOPE);
  });

  it.each<[string, Members]>([
    ['scope is a list', { scope: ['payments', 'disputes', 'payments'] }],
    ['scp is a text', { scope: undefined, scp: 'payments disputes' }],
    ['scp is a list', { scope: undefined, scp: ['payments', 'disputes'] }],
    ['scope goes before scp', { scope: 'payments disputes', scp: 'vault' }],
  ])('C15 %s: read as a list of scopes', async (_name, claims) => {
    const { body } = await api.present(forge(key, claims));
    expect(JSON.parse(body)).toMatchObject(listed('payments', 'disputes'));
  });

  it.each<[string, unknown]>([
    ['absent', undefined],
    ['""', ''],
  ])('C16 scope %s: authenticated, without an API', async (_name, scope) => {
    const { status, body } = await api.present(forge(key, { scope }));
    expect([status, JSON.parse(body)]).toEqual([200, expect.objectContaining({ scopes: [], apis: [] })]);
    expect(await judgeBehind(requireApi('payments'), { scope })).toMatchObject({ ...S3, handled: false });
  });

  it.each([
    ['TAB', 'payments\tdisputes'],
    ['newline', 'payments\ndisputes'],
    ['double space', 'payments  disputes'],
    ['quote', 'payments "disputes"'],
    ['backslash', 'payments\\disputes'],
    ['non-ASCII', 'paymentsé'],
  ])('C17 scope with a %s', async (_name, scope) => {
    expect(await api.judge(forge(key, { scope }))).toEqual(BAD_SCOPE);
  });
});

describe('the API of a scope', () => {
  it.each(['payment', 'paymentsx', 'Payments', 'payments:read', 'pay.*', '*'])(
    'C18 scope %s is not the scope payments',
    async (scope) => {
      const judgement = await judgeBehind(requireScopes('payments'), { scope });
      expect(judgement).toMatchObject({ ...lacking('payments'), handled: false });
    },
  );

  it('C18 scope payments:read belongs to the API payments', async () => {
    expect(await judgeBehind(requireApi('payments'), { scope: 'payments:read' })).toEqual(ACCEPTED);
  });

  it.each(['toString', 'constructor', '__proto__'])('C19 a route requires %s, which no token has', async (name) => {
    const claims = { scope: 'payments' };
    expect(await judgeBehind(requireScopes(name), claims)).toMatchObject({ ...lacking(name), handled: false });
    expect(await judgeBehind(requireApi(name), claims)).toMatchObject({ ...S3, handled: false });
  });

  it('C20 900 scopes', async () => {
    const scopes = Array.from({ length: 900 }, (_, i) => `api${i}:r`);
    const token = forge(key, { scope: scopes.join(' ') });
    expect(token.length).toBeLessThanOrEqual(12_288);
    const { status, body } = await api.present(token);
    expect([status, JSON.parse(body).scopes]).toEqual([200, scopes]);
    expect(await judgeBehind(requireScopes('api899:r'), { scope: scopes.join(' ') })).toEqual(ACCEPTED);
  });

  it.each<[string, unknown]>([
    ['roles', ['payments']],
    ['permissions', ['payments']],
    ['is_admin', true],
    ['owner', true],
  ])('C21 a claim named %s grants nothing', async (name, value) => {
    const claims = { scope: 'disputes', [name]: value };
    const judgement = await judgeBehind(requireScopes('payments'), claims);
    expect(judgement).toMatchObject({ ...lacking('payments'), handled: false });
  });
});
