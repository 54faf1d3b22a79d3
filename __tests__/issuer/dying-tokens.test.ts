import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type AccessKeyRecord, accessTokens, requireScopes } from 'keyward';
import { memorySigningKeys } from '../../lib/issuer/index.js';
import { lacking, T1 } from '../support/answers.js';
import { deferred } from '../support/deferred.js';
import { ACCEPTED, refusal, serveTokenApi, type TokenApi } from '../support/token-api.js';
import {
  AUDIENCE,
  basic,
  GRANT,
  ID,
  record,
  SECRET,
  type TokenService,
  tokenService,
} from '../support/token-service.js';

/** Milliseconds for which a resource server uses a cached access key if it has no feed. */
const BELIEVED = 10_000;

let service: TokenService;
let tokens: ReturnType<typeof accessTokens>;
let api: TokenApi;

async function start(options: Parameters<typeof tokenService>[0] = {}) {
  service = await tokenService(options);
  const { url, clock, table } = service;
  const accessKeys = { resolveAccessKey: (id: string) => table.get(id) as AccessKeyRecord | undefined };
  tokens = accessTokens({ issuer: url, audience: AUDIENCE, accessKeys, clock });
  api = await serveTokenApi([tokens], requireScopes('payments'));
}

async function obtainToken(): Promise<string> {
  const { access_token } = (await (await service.post(GRANT, basic(ID, SECRET))).json()) as { access_token: string };
  return access_token;
}

const ended: [what: string, reason: string, end: () => void][] = [
  ['revoked', 'revoked', () => service.table.set(ID, record({ revokedAt: new Date(service.clock.now()) }))],
  ['deleted', 'unknown', () => service.table.delete(ID)],
];

describe('a token whose access key ends after it was issued', () => {
  beforeEach(() => start());
  afterEach(() => Promise.all([service.close(), api.close()]));

  it.each(ended)(
    'C22 %s, and the resource server is notified: it is refused immediately',
    async (_what, reason, end) => {
      const token = await obtainToken();
      expect(await api.judge(token)).toEqual(ACCEPTED);
      end();
      tokens.invalidate({ accessKey: ID });
      expect(await api.judge(token)).toEqual(refusal(T1, reason));
    },
  );

  it.each(ended)(
    'C22 %s, without a notification: it is refused when the cache entry expires',
    async (_what, reason, end) => {
      const token = await obtainToken();
      expect(await api.judge(token)).toEqual(ACCEPTED);
      end();
      service.clock.advance(BELIEVED - 1);
      expect(await api.judge(token)).toEqual(ACCEPTED);
      service.clock.advance(1);
      expect(await api.judge(token)).toEqual(refusal(T1, reason));
    },
  );

  it.each([
    ['at once, where the resource server is notified', () => tokens.invalidate({ accessKey: ID })],
    ['when what is cached is of age', () => service.clock.advance(BELIEVED)],
  ])('C23 its scopes are narrowed: the token has the intersection, %s', async (_when, narrow) => {
    const token = await obtainToken();
    expect(await api.judge(token)).toEqual(ACCEPTED);
    service.table.set(ID, record({ scopes: ['disputes', 'vault'] }));
    narrow();
    expect(await api.judge(token)).toEqual(refusal(lacking('payments'), 'scope'));
    service.table.set(ID, record({ scopes: ['vault', 'payments'] }));
    narrow();
    expect(JSON.parse((await api.present(token)).body)).toMatchObject({ scopes: ['payments'] });
  });
});

describe('an access key that ends while a token is signed', () => {
  afterEach(() => Promise.all([service.close(), api.close()]));

  it.each(ended)('T39 %s between check and signing: the token is never accepted', async (_what, reason, end) => {
    const [asked, answered] = [deferred<void>(), deferred<void>()];
    const signingKeys = { ...memorySigningKeys() };
    const { listSigningKeys } = signingKeys;
    signingKeys.listSigningKeys = async () => {
      asked.resolve();
      await answered.promise;
      return listSigningKeys();
    };
    await start({ signingKeys });
    const issued = obtainToken();
    await asked.promise;
    end();
    answered.resolve();
    expect(await api.judge(await issued)).toEqual(refusal(T1, reason));
  });
});
