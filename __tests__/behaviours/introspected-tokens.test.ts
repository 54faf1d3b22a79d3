import { afterEach, describe, expect, it } from '@jest/globals';
import {
  accessTokens,
  apiKeys,
  type CredentialVerifier,
  createKeyText,
  type IntrospectedTokensOptions,
  introspectedTokens,
  type KeyFormat,
  type KeyKind,
  keyFormat,
  requireBearer,
} from 'keyward';
import { openApiGate } from 'keyward/openapi';
import { mintKey } from '../../lib/credentials/keyward-format.js';
import { PresentedCredential } from '../../lib/http/presented-credential.js';
import { A5, answerOf, T1 } from '../support/answers.js';
import { eavesdrop } from '../support/eavesdrop.js';
import { ACTIVE, AUDIENCE, INACTIVE, introspectedApi, NOW } from '../support/introspection-server.js';
import { asking, documentOf } from '../support/openapi.js';
import { scriptedServer } from '../support/scripted-server.js';
import { serveApp } from '../support/served-app.js';
import { ACCEPTED, refusal, serveTokenApi } from '../support/token-api.js';
import { createKey, forge, ISSUER, jwksOf } from '../support/token-forge.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(options: Partial<IntrospectedTokensOptions> = {}) {
  const started = await introspectedApi(options);
  closing.push(() => started.close());
  return started;
}

/** A gate whose alternatives differ in their scopes, so that it wraps its verifiers. */
function openApiGateOf([keys, opaque]: CredentialVerifier[]) {
  const security = [{ keys: [] }, { opaque: ['payments'] }];
  const securitySchemes = {
    keys: { type: 'http', scheme: 'bearer' },
    opaque: { type: 'http', scheme: 'bearer' },
  };
  const document = documentOf({ '/': { get: asking(security) } }, { components: { securitySchemes } });
  return openApiGate(document, { schemes: { keys, opaque } as Record<string, CredentialVerifier> });
}

const hang = () => new Promise<never>(() => {});

describe('the response of the endpoint', () => {
  it('I01 active: true is accepted, with the principal of the response', async () => {
    const { api, calls } = await start();
    const { status, body } = await api.present('opaque-token');
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual({
      ...{ kind: 'access', keyId: 'foreign', clientId: 'foreign', apis: ['payments'], scopes: ['payments'] },
      ...{ channels: 'all', expiresAt: NOW + 3_600, payload: ACTIVE, header: {} },
    });
    expect(calls).toHaveLength(1);
    expect(Object.fromEntries(new URLSearchParams(calls[0]?.body))).toEqual({
      token: 'opaque-token',
      token_type_hint: 'access_token',
    });
    expect(calls[0]?.headers.authorization).toBe(`Basic ${Buffer.from('api:secret').toString('base64')}`);
  });

  it('I01 active: false is 401', async () => {
    const { api, answer } = await start();
    answer({ body: INACTIVE });
    expect(await api.judge('opaque-token')).toEqual(refusal(T1, 'token_inactive'));
  });

  it.each([
    [
      '"true"',
      { body: { ...ACTIVE, active: 'true' } },
      'record_invalid',
      'active: expected a boolean in the introspection response',
    ],
    [
      'an absent active',
      { body: { client_id: 'foreign' } },
      'record_invalid',
      'active: expected a boolean in the introspection response',
    ],
    ['null', { body: { active: null } }, 'record_invalid', 'active: expected a boolean in the introspection response'],
    ['two members active', { body: '{"active":false,"active":true}' }, 'threw', 'the response is not a JSON object'],
    ['no JSON', { body: '<html>' }, 'threw', 'the response is not a JSON object'],
    ['a list', { body: '[]' }, 'threw', 'the response is not a JSON object'],
    ['401', { status: 401, body: INACTIVE }, 'threw', 'the response has status 401'],
    ['429', { status: 429, body: INACTIVE }, 'threw', 'the response has status 429'],
    ['500', { status: 500, body: INACTIVE }, 'threw', 'the response has status 500'],
    ['201', { status: 201, body: ACTIVE }, 'threw', 'the response has status 201'],
    [
      '10 MB',
      { body: `{"active":true,"x":"${'x'.repeat(10_000_000)}"}` },
      'threw',
      'the response is longer than 262144 bytes',
    ],
  ])('I01 %s is 503, with an event for the operator', async (_what, response, reason, detail) => {
    const { api, answer } = await start();
    answer(response);
    const events = eavesdrop();
    expect(await api.judge('opaque-token')).toEqual(refusal(A5, `lookup_${reason}`));
    expect(events.heard('keyward:lookup-failure')).toMatchObject([{ of: 'introspectedTokens', reason, detail }]);
    events.stop();
  });

  it('I01 a redirect is 503, and is not followed', async () => {
    const other = await scriptedServer(() => ({ body: ACTIVE }));
    closing.push(() => other.close());
    const { api, answer } = await start();
    answer({ status: 307, headers: { location: `${other.origin}/introspect` } });
    expect(await api.judge('opaque-token')).toEqual(refusal(A5, 'lookup_threw'));
    expect(other.seen).toEqual([]);
  });

  it('I01 an endpoint that does not answer in time is 503', async () => {
    const { api, answer } = await start({ timeout: 20 });
    answer(hang);
    expect(await api.judge('opaque-token')).toMatchObject(A5);
  });
});

describe('the fields of the response', () => {
  it.each([
    ['exp now', { exp: NOW }, 'expired'],
    ['exp that is no number', { exp: '2030' }, 'token_exp'],
    ['exp in milliseconds', { exp: NOW * 1_000 }, 'token_exp'],
    ['nbf ahead', { nbf: NOW + 6 }, 'token_nbf'],
    ['iat ahead', { iat: NOW + 6 }, 'token_iat'],
    ['another iss', { iss: 'https://other.example' }, 'token_iss'],
    ['another aud', { aud: 'https://other.example' }, 'token_aud'],
    ['no aud', { aud: undefined }, 'token_aud'],
    ['a scope that is no list of texts', { scope: [1] }, 'token_scope'],
    ['no client and no subject', { client_id: undefined }, 'token_client_id'],
    ['cnf', { cnf: { jkt: 'x' } }, 'token_cnf'],
    ['cnf of an unknown method', { cnf: { other: 'x' } }, 'token_cnf'],
    ['authorization_details', { authorization_details: [] }, 'token_authorization_details'],
    ['a refresh token of Keycloak', { typ: 'Refresh' }, 'token_use'],
    ['an ID token of Keycloak', { typ: 'ID' }, 'token_use'],
    ['a refresh token of Hydra', { token_use: 'refresh_token' }, 'token_use'],
  ])('I02 %s is 401', async (_what, members, reason) => {
    const { api, answer } = await start();
    answer({ body: { ...ACTIVE, ...members } });
    expect(await api.judge('opaque-token')).toEqual(refusal(T1, reason));
  });

  it.each([
    ['no exp', { exp: undefined }, {}],
    ['no iss', { iss: undefined }, {}],
    ['aud as a list', { aud: ['https://other.example', AUDIENCE] }, {}],
    ['no sub', { sub: undefined }, {}],
    ['nbf within the tolerance', { nbf: NOW + 5 }, {}],
    ['no aud with audience: false', { aud: undefined }, { audience: false as const }],
    ['another aud with audience: false', { aud: 'elsewhere' }, { audience: false as const }],
    ['authorization_details, ignored', { authorization_details: [] }, { authorizationDetails: 'ignore' as const }],
  ])('I02 %s is accepted', async (_what, members, options) => {
    const { api, answer } = await start(options);
    answer({ body: { ...ACTIVE, ...members } });
    expect(await api.judge('opaque-token')).toEqual(ACCEPTED);
  });

  it('I02 a scope as a list is read, and the client from azp or sub', async () => {
    const { api, answer } = await start({ environment: 'sandbox' });
    answer({ body: { ...ACTIVE, client_id: undefined, azp: 'shop', scope: ['payments', 'disputes:view'] } });
    const { body } = await api.present('opaque-token');
    expect(JSON.parse(body)).toMatchObject({
      ...{ clientId: 'shop', apis: ['payments', 'disputes'], scopes: ['payments', 'disputes:view'] },
      environment: 'sandbox',
    });
  });

  it('I02 a token without exp has none on its principal either', async () => {
    const { verifier, answer } = await start();
    answer({ body: { ...ACTIVE, exp: undefined } });
    const outcome = await verifier.verify(new PresentedCredential('opaque-token'));
    expect(outcome).toMatchObject({ principal: { expiresAt: Number.POSITIVE_INFINITY } });
  });

  it('I02 a cached token ends at its exp, whatever its ttl', async () => {
    const { api, clock, answer } = await start();
    answer({ body: { ...ACTIVE, exp: NOW + 2 } });
    expect(await api.judge('opaque-token')).toEqual(ACCEPTED);
    clock.advance(1_999);
    expect(await api.judge('opaque-token')).toEqual(ACCEPTED);
    clock.advance(1);
    expect(await api.judge('opaque-token')).toEqual(refusal(T1, 'expired'));
  });
});

describe('calls', () => {
  it('I03 100 concurrent requests with one token make one call', async () => {
    const { verifier, calls } = await start();
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, () => verifier.verify(new PresentedCredential('opaque-token'))),
    );
    expect(outcomes.every(({ outcome }) => outcome === 'accepted')).toBe(true);
    expect(calls).toHaveLength(1);
  });

  it('I03 1,000 tokens concurrently: maxLookups calls, and 503 for the others', async () => {
    const { verifier, calls } = await start({ maxLookups: 50, timeout: 60_000 });
    const outcomes = await Promise.all(
      Array.from({ length: 1_000 }, (_, number) => verifier.verify(new PresentedCredential(`token-${number}`))),
    );
    const unavailable = outcomes.filter(({ outcome }) => outcome === 'unavailable');
    expect(calls).toHaveLength(50);
    expect(unavailable).toHaveLength(950);
    expect(unavailable[0]).toEqual({ outcome: 'unavailable', reason: 'lookup_too_many' });
  });

  it('I03 with cache: false each request is a call', async () => {
    const { api, calls } = await start({ cache: false });
    for (let request = 0; request < 3; request += 1) expect(await api.judge('opaque-token')).toEqual(ACCEPTED);
    expect(calls).toHaveLength(3);
  });

  it('I03 an inactive token causes one call in negativeTtl', async () => {
    const { api, calls, clock, answer } = await start();
    answer({ body: INACTIVE });
    for (let request = 0; request < 3; request += 1) await api.judge('opaque-token');
    expect(calls).toHaveLength(1);
    clock.advance(1_000);
    await api.judge('opaque-token');
    expect(calls).toHaveLength(2);
  });
});

describe('a token that was revoked at the issuer after it was cached', () => {
  it('I04 is refused after ttl, 5 s', async () => {
    const { api, clock, answer } = await start();
    expect(await api.judge('opaque-token')).toEqual(ACCEPTED);
    answer({ body: INACTIVE });
    clock.advance(4_999);
    expect(await api.judge('opaque-token')).toEqual(ACCEPTED);
    clock.advance(1);
    expect(await api.judge('opaque-token')).toEqual(refusal(T1, 'token_inactive'));
  });

  it('once it is refused, the endpoint is asked again after negativeTtl', async () => {
    const { api, clock, answer, calls } = await start();
    await api.judge('opaque-token');
    answer({ body: INACTIVE });
    clock.advance(5_000);
    for (const wait of [0, 500, 499]) {
      clock.advance(wait);
      expect(await api.judge('opaque-token')).toEqual(refusal(T1, 'token_inactive'));
    }
    expect(calls).toHaveLength(2);
    clock.advance(1);
    await api.judge('opaque-token');
    expect(calls).toHaveLength(3);
  });

  it('I04 in an outage it is 503 after ttl', async () => {
    const { api, clock, answer } = await start();
    await api.judge('opaque-token');
    answer({ status: 500 });
    clock.advance(5_000);
    expect(await api.judge('opaque-token')).toEqual(refusal(A5, 'lookup_threw'));
  });

  it('I04 a stale entry is used for staleIfError, and not longer', async () => {
    const { api, clock, answer } = await start({ cache: { staleIfError: 10_000 } });
    await api.judge('opaque-token');
    answer({ status: 500 });
    clock.advance(9_000);
    expect(await api.judge('opaque-token')).toEqual(ACCEPTED);
    clock.advance(1_001);
    expect(await api.judge('opaque-token')).toEqual(refusal(A5, 'lookup_threw'));
  });

  it('I04 invalidate drops the tokens of a client immediately', async () => {
    const { api, verifier, answer } = await start();
    await api.judge('opaque-token');
    answer({ body: INACTIVE });
    verifier.invalidate({ accessKey: 'foreign' });
    expect(await api.judge('opaque-token')).toEqual(refusal(T1, 'token_inactive'));
  });
});

describe('with other verifiers', () => {
  const key = createKey('ES256', 'ours');
  const secret = mintKey('secret', 'live');

  it('I05 the first verifier that claims a credential decides, and introspection gets the others', async () => {
    const { verifier, clock, calls } = await start();
    const record = { id: 'key_1', kind: 'secret', account: 'acc_1', environment: 'live', apis: 'all' } as const;
    const keys = apiKeys({ resolver: () => record, kinds: ['secret'], environment: 'live', clock });
    const tokens = accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(key), clock });
    const api = await serveTokenApi([tokens, keys, verifier]);
    closing.push(() => api.close());
    const kindOf = async (credential: string) => JSON.parse((await api.present(credential)).body).keyId;
    expect(await kindOf(forge(key, { aud: AUDIENCE }))).toBe('ack_forged');
    expect(await kindOf(secret)).toBe('key_1');
    expect(calls).toHaveLength(0);
    expect(await kindOf('opaque-token')).toBe('foreign');
    expect(calls).toHaveLength(1);
  });

  it('I05 neither an unaccepted key nor a token of another issuer is sent to the endpoint', async () => {
    const { api, calls } = await start();
    expect(await api.judge(secret)).toEqual(refusal(T1, 'unclaimed'));
    expect(await api.judge(`${secret.slice(0, -1)}${secret.endsWith('a') ? 'b' : 'a'}`)).toEqual(
      refusal(T1, 'unclaimed'),
    );
    expect(await api.judge(forge(key))).toEqual(refusal(T1, 'token_iss'));
    expect(calls).toHaveLength(0);
  });

  it('a key of keyFormat that its verifier declines is not sent to the endpoint', async () => {
    const { verifier, calls, clock } = await start();
    const format = keyFormat({ prefix: 'acme' });
    const keys = apiKeys({ resolver: () => null, kinds: ['secret'], environment: 'live', format, clock });
    const api = await serveTokenApi([keys, verifier]);
    closing.push(() => api.close());
    const sandbox = createKeyText({ kind: 'secret', environment: 'sandbox', prefix: 'acme' });
    const open = createKeyText({ kind: 'public', environment: 'live', prefix: 'acme' });
    for (const text of [sandbox, open, 'acme_sk_mistyped']) expect((await api.present(text)).status).toBe(401);
    expect(calls).toHaveLength(0);
  });

  it.each([
    ['requireBearer', (accept: CredentialVerifier[]) => requireBearer({ accept }), ''],
    ['openApiGate', openApiGateOf, ', scope="payments"'],
  ])(
    'a key in a custom format that its verifier declines is not sent to the endpoint, by %s',
    async (_name, gateOf, scope) => {
      const { verifier, calls, clock } = await start();
      const format: KeyFormat = {
        read(text) {
          const [, place, kind] = /^(prod|test)-(secret|public)-\w{20}$/.exec(text) ?? [];
          if (kind === undefined) return undefined;
          return { kind: kind as KeyKind, environment: place === 'prod' ? 'live' : 'sandbox' };
        },
      };
      const keys = apiKeys({ resolver: () => null, kinds: ['secret'], environment: 'live', format, clock });
      const { ask, close } = await serveApp((app, handler) => app.get('/', gateOf([keys, verifier]), handler));
      closing.push(() => close());
      const events = eavesdrop();
      closing.push(async () => events.stop());
      for (const [start, reason] of [
        ['test-secret-', 'other_environment'],
        ['prod-public-', 'kind_not_accepted'],
      ]) {
        expect(answerOf(await ask('/', `${start}${'a'.repeat(20)}`))).toEqual({
          ...T1,
          challenge: `${T1.challenge}${scope}`,
        });
        expect(events.heard('keyward:decision').at(-1)).toMatchObject({ outcome: 'refused', reason });
      }
      expect(calls).toHaveLength(0);
      expect((await ask('/', 'opaque-token')).status).toBe(200);
      expect(calls).toHaveLength(1);
    },
  );

  it('I05 a JWT of the issuer, and one without an issuer, are sent to the endpoint', async () => {
    const { api, origin, calls } = await start();
    expect(await api.judge(forge(key, { iss: origin }))).toEqual(ACCEPTED);
    expect(await api.judge(forge(key, { iss: undefined }))).toEqual(ACCEPTED);
    expect(calls).toHaveLength(2);
  });

  it('I05 introspectedTokens that is not the last verifier is a TypeError', async () => {
    const { verifier } = await start();
    const keys = apiKeys({ resolver: () => null, kinds: ['secret'], environment: 'live' });
    const message =
      'requireBearer: option "accept[0]" handles every credential, so it must be the last verifier in "accept"';
    expect(() => requireBearer({ accept: [verifier, keys] })).toThrow(new TypeError(message));
    expect(() => requireBearer({ accept: [verifier, verifier] })).toThrow(new TypeError(message));
    expect(() => requireBearer({ accept: [keys, verifier] })).not.toThrow();
  });
});

describe('options', () => {
  const given = (options: object) => () =>
    introspectedTokens({
      issuer: 'https://login.example',
      audience: AUDIENCE,
      client: { id: 'api', secret: 'secret' },
      ...options,
    });

  it.each([
    ['no issuer', { issuer: undefined }, 'option "issuer" must be a non-empty string'],
    ['an issuer that is no URL', { issuer: 'login' }, 'option "issuer" must be an https URL'],
    [
      'an issuer with a query',
      { issuer: 'https://login.example?a' },
      'got an invalid string; to use any other string, also set the option "endpoint"',
    ],
    ['I06 http to another machine', { issuer: 'http://login.example' }, 'option "issuer" must be an https URL'],
    ['I06 an http endpoint', { endpoint: 'http://login.example/x' }, 'option "endpoint" must be an https URL'],
    ['no audience', { audience: undefined }, 'option "audience" must be a string or a list of strings'],
    ['audience: true', { audience: true }, 'option "audience": each value must be a non-empty string'],
    ['no client', { client: undefined }, 'option "client" must be an options object'],
    ['a client without id', { client: { secret: 'x' } }, 'option "client": option "id" must be a non-empty string'],
    ['a client without proof', { client: { id: 'x' } }, 'must have exactly one of "secret" and "privateKey"'],
    [
      'a client with both',
      { client: { id: 'x', secret: 'x', privateKey: 'x' } },
      'must have exactly one of "secret" and "privateKey"',
    ],
    ['a bad private key', { client: { id: 'x', privateKey: 'x' } }, 'option "client.privateKey" must be a private key'],
    ['a member too many', { client: { id: 'x', secret: 'x', key: 1 } }, 'option "client": unknown option "key"'],
    ['an unknown option', { jwks: [] }, 'unknown option "jwks"'],
    ['no time', { timeout: 0 }, 'option "timeout" must be a whole number from 1 to 60000'],
    ['a wrong cache', { cache: { ttl: -1 } }, 'option "cache": option "ttl"'],
  ])('%s throws', (_what, options, message) => {
    expect(given(options)).toThrow(TypeError);
    expect(given(options)).toThrow(message);
    expect(given(options)).toThrow(/^introspectedTokens: /);
  });

  it.each([
    ['a text as issuer beside an endpoint', { issuer: 'ours', endpoint: 'https://login.example/introspect' }],
    ['http with allowHttp', { issuer: 'http://login.example', allowHttp: true }],
    ['http to this machine', { issuer: 'http://127.0.0.1:1' }],
    ['a list of audiences', { audience: [AUDIENCE, 'https://other.example'] }],
  ])('accepts %s', (_what, options) => {
    expect(given(options)).not.toThrow();
  });
});
