import { describe, expect, it } from '@jest/globals';
import { complaintsAbout } from '../support/type-check.js';

const SERVICE = `
import express from 'express';
import { accessTokens, apiKeys, assertGuarded, auditRoutes, authOf, bearerErrors, credentialOf, defineGuard, requireAny,
  requireApi, requireBearer, requireChannel, requireKeyKind, requireScopes, type Principal } from 'keyward';

const tokens = accessTokens({ issuer: 'https://issuer.test', audience: 'api' });
const keys = apiKeys({ resolver: () => null, kinds: ['secret'], environment: 'live' });
const gate = requireBearer({ accept: [tokens, keys] });
const ownAccount = defineGuard<express.Request>({
  name: 'ownAccount',
  check: (principal, req) => principal.account === req.params.account,
});
const channel = requireChannel((req) => req.body?.channel ?? req.query.channel ?? req.params.channel);

const app = express();
app.use(gate, requireApi('payments'));
app.get('/payments/:account', ownAccount, channel, (req, res) => {
  const principal: Principal = authOf(req);
  res.json({ account: principal.account, length: credentialOf(req).length });
});
const router = express.Router();
router.post('/refunds', requireAny(requireScopes('payments:refund'), requireKeyKind('secret')), (req, res) => {
  const principal = authOf(req);
  res.json(principal.kind === 'access' ? principal.payload : principal.expiresAt);
});
app.use('/v1', router);
app.use(bearerErrors({ format: 'problem' }));
assertGuarded(app, { except: [...auditRoutes(app)].map(({ method, path }) => method + ' ' + path) });
`;

describe('the types of keyward', () => {
  it('are compatible with those of Express and express-jwt, and do not change the request of Express', () => {
    const source = `${SERVICE}
      import { expressjwt, type Request as JwtRequest } from 'express-jwt';
      app.get('/old', expressjwt({ secret: 'x', algorithms: ['RS256'] }), (req: JwtRequest<{ sub: string }>, res) => {
        res.json(req.auth?.sub);
      });
      app.get('/', (req) => req.auth);`;
    expect(complaintsAbout(source)).toEqual([expect.stringMatching(/^TS2339: Property 'auth' does not exist on type/)]);
  });

  it('contain exactly the validated claims of a token, each optional', () => {
    const source = `${SERVICE}
      app.get('/claims', (req) => {
        const principal = authOf(req);
        if (principal.kind !== 'access') return;
        const { iss, sub, client_id, aud, scope, exp, iat, nbf, jti, department } = principal.payload;
        const texts: readonly (string | undefined)[] = [iss, sub, client_id];
        const lists: readonly (string | readonly string[] | undefined)[] = [aud, scope];
        const times: readonly (number | undefined)[] = [exp, iat, nbf];
        const unchecked: unknown[] = [jti, department, texts, lists, times];
        return [sub.length, jti.length, department.length, unchecked];
      });`;
    expect(complaintsAbout(source)).toEqual([
      "TS18048: 'sub' is possibly 'undefined'.",
      "TS18046: 'jti' is of type 'unknown'.",
      "TS18046: 'department' is of type 'unknown'.",
    ]);
  });

  it('are compatible with those of express-oauth2-jwt-bearer, which declares req.auth globally', () => {
    const source = `${SERVICE}
      import { auth, requiredScopes } from 'express-oauth2-jwt-bearer';
      app.get('/old', auth(), requiredScopes('payments'), (req, res) => {
        res.json(req.auth?.payload.sub);
      });`;
    expect(complaintsAbout(source)).toEqual([]);
  });
});

describe('keyward/augment', () => {
  it('types req.auth as an optional principal', () => {
    const source = `import 'keyward/augment'; ${SERVICE}
      app.get('/', (req, res) => {
        const principal: Principal | undefined = req.auth;
        res.json(req.auth?.kind === 'access' ? req.auth.payload : principal?.account);
      });
      app.get('/', (req, res) => {
        res.json(req.auth.account);
      });`;
    expect(complaintsAbout(source)).toEqual(["TS18048: 'req.auth' is possibly 'undefined'."]);
  });
});
