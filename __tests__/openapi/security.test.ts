/** O01 to O04: what a gate of a document asks of each operation. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { afterAll, describe, expect, it } from '@jest/globals';
import express, { type ErrorRequestHandler } from 'express';
import { accessTokens, authOf, type CredentialVerifier, credentialOf, requireBearer, requireScopes } from 'keyward';
import { openApiGate } from 'keyward/openapi';
import request from 'supertest';
import { A5, answerOf, lacking, R4, T1, U0 } from '../support/answers.js';
import { eavesdrop } from '../support/eavesdrop.js';
import { createManualClock } from '../support/manual-clock.js';
import { asking, documentOf, faultOf, keys, kit, SCHEMES, schemes, tokens } from '../support/openapi.js';
import { AUDIENCE, createKey, forge, ISSUER, jwksOf } from '../support/token-forge.js';

const token = (...scopes: string[]) => kit.accessToken({ scopes });
const secretKey = kit.secretKey();

const quiet: ErrorRequestHandler = (error, _req, res, _next) => {
  res.status(error.status ?? 500).json({ code: error.code });
};

function appOf(document: object, given: object = schemes) {
  const app = express();
  const gate = openApiGate(document, { schemes: given as typeof schemes });
  app.use(gate);
  app.use((req, res) => {
    res.json({ kind: gate.principal(req)?.kind });
  });
  app.use(quiet);
  return app;
}

function get(app: express.Express, path: string, credential?: string) {
  const sent = request(app).get(path);
  return credential === undefined ? sent : sent.set('Authorization', `Bearer ${credential}`);
}

describe('security of a document and its operations', () => {
  const app = appOf(
    documentOf(
      {
        '/inherits': { get: asking() },
        '/own': { get: asking([{ secretKey: [] }]) },
        '/open': { get: asking([]) },
        '/nothing': { get: asking([{}]) },
      },
      { security: [{ accessToken: ['pets'] }] },
    ),
  );

  it('O01 an operation without security has that of the document', async () => {
    expect(answerOf(await get(app, '/inherits'))).toEqual({
      status: 401,
      challenge: 'Bearer realm="api", scope="pets"',
    });
    expect((await get(app, '/inherits', await token('pets'))).body).toEqual({ kind: 'access' });
    expect(answerOf(await get(app, '/inherits', await token('other')))).toEqual(lacking('pets'));
    expect((await get(app, '/inherits', secretKey)).status).toBe(401);
  });

  it('O01 security of an operation replaces that of the document', async () => {
    expect((await get(app, '/own', secretKey)).body).toEqual({ kind: 'secret' });
    expect(answerOf(await get(app, '/own', await token('pets')))).toEqual(T1);
    expect(answerOf(await get(app, '/own'))).toEqual(U0);
  });

  it.each(['/open', '/nothing'])('O01 %s is open, with any credential', async (path) => {
    expect((await get(app, path)).body).toEqual({});
    expect((await get(app, path, 'bad')).status).toBe(200);
    expect((await get(app, path, secretKey)).body).toEqual({});
  });

  it('O01 without any security an operation is open', async () => {
    const open = appOf(documentOf({ '/x': { get: asking() } }, { components: {} }), {});
    expect((await get(open, '/x', 'bad')).status).toBe(200);
  });

  it('O01 a guard after an open operation requires a credential', async () => {
    const guarded = express();
    guarded.use(openApiGate(documentOf({ '/x': { get: asking([]) } }, { components: {} }), { schemes: {} }));
    guarded.get('/x', requireScopes('pets'), (_req, res) => void res.json({}));
    expect(answerOf(await request(guarded).get('/x'))).toEqual(U0);
  });

  it('O01 the principal of an earlier gate is kept on an open operation', async () => {
    const app2 = express();
    app2.use(
      openApiGate(documentOf({ '/x': { get: asking([{ secretKey: [] }]) } }, onlyKeys), {
        schemes: { secretKey: keys },
      }),
    );
    app2.use(openApiGate(documentOf({ '/x': { get: asking([]) } }, { components: {} }), { schemes: {} }));
    app2.get('/x', (req, res) => void res.json({ kind: authOf(req).kind }));
    expect((await get(app2, '/x', secretKey)).body).toEqual({ kind: 'secret' });
  });
});

const onlyKeys = { components: { securitySchemes: { secretKey: SCHEMES.secretKey } } };

describe('alternatives', () => {
  const app = appOf(
    documentOf({
      '/same': { get: asking([{ accessToken: ['pets:read'] }, { secretKey: ['pets:read'] }]) },
      '/each': { get: asking([{ accessToken: ['pets:read'] }, { secretKey: ['files:read', 'pets:write'] }]) },
      '/either': { get: asking([{ accessToken: ['a:x'] }, { accessToken: ['b:y', 'b:z'] }]) },
      '/free': { get: asking([{ accessToken: ['a:x'] }, { secretKey: [] }]) },
    }),
  );
  const petKey = kit.secretKey({ scopes: ['pets:read'] });

  it('O02 one of the alternatives is enough', async () => {
    expect((await get(app, '/same', await token('pets:read'))).status).toBe(200);
    expect((await get(app, '/same', petKey)).status).toBe(200);
    expect((await get(app, '/either', await token('b:y', 'b:z'))).status).toBe(200);
    expect((await get(app, '/either', await token('a:x'))).status).toBe(200);
    expect((await get(app, '/free', petKey)).status).toBe(200);
  });

  it('O02 without a credential it is 401 and names scopes', async () => {
    for (const [path, scope] of [
      ['/same', 'pets:read'],
      ['/each', 'pets:read'],
      ['/either', 'a:x'],
      ['/free', 'a:x'],
    ]) {
      const expected = { status: 401, challenge: `Bearer realm="api", scope="${scope}"` };
      expect(answerOf(await get(app, path as string))).toEqual(expected);
    }
  });

  it('O02 an invalid credential is 401 with the fixed description, and names scopes', async () => {
    const answer = answerOf(await get(app, '/each', kit.secretKey({ revoked: true })));
    expect(answer).toEqual({ status: 401, challenge: `${T1.challenge}, scope="pets:read"` });
  });

  it('O02 wrong scopes are 403, and name those of the alternative of the credential', async () => {
    expect(answerOf(await get(app, '/same', await token('other')))).toEqual(lacking('pets:read'));
    expect(answerOf(await get(app, '/each', await token('files:read')))).toEqual(lacking('pets:read'));
    expect(answerOf(await get(app, '/each', petKey))).toEqual(lacking('files:read pets:write'));
    expect(answerOf(await get(app, '/either', await token('b:y')))).toEqual(lacking('a:x'));
    expect(answerOf(await get(app, '/free', await token('b:y')))).toEqual(lacking('a:x'));
  });

  it('O02 two credentials are 400, and an outage is 503', async () => {
    const twice = await get(app, `/each?access_token=x`, petKey);
    expect(answerOf(twice)).toEqual(R4);
    const fresh = kit.secretKey({ scopes: ['files:read', 'pets:write'] });
    kit.outage(true);
    const outage = await get(app, '/each', fresh);
    kit.outage(false);
    expect(answerOf(outage)).toEqual(A5);
    expect((await get(app, '/each', fresh)).status).toBe(200);
  });

  it('O02 a custom asynchronous verifier is distinguished from another', async () => {
    const principal = { ...stub, kind: 'secret', scopes: ['a:x'] } as const;
    const foreign = { kinds: ['secret'] as const, verify: () => Promise.resolve({ outcome: 'accepted', principal }) };
    const document = documentOf({ '/x': { get: asking([{ accessToken: ['a:x'] }, { secretKey: ['b:y'] }]) } });
    const given = { accessToken: tokens, secretKey: foreign };
    expect(answerOf(await get(appOf(document, given), '/x', 'something'))).toEqual(lacking('b:y'));
  });

  it('O02 two verifiers that return the same principal are distinguished in each request', async () => {
    const zone = (name: string): CredentialVerifier => ({
      kinds: ['secret'],
      verify: async (credential) =>
        credential.request?.headers?.['x-zone'] === name ? keys.verify(credential) : { outcome: 'declined' },
    });
    const bearer = { type: 'http', scheme: 'bearer' };
    const components = { securitySchemes: { inside: bearer, outside: bearer } };
    const paths = { '/x': { get: asking([{ inside: [] }, { outside: ['b:y'] }]) } };
    const app = appOf(documentOf(paths, { components }), { inside: zone('inside'), outside: zone('outside') });
    const key = kit.secretKey({ scopes: ['a:x'] });
    const from = async (name: string) => answerOf(await get(app, '/x', key).set('X-Zone', name));
    const [inside, outside] = [{ status: 200, challenge: undefined }, lacking('b:y')];
    expect([await from('outside'), await from('inside'), await from('outside')]).toEqual([outside, inside, outside]);
  });
});

const stub = { keyId: 'key_1', account: 'acc', environment: 'live', apis: 'all', channels: 'all' };

describe('optional security', () => {
  const app = appOf(
    documentOf({
      '/optional': { get: asking([{ accessToken: ['a:x'] }, {}]) },
      '/keys': { get: asking([{}, { secretKey: [] }]) },
      '/rest': { get: asking([{ secretKey: [] }]) },
    }),
  );

  it('O03 without a credential it passes, without a principal', async () => {
    expect((await get(app, '/optional')).body).toEqual({});
    expect((await get(app, '/keys')).body).toEqual({});
  });

  it('O03 with one it passes with its principal, also without the scope', async () => {
    expect((await get(app, '/optional', await token('a:x'))).body).toEqual({ kind: 'access' });
    expect((await get(app, '/optional', await token('b:y'))).body).toEqual({ kind: 'access' });
    expect((await get(app, '/keys', secretKey)).body).toEqual({ kind: 'secret' });
  });

  it('O03 an invalid credential is refused', async () => {
    expect(answerOf(await get(app, '/optional', await kit.accessToken({ expired: true })))).toEqual(T1);
    expect(answerOf(await get(app, '/optional', secretKey))).toEqual(T1);
    expect(answerOf(await get(app, '/keys', 'not a key'))).toEqual(R4);
  });
});

describe('a key without Bearer, of an apiKey scheme', () => {
  const apiKey = { type: 'apiKey', in: 'header', name: 'Authorization' };
  const app = appOf(
    documentOf(
      {
        '/required': { get: asking([{ secretKey: [] }]) },
        '/optional': { get: asking([{ secretKey: [] }, {}]) },
        '/either': { get: asking([{ secretKey: ['a:x'] }, { secretKey: ['b:y'] }]) },
        '/http': { get: asking([{ accessToken: [] }]) },
      },
      { components: { securitySchemes: { ...SCHEMES, secretKey: apiKey } } },
    ),
  );
  const send = (path: string) => request(app).get(path).set('Authorization', secretKey);

  it.each(['/required', '/optional', '/either'])('is accepted at %s', async (path) => {
    expect((await send(path)).body).toEqual({ kind: 'secret' });
  });

  it('is not accepted where only a token is required', async () => {
    expect((await send('/http')).status).toBe(401);
  });

  it.each([
    ['/plain', '/bearer'],
    ['/bearer', '/plain'],
  ])(
    'is accepted only by operations of that scheme, if its verifier has an http scheme too: %s, %s',
    async (...paths) => {
      const asked = { '/plain': asking([{ plain: [] }]), '/bearer': asking([{ bearer: [] }]) };
      const document = documentOf(
        Object.fromEntries(paths.map((path) => [path, { get: asked[path as keyof typeof asked] }])),
        { components: { securitySchemes: { plain: apiKey, bearer: SCHEMES.secretKey } } },
      );
      const both = appOf(document, { plain: keys, bearer: keys });
      const statusOf = async (path: string, authorization: string) =>
        (await request(both).get(path).set('Authorization', authorization)).status;
      expect([await statusOf('/plain', secretKey), await statusOf('/bearer', secretKey)]).toEqual([200, 401]);
      for (const path of paths) expect(await statusOf(path, `Bearer ${secretKey}`)).toBe(200);
    },
  );
});

describe('a principal that a custom verifier made', () => {
  const verifying = (principal: object) => ({
    kinds: ['secret'] as const,
    verify: () => ({ outcome: 'accepted', principal: { ...stub, kind: 'secret', ...principal } }),
  });
  const answersOf = async (principal: object) => {
    const paths = {
      '/plain': { get: asking([{ secretKey: ['a:x'] }]) },
      '/either': { get: asking([{ secretKey: ['a:x'] }, { accessToken: ['b:y'] }]) },
    };
    const app = appOf(documentOf(paths), { accessToken: tokens, secretKey: verifying(principal) });
    return [await get(app, '/plain', 'something'), await get(app, '/either', 'something')].map(({ status }) => status);
  };

  it('is validated, also if an operation has several alternatives', async () => {
    expect(await answersOf({ scopes: ['a:x'] })).toEqual([200, 200]);
    for (const wrong of [{ scopes: 'a:x' }, { scopes: ['a:x'], channels: 'pc_1' }, { scopes: ['a:x'], kind: 'root' }])
      expect(await answersOf(wrong)).toEqual([503, 503]);
  });

  it.each(['/plain', '/either'])('is cleared if its scopes cannot be checked: %s', async (path) => {
    const apiMap = {
      apisOf() {
        throw new RangeError('no apis');
      },
    };
    const paths = {
      '/plain': { get: asking([{ secretKey: ['a:x'] }]) },
      '/either': { get: asking([{ secretKey: ['a:x'] }, { accessToken: ['b:y'] }]) },
    };
    const app = express();
    app.use(
      openApiGate(documentOf(paths), {
        schemes: { ...schemes, secretKey: verifying({ scopes: 'all', apiMap }) } as never,
      }),
    );
    const ignore: ErrorRequestHandler = (error, req, res, _next) => {
      res.json({ error: error.message, auth: (req as { auth?: unknown }).auth ?? null });
    };
    expect((await get(app.use(ignore), path, 'something')).body).toEqual({ error: 'no apis', auth: null });
  });
});

describe('several gates of one app', () => {
  const gateOf = (security: unknown, given: object, securitySchemes: object = onlyKeys.components.securitySchemes) =>
    openApiGate(documentOf({ '/x': { get: asking(security) } }, { components: { securitySchemes } }), {
      schemes: given as typeof schemes,
    });

  it('each have the principal that they accepted', async () => {
    const named = (keyId: string) => ({
      verify: () => ({ outcome: 'accepted', principal: { ...stub, kind: 'secret', scopes: [], keyId } }),
    });
    const [first, second, open] = [
      gateOf([{ secretKey: [] }], { secretKey: named('key_1') }),
      gateOf([{ secretKey: [] }], { secretKey: named('key_2') }),
      gateOf([], {}, {}),
    ];
    const app = express().use(first, second, open);
    app.get('/x', (req, res) => void res.json([first, second, open].map((gate) => gate.principal(req)?.keyId)));
    expect((await get(app, '/x', 'something')).body).toEqual(['key_1', 'key_2', 'key_2']);
  });

  it('a refusal of a later one clears the principal of an earlier one', async () => {
    const seen: unknown[] = [];
    const note: ErrorRequestHandler = (error, req, res, _next) => {
      seen.push((req as { auth?: unknown }).auth);
      res.sendStatus(error.status);
    };
    const secured = { securitySchemes: SCHEMES };
    const either = [{ secretKey: ['b:y'] }, { accessToken: ['a:x'] }];
    const app = express().use(requireBearer({ accept: [keys] }));
    app.use(
      openApiGate(documentOf({ '/x': { get: asking(either) } }, { components: secured }), { schemes }),
      (_req, res) => void res.json({}),
    );
    app.use(note);
    expect((await get(app, '/other', secretKey)).status).toBe(404);
    expect((await get(app, '/x', kit.secretKey({ scopes: ['c:z'] }))).status).toBe(403);
    expect(seen).toEqual([undefined, undefined]);
  });
});

describe('the events of refusals', () => {
  const heard = eavesdrop();
  afterAll(() => heard.stop());
  const decisions = () =>
    heard
      .heard<{ by: string; code: string; reason: string }>('keyward:decision')
      .filter(({ by }) => by === 'openApiGate');

  it('say whether a request has no operation, or its route is unknown', async () => {
    const app = express();
    app.use((req, _res, next) => {
      if (req.url === '/rewritten') req.url = '/x';
      next();
    });
    app.use(
      openApiGate(documentOf({ '/x': { get: asking([{ secretKey: [] }]) } }, onlyKeys), {
        schemes: { secretKey: keys },
      }),
    );
    app.use(quiet);
    heard.clear();
    for (const path of ['/none', '/rewritten'])
      expect((await get(app, path)).body).toEqual({ code: 'undocumented_operation' });
    const refused = { outcome: 'refused', code: 'undocumented_operation' };
    expect(decisions()).toEqual([
      expect.objectContaining({ ...refused, reason: 'undocumented_operation' }),
      expect.objectContaining({ ...refused, reason: 'unknown_route' }),
    ]);
  });

  it('say whether a scope or the client certificate is missing', async () => {
    const accessToken = {
      kinds: ['access'],
      confirmation: { mtls: { required: false } },
      verify: () => ({ outcome: 'accepted', principal: { ...stub, kind: 'access', scopes: ['a:x'], clientId: 'c' } }),
    };
    const document = documentOf(
      {
        '/scope': { get: asking([{ accessToken: ['b:y'] }, { secretKey: [] }]) },
        '/bound': { get: asking([{ accessToken: ['a:x'], mtls: [] }]) },
      },
      { components: { securitySchemes: { ...SCHEMES, mtls: { type: 'mutualTLS' } } } },
    );
    const app = appOf(document, { ...schemes, accessToken, mtls: 'mutualTLS' });
    heard.clear();
    await get(app, '/scope', 'something');
    await get(app, '/bound', 'something');
    expect(decisions()).toEqual([
      expect.objectContaining({ code: 'insufficient_scope', reason: 'scope' }),
      expect.objectContaining({ code: 'invalid_token', reason: 'confirmation' }),
    ]);
  });
});

describe('two schemes in one alternative', () => {
  const mutual = { components: { securitySchemes: { ...SCHEMES, mtls: { type: 'mutualTLS' } } } };
  const build = (security: unknown, given: object) =>
    faultOf(() =>
      appOf(documentOf({ '/x': { get: asking(security), post: asking([{ secretKey: [] }]) } }, mutual), given),
    );

  it('O04 two schemes in one alternative are a TypeError with the pointer', () => {
    const fault = build(
      [
        { accessToken: [], mtls: [] },
        { accessToken: [], secretKey: [] },
      ],
      { ...schemes, accessToken: proving, mtls: 'mutualTLS' },
    );
    expect(fault).toMatch(
      /^TypeError: .*#\/paths\/~1x\/get\/security\/1: a security requirement must name exactly one scheme/,
    );
  });

  it('O04 only mutualTLS is a TypeError too', () => {
    const fault = build([{ mtls: [] }, { accessToken: [] }], { ...schemes, mtls: 'mutualTLS' });
    expect(fault).toMatch(/#\/paths\/~1x\/get\/security\/0: /);
  });

  it('O04 mutualTLS with a verifier that checks no certificates is a TypeError too', () => {
    const plain = accessTokens({ issuer: 'https://login.example', audience: 'api' });
    const fault = build([{ accessToken: [], mtls: [] }], { ...schemes, accessToken: plain, mtls: 'mutualTLS' });
    expect(fault).toMatch(
      /#\/paths\/~1x\/get\/security\/0: the verifier that is combined with mutualTLS does not check client certificates/,
    );
  });

  it('O04 mutualTLS has no scopes', () => {
    const given = { ...schemes, accessToken: proving, mtls: 'mutualTLS' };
    expect(build([{ accessToken: [], mtls: ['x'] }], given)).toMatch(
      /security\/0: a mutualTLS scheme cannot have scopes/,
    );
  });

  const principal = (confirmation: unknown) => ({
    ...stub,
    kind: 'access',
    scopes: ['a:x'],
    clientId: 'key_1',
    confirmation,
  });
  const confirmed: Record<string, unknown> = { bound: 'mtls', dpop: 'dpop', bare: undefined };
  const proving = {
    kinds: ['access'],
    confirmation: { mtls: { required: false } },
    verify: (credential: { reveal(): string }) => ({
      outcome: 'accepted',
      principal: principal(confirmed[credential.reveal()]),
    }),
  };

  it('O04 with mutualTLS both must be proven', async () => {
    const security = [{ accessToken: ['a:x'], mtls: [] }];
    const app = appOf(documentOf({ '/x': { get: asking(security), post: asking([{ secretKey: [] }]) } }, mutual), {
      ...{ ...schemes, accessToken: proving, mtls: 'mutualTLS' },
    });
    expect((await get(app, '/x', 'bound')).status).toBe(200);
    for (const other of ['dpop', 'bare']) {
      expect(answerOf(await get(app, '/x', other)).challenge).toContain('error="invalid_token"');
    }
  });

  it('O04 with mutualTLS a token of accessTokens needs its certificate', async () => {
    const signer = createKey('ES256');
    const certificateOf = ({ headers }: IncomingMessage) => {
      const certificate = headers['x-certificate'];
      return certificate === undefined ? undefined : Buffer.from(String(certificate));
    };
    const accessToken = accessTokens({
      ...{ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(signer), clock: createManualClock() },
      ...{ mtls: { certificateOf }, dpop: { origin: 'https://api.test' } },
    });
    const security = [{ accessToken: [], mtls: [] }];
    const app = appOf(documentOf({ '/x': { get: asking(security), post: asking([{ secretKey: [] }]) } }, mutual), {
      ...{ ...schemes, accessToken, mtls: 'mutualTLS' },
    });
    const x5t = createHash('sha256').update('certificate').digest('base64url');
    const bound = forge(signer, { cnf: { 'x5t#S256': x5t } });
    const send = async (text: string, certificate: string) =>
      (await request(app).get('/x').set('Authorization', `Bearer ${text}`).set('X-Certificate', certificate)).status;
    expect([await send(bound, 'certificate'), await send(bound, 'other')]).toEqual([200, 401]);
    expect([await send(forge(signer), 'certificate'), (await get(app, '/x', bound)).status]).toEqual([401, 401]);
  });

  it('O04 with mutualTLS a token that proves both, key pair and certificate, is accepted', async () => {
    const both = { ...principal('dpop'), payload: { cnf: { jkt: 'a', 'x5t#S256': 'b' } } };
    const confirmation = { ...proving.confirmation, dpop: { algorithms: ['ES256'], required: false } };
    const accessToken = { ...proving, confirmation, verify: () => ({ outcome: 'accepted', principal: both }) };
    const security = [{ accessToken: [], mtls: [] }];
    const app = appOf(documentOf({ '/x': { get: asking(security), post: asking([{ secretKey: [] }]) } }, mutual), {
      ...{ ...schemes, accessToken, mtls: 'mutualTLS' },
    });
    expect((await request(app).get('/x').set('Authorization', 'DPoP token')).status).toBe(200);
  });
});

describe('verifiers with properties of their own', () => {
  it('a verifier of the rest is asked last, whatever the order of the alternatives is', async () => {
    const components = { securitySchemes: { opaque: SCHEMES.secretKey, secretKey: SCHEMES.secretKey } };
    const paths = {
      '/same': { get: asking([{ opaque: [] }, { secretKey: [] }]) },
      '/other': { get: asking([{ opaque: ['pets'] }, { secretKey: [] }]) },
    };
    const app = appOf(documentOf(paths, { components }), { opaque: kit.introspection().verifier, secretKey: keys });
    for (const path of ['/same', '/other']) expect((await get(app, path, secretKey)).body).toEqual({ kind: 'secret' });
  });

  it('a verifier of a class may read its private fields', async () => {
    class Verifier implements CredentialVerifier {
      readonly #kinds = ['secret'] as const;
      readonly #inner = keys;
      get kinds() {
        return this.#kinds;
      }
      verify(credential: Parameters<CredentialVerifier['verify']>[0]) {
        return this.#inner.verify(credential);
      }
    }
    const paths = { '/pets': { get: asking([{ secretKey: [] }, { accessToken: ['pets'] }]) } };
    const app = appOf(documentOf(paths), { accessToken: tokens, secretKey: new Verifier() });
    expect((await get(app, '/pets', secretKey)).body).toEqual({ kind: 'secret' });
    expect((await get(app, '/pets', kit.publicKey())).status).toBe(401);
  });
});

describe('a key without a scheme at an open operation', () => {
  it('is the credential of the request, if an earlier gate accepted it', async () => {
    const paths = { '/open': { get: asking([]) }, '/pets': { get: asking([{ accessToken: [] }]) } };
    const components = { securitySchemes: { accessToken: SCHEMES.accessToken } };
    const app = express().use(requireBearer({ accept: [keys], allowSchemeless: true }));
    app.use(openApiGate(documentOf(paths, { components }), { schemes: { accessToken: tokens } }));
    app.get('/open', (req, res) => void res.json({ credential: credentialOf(req) }));
    app.use(quiet);
    const { body } = await request(app).get('/open').set('Authorization', secretKey);
    expect(body).toEqual({ credential: secretKey });
  });
});
