import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { auth, requiredScopes } from 'express-oauth2-jwt-bearer';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { accessTokens, requireScopes } from 'keyward';
import { lacking, T1 } from '../support/answers.js';
import { type ForeignIssuer, startForeignIssuer } from '../support/foreign-issuer.js';
import { type ServedApp, serveApp } from '../support/served-app.js';
import { ACCEPTED, refusal, serveTokenApi, type TokenApi } from '../support/token-api.js';
import { createKey, forge } from '../support/token-forge.js';
import { AUDIENCE, basic, GRANT, ID, SECRET, type TokenService, tokenService } from '../support/token-service.js';

const OTHER_AUDIENCE = 'https://other.example.com';

/** Milliseconds that a process may take to start, and RSA keys to be made, on a busy machine. */
const TIMEOUT_MS = 30_000;

/** Milliseconds from which keys are fetched anew beside the requests, and from which requests wait for them. */
const REFRESH_AGE = 300_000;
const MAX_AGE = 600_000;

describe('express-oauth2-jwt-bearer, strict, accepts tokens of the issuer', () => {
  let service: TokenService;
  let api: ServedApp;

  beforeAll(async () => {
    service = await tokenService({ algorithm: 'RS256', clock: undefined });
    const discovered = auth({ issuerBaseURL: service.url, audience: AUDIENCE, strict: true });
    const byKeySetUrl = auth({
      issuer: service.url,
      jwksUri: `${service.url}/.well-known/jwks.json`,
      audience: AUDIENCE,
      strict: true,
    });
    const elsewhere = auth({ issuerBaseURL: service.url, audience: OTHER_AUDIENCE, strict: true });
    api = await serveApp((app, handler) => {
      app.get('/discovered', discovered, handler);
      app.get('/by-key-set-url', byKeySetUrl, handler);
      app.get('/refunds', discovered, requiredScopes('payments:refund'), handler);
      app.get('/elsewhere', elsewhere, handler);
    });
  });
  afterAll(() => Promise.all([service.close(), api.close()]));

  async function obtainToken(scope = 'payments'): Promise<string> {
    const issued = await service.post(`${GRANT}&scope=${scope}`, basic(ID, SECRET));
    return ((await issued.json()) as { access_token: string }).access_token;
  }

  it.each([
    ['by discovery', '/discovered'],
    ['by the URL of the keys', '/by-key-set-url'],
  ])('%s', async (_how, path) => {
    const { status, body } = await api.ask(path, await obtainToken());
    expect(status).toBe(200);
    expect(JSON.parse(body).payload).toMatchObject({ iss: service.url, client_id: ID, scope: 'payments' });
  });

  it('reads their scopes', async () => {
    expect((await api.ask('/refunds', await obtainToken('payments:refund'))).status).toBe(200);
    expect((await api.ask('/refunds', await obtainToken())).status).toBe(403);
  });

  it('refuses them if another audience is expected', async () => {
    const { status, headers } = await api.ask('/elsewhere', await obtainToken());
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toContain('error="invalid_token"');
  });
});

describe('requireBearer with tokens of oidc-provider', () => {
  let issuer: ForeignIssuer;
  let api: TokenApi;
  /** Milliseconds that the clock of the API is ahead of this machine's. */
  let ahead: number;
  const clock = { now: () => Date.now() + ahead, monotonic: () => performance.now() + ahead };
  const obtainToken = (scope = 'payments', audience = AUDIENCE) => issuer.obtainToken(scope, audience);

  beforeAll(async () => {
    issuer = await startForeignIssuer(AUDIENCE);
  }, TIMEOUT_MS);
  afterAll(() => issuer.close());
  beforeEach(async () => {
    ahead = 0;
    const tokens = accessTokens({ issuer: issuer.url, audience: AUDIENCE, clock });
    api = await serveTokenApi([tokens], requireScopes('payments'));
  });
  afterEach(() => api.close());

  it('accepts one with the audience and the scope, by RFC 9068', async () => {
    expect(await api.judge(await obtainToken())).toEqual(ACCEPTED);
  });

  it('reads client, scopes and expiry', async () => {
    const token = await obtainToken('payments disputes');
    const principal = JSON.parse((await api.present(token)).body);
    const { client_id, exp } = decodeJwt(token);
    expect(principal).toMatchObject({ clientId: client_id, scopes: ['payments', 'disputes'], expiresAt: exp });
  });

  it('refuses one for another audience', async () => {
    expect(await api.judge(await obtainToken('payments', OTHER_AUDIENCE))).toEqual(refusal(T1, 'token_aud'));
  });

  it('refuses one without the scope', async () => {
    expect(await api.judge(await obtainToken('disputes'))).toEqual(refusal(lacking('payments'), 'scope'));
  });

  it('refuses one that is not a JWT', async () => {
    const opaque = await obtainToken('payments', `${AUDIENCE}/opaque`);
    expect(await api.judge(opaque)).toEqual(refusal(T1, 'unclaimed'));
  });

  it('refuses one whose scope was changed', async () => {
    const [header, , signature] = (await obtainToken('disputes')).split('.');
    const [, payload] = (await obtainToken()).split('.');
    expect(await api.judge(`${header}.${payload}.${signature}`)).toEqual(refusal(T1, 'token_signature'));
  });

  it('refuses one that another issuer signed', async () => {
    const token = await obtainToken();
    const impostor = createKey('RS256', decodeProtectedHeader(token).kid);
    expect(await api.judge(forge(impostor, decodeJwt(token)))).toEqual(refusal(T1, 'token_signature'));
  });

  it('refuses one that has expired', async () => {
    const token = await obtainToken();
    expect(await api.judge(token)).toEqual(ACCEPTED);
    ahead = 3_600_000;
    expect(await api.judge(token)).toEqual(refusal(T1, 'expired'));
  });

  it(
    'accepts old and new ones while its keys are rotated during requests',
    async () => {
      await issuer.publish('first');
      const before = await obtainToken();
      const statuses: number[] = [];
      let running = true;
      const present = async (token: string) => statuses.push((await api.present(token)).status);
      const client = async () => {
        while (running) await present(before);
      };
      const clients = [client(), client(), client()];
      try {
        await issuer.publish('second', 'first');
        const after = await obtainToken();
        expect(decodeProtectedHeader(after).kid).toBe('second');
        await Promise.all([present(after), present(after), present(before)]);
        ahead = REFRESH_AGE;
        await Promise.all([present(after), present(before)]);
      } finally {
        running = false;
        await Promise.all(clients);
      }
      expect(new Set(statuses)).toEqual(new Set([200]));
    },
    TIMEOUT_MS,
  );

  it(
    'refuses tokens of a withdrawn key when a token of the new key causes a fetch',
    async () => {
      const before = await obtainToken();
      expect(await api.judge(before)).toEqual(ACCEPTED);
      await issuer.publish('third');
      expect(await api.judge(await obtainToken())).toEqual(ACCEPTED);
      expect(await api.judge(before)).toEqual(refusal(T1, 'token_kid'));
    },
    TIMEOUT_MS,
  );

  it(
    'refuses tokens of a withdrawn key when the cached keys expire',
    async () => {
      const before = await obtainToken();
      expect(await api.judge(before)).toEqual(ACCEPTED);
      await issuer.publish('fourth');
      ahead = MAX_AGE;
      expect(await api.judge(before)).toEqual(refusal(T1, 'token_kid'));
    },
    TIMEOUT_MS,
  );
});
