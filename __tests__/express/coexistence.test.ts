import { describe, expect, it } from '@jest/globals';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { expressjwt, type Request as JwtRequest } from 'express-jwt';
import { auth } from 'express-oauth2-jwt-bearer';
import { accessTokens, apiKeys, assertGuarded, authOf, bearerErrors, requireBearer, requireKeyKind } from 'keyward';
import request from 'supertest';
import { answerOf, T1, U0 } from '../support/answers.js';
import { createKeyTable } from '../support/key-table.js';
import { AUDIENCE, createKey, forge, ISSUER, jwksOf } from '../support/token-forge.js';

const signer = createKey('ES256');
const iat = Math.floor(Date.now() / 1_000);
const token = forge(signer, { iat, exp: iat + 600 });
const expired = forge(signer, { iat: iat - 1_200, exp: iat - 600 });
const table = createKeyTable();
const key = table.add();

const gate = requireBearer({
  accept: [
    accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(signer) }),
    apiKeys({ resolver: table, kinds: ['secret'], environment: 'live' }),
  ],
});
const oauth2 = auth({ issuer: ISSUER, audience: AUDIENCE, publicKey: jwksOf(signer), tokenSigningAlg: 'ES256' });
const jwt = expressjwt({ secret: signer.publicKey, algorithms: ['ES256'], issuer: ISSUER, audience: AUDIENCE });

/** The handler of a service that was written for express-oauth2-jwt-bearer. */
const answerOauth2: RequestHandler = (req, res) => {
  const { header, payload } = req.auth as unknown as { header: object; payload: object };
  res.json({ header, payload });
};
const answerJwt = (req: JwtRequest, res: express.Response) => {
  res.json(req.auth);
};
const answer: RequestHandler = (req, res) => {
  res.json({ kind: authOf(req).kind, keyId: authOf(req).keyId });
};
const answerErrors: ErrorRequestHandler = (error, _req, res, _next) => {
  res
    .status(error.status)
    .set(error.headers ?? {})
    .json({ name: error.name });
};

const get = (app: Express, path: string, credential?: string) => {
  const asked = request(app).get(path);
  return credential === undefined ? asked : asked.set('Authorization', `Bearer ${credential}`);
};
const appWith = (mount: (app: Express) => void) => {
  const app = express();
  mount(app);
  app.use(bearerErrors(), answerErrors);
  return app;
};
const BY_TOKEN = { kind: 'access', keyId: 'ack_forged' };

describe.each([
  ['express-oauth2-jwt-bearer', oauth2 as RequestHandler, answerOauth2],
  ['express-jwt', jwt as RequestHandler, answerJwt as RequestHandler],
])('an app that has %s on some routes', (_name, peer, answerPeer) => {
  const app = appWith((made) => {
    made.get('/old', peer, answerPeer);
    made.get('/new', gate, answer);
  });

  it('serves both with one token', async () => {
    expect((await get(app, '/old', token)).status).toBe(200);
    expect((await get(app, '/new', token)).body).toEqual(BY_TOKEN);
  });

  it('accepts keys only on routes with keyward', async () => {
    expect((await get(app, '/new', key)).body).toEqual({ kind: 'secret', keyId: 'key_1' });
    expect((await get(app, '/old', key)).status).toBe(401);
  });

  it('errors of each package go to its own handler', async () => {
    const refused = await get(app, '/new', expired);
    expect([answerOf(refused), refused.body.error]).toEqual([T1, 'invalid_token']);
    expect(answerOf(await get(app, '/new'))).toEqual(U0);
    const byPeer = await get(app, '/old', expired);
    expect([byPeer.status, Object.keys(byPeer.body)]).toEqual([401, ['name']]);
  });

  it('each handler sees the value of the package before it, if both are on one route', async () => {
    const both = appWith((made) => {
      made.get('/peer-first', peer, gate, (req, res) => {
        res.json([(req as { auth?: unknown }).auth === authOf(req), authOf(req).keyId]);
      });
      made.get('/gate-first', gate, peer, (req, res) => {
        res.json([(req as { auth?: unknown }).auth === authOf(req), authOf(req).keyId]);
      });
    });
    expect((await get(both, '/peer-first', token)).body).toEqual([true, 'ack_forged']);
    expect((await get(both, '/gate-first', token)).body).toEqual([false, 'ack_forged']);
  });

  it('assertGuarded lists the routes that are not migrated yet', () => {
    const keysNamed = appWith((made) => {
      made.get('/old', peer, answerPeer);
      made.get('/new', gate, requireKeyKind('access'), answer);
    });
    expect(() => assertGuarded(keysNamed)).toThrow('GET /old has no requireBearer that runs for every request');
    expect(() => assertGuarded(keysNamed, { except: ['GET /old'] })).not.toThrow();
  });
});

describe('a route is migrated', () => {
  const before = appWith((app) => app.get('/', oauth2, answerOauth2));
  const after = appWith((app) => app.get('/', gate, answerOauth2));

  it('from express-oauth2-jwt-bearer with an unchanged handler', async () => {
    const [old, moved] = [await get(before, '/', token), await get(after, '/', token)];
    expect(old.body.payload.client_id).toBe('ack_forged');
    expect([moved.status, moved.body]).toEqual([200, old.body]);
  });

  it.each([
    ['nothing', undefined],
    ['an expired token', expired],
    ['a token of another issuer', forge(signer, { iat, exp: iat + 600, iss: 'https://other.test' })],
    ['a token for another audience', forge(signer, { iat, exp: iat + 600, aud: 'other' })],
    ['a token that another key signed', forge(createKey('ES256'), { iat, exp: iat + 600 })],
  ])('and %s is refused as before', async (_name, credential) => {
    expect([(await get(before, '/', credential)).status, (await get(after, '/', credential)).status]).toEqual([
      401, 401,
    ]);
  });
});
