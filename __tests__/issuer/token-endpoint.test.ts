import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from 'jose';
import type { AccessKeyRecord } from 'keyward';
import { deferred } from '../support/deferred.js';
import { eavesdrop } from '../support/eavesdrop.js';
import {
  AUDIENCE,
  basic,
  digestOf,
  GRANT,
  ID,
  record,
  SECRET,
  type TokenService,
  tokenService,
} from '../support/token-service.js';

const errorOf = async (response: Response) => [response.status, ((await response.json()) as { error: string }).error];

const tC = [401, 'invalid_client'];
const tR = [400, 'invalid_request'];
const tS = [400, 'invalid_scope'];
const tG = [400, 'unsupported_grant_type'];

describe('POST /connect/token', () => {
  let service: TokenService;
  beforeAll(async () => {
    service = await tokenService({ limits: { perClient: 1_000_000, perAddress: 1_000_000 } });
  });
  afterAll(() => service.close());

  it('T01 valid Basic, no scope: exactly four fields, the default scopes, and not cacheable', async () => {
    const response = await service.post(GRANT, basic(ID, SECRET));
    const body = await response.json();
    expect([response.status, body]).toEqual([
      200,
      { access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600, scope: 'payments disputes' },
    ]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('pragma')).toBe('no-cache');
    expect(response.headers.get('content-type')).toBe('application/json;charset=UTF-8');
  });

  it('T02 token content: the claims of RFC 9068, 3,600 s, verified by the published key', async () => {
    const { access_token: token } = await tokenOf(service.post(GRANT, basic(ID, SECRET)));
    const jwks = (await (await fetch(`${service.url}/.well-known/jwks.json`)).json()) as JSONWebKeySet;
    const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(jwks), {
      currentDate: new Date(service.clock.now()),
    });
    const iat = service.clock.now() / 1_000;
    expect(payload).toEqual({
      iss: service.url,
      aud: AUDIENCE,
      sub: ID,
      client_id: ID,
      scope: 'payments disputes',
      jti: expect.any(String),
      iat,
      exp: iat + 3_600,
      tokens_not_before: 0,
    });
    expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: jwks.keys[0]?.kid });
  });

  it('T02 token content: tokens_not_before has the milliseconds of the record', async () => {
    const tokensNotBefore = new Date(service.clock.now() - 1);
    service.table.set(ID, record({ tokensNotBefore }));
    const { access_token: token } = await tokenOf(service.post(GRANT, basic(ID, SECRET)));
    expect(decodeJwt(token).tokens_not_before).toBe(tokensNotBefore.getTime() / 1_000);
    service.table.set(ID, record());
  });

  it('a secret is refused from the millisecond at which it expires', async () => {
    const until = async (expiresAt: Date) => {
      service.table.set(ID, record({ secrets: [{ digest: digestOf(SECRET), expiresAt }] }));
      return (await service.post(GRANT, basic(ID, SECRET))).status;
    };
    const now = service.clock.now();
    expect([await until(new Date(now + 1)), await until(new Date(now))]).toEqual([200, 401]);
    service.table.set(ID, record());
  });

  it('T02 token content: jti is unique', async () => {
    const one = await tokenOf(service.post(GRANT, basic(ID, SECRET)));
    const other = await tokenOf(service.post(GRANT, basic(ID, SECRET)));
    expect(decodeJwt(one.access_token).jti).not.toBe(decodeJwt(other.access_token).jti);
  });

  it('T03 scope=: as omitted', async () => {
    expect((await tokenOf(service.post(`${GRANT}&scope=`, basic(ID, SECRET)))).scope).toBe('payments disputes');
  });

  it.each([
    ['subset', 'payments%3Arefund', 'payments:refund'],
    ['other order', 'disputes+payments', 'payments disputes'],
    ['repeated token', 'disputes+disputes', 'disputes'],
  ])('T04 %s: the granted set only, in a fixed order', async (_name, asked, granted) => {
    expect((await tokenOf(service.post(`${GRANT}&scope=${asked}`, basic(ID, SECRET)))).scope).toBe(granted);
  });

  it.each([
    ['T05 superset, one good and one bad', 'payments+payouts'],
    ['T06 unknown scope', 'payouts'],
    ['T06 other case', 'Payments'],
    ['T06 prefix', 'payment'],
    ['T06 *', '*'],
    ['T06 __proto__', '__proto__'],
    ['T06 constructor', 'constructor'],
    ['T06 toString', 'toString'],
    ['T07 TAB', 'payments%09disputes'],
    ['T07 newline', 'payments%0Adisputes'],
    ['T07 quote', 'payments%22'],
    ['T07 backslash', 'payments%5C'],
    ['T07 é', 'payments%C3%A9'],
    ['T07 NUL', 'payments%00'],
    ['T07 double space', 'payments++disputes'],
    ['T07 edge space', '+payments'],
    ['T07 only spaces', '++'],
  ])('%s: invalid_scope, and no token', async (_name, scope) => {
    expect(await errorOf(await service.post(`${GRANT}&scope=${scope}`, basic(ID, SECRET)))).toEqual(tS);
  });

  it('T08 access key without any scope, no scope requested: invalid_scope', async () => {
    service.table.set('ack_none', record({ id: 'ack_none', scopes: [], defaultScopes: [] }));
    expect(await errorOf(await service.post(GRANT, basic('ack_none', SECRET)))).toEqual(tS);
  });

  it.each([
    ['scope_malformed', ID, '&scope=payments%22'],
    ['scope_not_assigned', ID, '&scope=payouts'],
    ['no_default_scopes', 'ack_no_defaults', ''],
  ])('the event of invalid_scope has the reason %s', async (reason, id, parameter) => {
    service.table.set('ack_no_defaults', record({ id: 'ack_no_defaults', defaultScopes: [] }));
    const events = eavesdrop();
    await service.post(`${GRANT}${parameter}`, basic(id, SECRET));
    events.stop();
    expect(events.heard('keyward:token')).toMatchObject([{ outcome: 'refused', reason }]);
  });

  it.each([
    ['T09 grant_type missing', 'scope=payments', tR],
    ['T09 grant_type empty', 'grant_type=', tR],
    ['T10 password', 'grant_type=password', tG],
    ['T10 authorization_code', 'grant_type=authorization_code', tG],
    ['T10 refresh_token', 'grant_type=refresh_token', tG],
    ['T10 Client_Credentials', 'grant_type=Client_Credentials', tG],
    ['T10 trailing space', 'grant_type=client_credentials+', tG],
    ['T10 __proto__', 'grant_type=__proto__', tG],
    ['T10 toString', 'grant_type=toString', tG],
    ['T11 grant_type twice', `${GRANT}&${GRANT}`, tR],
    ['T11 scope twice', `${GRANT}&scope=payments&scope=payments`, tR],
    ['T11 client_id twice', `${GRANT}&client_id=${ID}&client_id=${ID}`, tR],
    ['T11 unknown twice', `${GRANT}&x=1&x=2`, tR],
  ])('%s', async (_name, body, expected) => {
    expect(await errorOf(await service.post(body, basic(ID, SECRET)))).toEqual(expected);
  });

  it.each([
    ['scope[]=', 'scope[]=payouts'],
    ['scope[x]=', 'scope[x]=payouts'],
    ['a[__proto__][b]=1', 'a[__proto__][b]=1'],
    ['__proto__=1', '__proto__=1'],
    ['constructor[prototype][z]=1', 'constructor[prototype][z]=1'],
  ])('T12 %s: an unknown name, ignored', async (_name, parameter) => {
    const response = await service.post(`${GRANT}&${parameter}`, basic(ID, SECRET));
    expect(response.status).toBe(200);
    expect(({} as { b?: unknown }).b).toBeUndefined();
  });

  it('T13 1 000 unknown parameters: 200', async () => {
    const many = Array.from({ length: 1_000 }, (_, index) => `p${index}=`).join('&');
    expect((await service.post(`${GRANT}&${many}`, basic(ID, SECRET))).status).toBe(200);
  });

  it('T13 10^5 &: too large', async () => {
    expect((await service.post(GRANT + '&'.repeat(100_000), basic(ID, SECRET))).status).toBe(413);
  });

  it('T14 no Authorization: invalid_client, without a challenge', async () => {
    const response = await service.post(GRANT);
    expect(response.headers.get('www-authenticate')).toBeNull();
    expect(await errorOf(response)).toEqual(tC);
  });

  describe('T15 the same bytes for every cause', () => {
    const past = new Date(0);
    const clients: Record<string, readonly [id: string, secret: string, row?: object]> = {
      'unknown id': ['ack_unknown', SECRET],
      'wrong secret': [ID, 'X'.repeat(86)],
      revoked: ['ack_revoked', SECRET, { revokedAt: past }],
      expired: ['ack_expired', SECRET, { expiresAt: past }],
      'disabled account': ['ack_disabled', SECRET, { disabled: true }],
      'API key used as secret': [ID, 'sk_wlj3nsyprj5ipdr2b4nkxzepnmg'],
    };
    it.each(Object.entries(clients))('T15 %s', async (_name, [id, secret, row]) => {
      if (row !== undefined) service.table.set(id, record({ id, ...row }));
      const response = await service.post(GRANT, basic(id, secret));
      const { date: _date, ...headers } = Object.fromEntries(response.headers);
      expect([response.status, headers, await response.text()]).toEqual([
        401,
        {
          'cache-control': 'no-store',
          connection: 'keep-alive',
          'content-length': '26',
          'content-type': 'application/json;charset=UTF-8',
          'keep-alive': 'timeout=5',
          pragma: 'no-cache',
          'www-authenticate': `Basic realm="127.0.0.1:${service.port}"`,
          'x-powered-by': 'Express',
        },
        '{"error":"invalid_client"}',
      ]);
    });
  });

  it('T16 one lookup for every cause', async () => {
    const past = new Date(0);
    service.table.set('ack_worked', record({ id: 'ack_worked', revokedAt: past }));
    const clients = [
      ['ack_unknown', SECRET],
      [ID, 'wrong'],
      ['ack_worked', SECRET],
      ['ack_worked', 'wrong'],
    ] as const;
    const work: number[] = [];
    for (const [id, secret] of clients) {
      const before = service.lookups;
      await service.post(GRANT, basic(id, secret));
      work.push(service.lookups - before);
    }
    expect(work).toEqual([1, 1, 1, 1]);
  });

  it('accepts either of two valid secrets, and no expired one', async () => {
    const { digest } = record().secrets[0] ?? { digest: '' };
    const old = { digest: '0'.repeat(64) };
    service.table.set('ack_two', record({ id: 'ack_two', secrets: [old, { digest }] }));
    service.table.set('ack_past', record({ id: 'ack_past', secrets: [old, { digest, expiresAt: new Date(0) }] }));
    expect((await service.post(GRANT, basic('ack_two', SECRET))).status).toBe(200);
    expect(await errorOf(await service.post(GRANT, basic('ack_past', SECRET)))).toEqual(tC);
  });

  it.each([
    ['secrets: none', { secrets: [] }],
    ['secrets: three', { secrets: [1, 2, 3].map(() => ({ digest: '0'.repeat(64) })) }],
    ['secrets: no digest', { secrets: [{ digest: 'secret' }] }],
    ['secrets: no Date', { secrets: [{ digest: '0'.repeat(64), expiresAt: 'soon' }] }],
    ['secrets: null', { secrets: [null] }],
    ['defaultScopes: no list', { defaultScopes: 'payments' }],
    ['defaultScopes: no scope-token', { defaultScopes: ['a b'] }],
    ['id: another', { id: 'ack_other' }],
  ])('answers 503 for a record that breaks a rule: %s', async (_name, traits) => {
    service.table.set('ack_broken', { ...record(), id: 'ack_broken', ...traits });
    const response = await service.post(GRANT, basic('ack_broken', SECRET));
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await errorOf(response)).toEqual([503, 'temporarily_unavailable']);
  });

  it('the events of a record with another ID name the issuer and what is wrong', async () => {
    service.table.set('ack_broken', record({ id: 'ack_other' }));
    const events = eavesdrop();
    await service.post(GRANT, basic('ack_broken', SECRET));
    events.stop();
    const detail = 'id: resolveAccessKey returned a record whose ID is not the client ID of the request';
    expect(events.heard('keyward:lookup-failure')).toMatchObject([{ of: 'issuer', reason: 'record_invalid', detail }]);
    expect(events.heard('keyward:token')).toMatchObject([{ outcome: 'unavailable', reason: 'lookup_record_invalid' }]);
  });

  it.each([undefined, null])('a client for which the resolver returns %s: invalid_client', async (nothing) => {
    service.table.set('ack_nothing', nothing);
    expect(await errorOf(await service.post(GRANT, basic('ack_nothing', SECRET)))).toEqual(tC);
  });

  it('looks up a client for each request, so that a request never gets a record from before a revocation', async () => {
    const [first, asked] = [deferred<AccessKeyRecord>(), deferred<void>()];
    const answers: (() => Promise<AccessKeyRecord>)[] = [
      async () => record({ revokedAt: new Date(0) }),
      () => {
        asked.resolve();
        return first.promise;
      },
    ];
    const resolveAccessKey = async () => (await answers.pop()?.()) ?? null;
    const revoking = await tokenService({ accessKeys: { resolveAccessKey } });
    const before = revoking.post(GRANT, basic(ID, SECRET));
    await asked.promise;
    const after = await revoking.post(GRANT, basic(ID, SECRET));
    first.resolve(record());
    expect([(await before).status, after.status]).toEqual([200, 401]);
    await revoking.close();
  });

  it.each([
    ['no_grant_type', 'scope=payments'],
    ['grant_type', 'grant_type=password'],
  ])('the event names the reason %s', async (reason, body) => {
    const events = eavesdrop();
    await service.post(body, basic(ID, SECRET));
    events.stop();
    expect(events.heard('keyward:token')).toMatchObject([{ endpoint: 'token', outcome: 'refused', reason }]);
  });

  it('T38 200 parallel valid requests: 200 distinct jti', async () => {
    const tokens = await Promise.all(
      Array.from({ length: 200 }, () => tokenOf(service.post(GRANT, basic(ID, SECRET)))),
    );
    expect(new Set(tokens.map(({ access_token: token }) => decodeJwt(token).jti)).size).toBe(200);
  });

  it('T40 store down: 503 temporarily_unavailable, never invalid_client', async () => {
    service.failing = true;
    const response = await service.post(GRANT, basic(ID, SECRET));
    service.failing = false;
    expect(await errorOf(response)).toEqual([503, 'temporarily_unavailable']);
  });

  it('T42 cross-origin POST: no Access-Control-Allow-Origin', async () => {
    const response = await service.post(GRANT, { ...basic(ID, SECRET), origin: 'https://evil.example' });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('T43 the clock steps back 10 min: iat is never before that of the previous token', async () => {
    const before = decodeJwt((await tokenOf(service.post(GRANT, basic(ID, SECRET)))).access_token).iat;
    service.clock.setWall(-600_000);
    const after = decodeJwt((await tokenOf(service.post(GRANT, basic(ID, SECRET)))).access_token).iat;
    service.clock.setWall(600_000);
    expect(after).toBe(before);
  });
});

async function tokenOf(response: Promise<Response>): Promise<{ access_token: string; scope: string }> {
  return (await (await response).json()) as { access_token: string; scope: string };
}
