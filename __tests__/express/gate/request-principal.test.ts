import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import express, { type ErrorRequestHandler, type Express, type Request, type RequestHandler } from 'express';
import { authOf, credentialOf, requireBearer } from 'keyward';
import { createTestKit } from 'keyward/testing';
import request from 'supertest';
import { setPrincipal } from '../../../lib/express/gate/request-principal.js';
import { bearing, pass, requestOf } from '../../support/passage.js';
import { keyPrincipal, tokenPrincipal } from '../../support/principals.js';
import { acceptingVerifier, DECLINING } from '../../support/stub-verifier.js';

const principal = keyPrincipal();
const forged = keyPrincipal({ keyId: 'forged' });
const gate = requireBearer({ accept: [acceptingVerifier(principal)] });
const optional = requireBearer({ accept: [acceptingVerifier(principal)], optional: true });

const authIn = (req: object) => (req as { auth?: unknown }).auth;
const get = (app: Express, path = '/a/b') => request(app).get(path).set('Authorization', 'Bearer abc');

/** Notes what stands at req.auth, and passes on. */
function noting(into: unknown[]): RequestHandler {
  return (req, _res, next) => {
    into.push(authIn(req));
    next();
  };
}

const answer: RequestHandler = (req, res) => {
  res.json([authIn(req) === principal, authOf(req) === principal, Object.hasOwn(req, 'auth')]);
};

const BY_ACCESSOR = [true, true, false];
const BY_OWN_PROPERTY = [true, true, true];

const POLLUTED = ['auth', 'app', 'parent', 'request', 'earlier', 'gate'];
afterEach(() => {
  for (const name of POLLUTED) Reflect.deleteProperty(Object.prototype, name);
});
const pollute = (name: string, value: unknown) =>
  Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true });

describe('req.auth in Express', () => {
  it('is the principal, by an accessor on the request prototype of the app', async () => {
    const app = express();
    app.use(gate, answer);
    expect((await get(app)).body).toEqual(BY_ACCESSOR);
    expect((await get(app)).body).toEqual(BY_ACCESSOR);
    expect(Object.hasOwn(express().request, 'auth')).toBe(false);
  });

  it('is undefined without a gate, and behind an optional gate without a credential', async () => {
    const seen: unknown[] = [];
    const app = express();
    app.use('/a', noting(seen), gate, noting(seen), (_req, res) => res.end());
    app.use('/c', optional, noting(seen), (_req, res) => res.end());
    await get(app);
    await request(app).get('/c');
    expect(seen).toEqual([undefined, principal, undefined]);
  });

  it('is not stored for a request to an optional gate without a credential', async () => {
    const app = express();
    app.use(optional, (_req, res) => void res.end());
    await request(app).get('/');
    expect(Object.hasOwn(app.request, 'auth')).toBe(false);
  });

  it('in apps mounted two deep: behind a gate of the outermost', async () => {
    const [app, outer, inner] = [express(), express(), express()];
    app.use(gate);
    app.use('/a', outer);
    outer.use('/b', inner);
    inner.use(answer);
    expect((await get(app)).body).toEqual(BY_ACCESSOR);
  });

  it('in apps mounted two deep: behind a gate of the innermost, there and on the way back', async () => {
    const seen: unknown[] = [];
    const [app, outer, inner] = [express(), express(), express()];
    inner.use(gate, noting(seen));
    outer.use('/b', inner, noting(seen));
    app.use('/a', outer, answer);
    expect((await get(app)).body).toEqual(BY_ACCESSOR);
    expect(seen).toEqual([principal, principal]);
    expect(Object.hasOwn(inner.request, 'auth')).toBe(false);
  });

  it('a value of earlier code is replaced', async () => {
    const app = express();
    app.use((req, _res, next) => next(void Object.assign(req, { auth: forged })), gate, answer);
    expect((await get(app)).body).toEqual(BY_OWN_PROPERTY);
  });

  it('a value of earlier code is removed behind an optional gate without a credential', async () => {
    const seen: unknown[] = [];
    const app = express();
    app.use((req, _res, next) => next(void Object.assign(req, { auth: forged })), optional, noting(seen));
    await request(app).get('/');
    expect(seen).toEqual([undefined]);
  });

  it('a value of later code is kept, but authOf ignores it', async () => {
    const app = express();
    const seen: unknown[] = [];
    app.use(gate, (req, _res, next) => next(void Object.assign(req, { auth: forged })), noting(seen));
    app.use((req, res) => {
      res.json([authOf(req) === principal, Object.getOwnPropertyDescriptor(req, 'auth')]);
    });
    const own = { value: JSON.parse(JSON.stringify(forged)), writable: true, enumerable: true, configurable: true };
    expect((await get(app)).body).toEqual([true, own]);
    expect(seen).toEqual([forged]);
  });

  it('a second gate replaces a value that other code set in between', async () => {
    const app = express();
    app.use(gate, (req, _res, next) => next(void Object.assign(req, { auth: forged })), gate, answer);
    expect((await get(app)).body).toEqual(BY_OWN_PROPERTY);
  });

  it('an app with its own accessor keeps it', async () => {
    const app = express();
    Object.defineProperty(app.request, 'auth', { get: () => forged, configurable: true });
    app.use(gate, answer);
    expect((await get(app)).body).toEqual(BY_OWN_PROPERTY);
    expect(authIn(Object.create(app.request))).toBe(forged);
  });

  it('another package can redefine it', async () => {
    const app = express();
    app.use(gate, answer);
    await get(app);
    expect(Object.getOwnPropertyDescriptor(app.request, 'auth')).toMatchObject({
      configurable: true,
      enumerable: false,
    });
  });

  it('works on a server that creates its requests with the prototypes of the app', async () => {
    const app = express();
    class AppRequest extends IncomingMessage {}
    class AppResponse extends ServerResponse {}
    app.request = Object.setPrototypeOf(AppRequest.prototype, app.request);
    app.response = Object.setPrototypeOf(AppResponse.prototype, app.response);
    app.use(gate, answer);
    const server = createServer({ IncomingMessage: AppRequest, ServerResponse: AppResponse }, app);
    const answered = await request(server).get('/').set('Authorization', 'Bearer abc');
    expect(answered.body).toEqual(BY_ACCESSOR);
    expect((await request(server).get('/')).status).toBe(401);
  });

  it('a value that is set after a gate is visible to the next handler', async () => {
    const [app, inner] = [express(), express()];
    app.use('/a', inner);
    inner.use((req, _res, next) => next(void (req.query.forged && Object.assign(req, { auth: forged }))), gate, answer);
    const at = async (path: string) => (await get(app, path)).body;
    expect(await at('/a')).toEqual(BY_ACCESSOR);
    expect(await at('/a?forged=1')).toEqual(BY_OWN_PROPERTY);
    expect(await at('/a')).toEqual(BY_ACCESSOR);
    Object.defineProperty(inner.request, 'auth', { get: () => forged, configurable: true });
    expect(await at('/a')).toEqual(BY_OWN_PROPERTY);
    Reflect.deleteProperty(inner.request, 'auth');
    expect(await at('/a')).toEqual(BY_ACCESSOR);
    Object.defineProperty(app.request, 'auth', { get: () => forged, configurable: true });
    expect(await at('/a')).toEqual(BY_OWN_PROPERTY);
  });

  it('an accessor of another package is only called on its own requests', async () => {
    const app = express();
    Object.defineProperty(app.request, 'auth', {
      configurable: true,
      get(this: Request) {
        return this.headers.authorization;
      },
    });
    app.use(gate, answer);
    expect((await get(app)).body).toEqual(BY_OWN_PROPERTY);
    expect((await get(app)).body).toEqual(BY_OWN_PROPERTY);
  });

  it('works with a frozen request', async () => {
    const req = Object.freeze(Object.setPrototypeOf(bearing('abc'), express().request));
    expect((await pass(req, gate)).passed).toBe(true);
    expect(authIn(req)).toBe(principal);
  });
});

describe('a gate that refuses', () => {
  const refusing = requireBearer({ accept: [DECLINING] });

  it.each([
    ['that a gate before it accepted', [gate, refusing], {}],
    ['what earlier code put there', [refusing], { auth: forged }],
  ])('clears %s, in case an error handler ignores the refusal', async (_name, gates, members) => {
    const { req, passed } = await pass(bearing('abc', members), ...gates);
    expect([passed, authIn(req)]).toEqual([false, undefined]);
    expect(() => authOf(req)).toThrow('requireBearer has not accepted this request');
  });

  it('leaves an ordinary own property, so that a later gate can accept the request', async () => {
    const { req } = await pass(bearing('abc', { auth: forged }), refusing);
    const own = { value: undefined, writable: true, enumerable: true, configurable: true };
    expect(Object.getOwnPropertyDescriptor(req, 'auth')).toEqual(own);
    expect((await pass(req, gate)).passed).toBe(true);
    expect(authIn(req)).toBe(principal);
  });

  it('clears it in Express too, where it is not an own property', async () => {
    const seen: unknown[] = [];
    const app = express();
    app.use(gate, refusing);
    app.use(((_error, req, res, _next) => {
      seen.push(authIn(req), Object.hasOwn(req, 'auth'));
      res.end();
    }) as ErrorRequestHandler);
    await get(app);
    expect(seen).toEqual([undefined, false]);
  });

  it('still refuses if it cannot clear it', async () => {
    const req = Object.defineProperty(bearing('abc'), 'auth', { value: forged });
    expect((await pass(req, refusing)).error).toMatchObject({ code: 'invalid_token' });
  });

  it('adds nothing to a request without a value', async () => {
    expect('auth' in (await pass(bearing('abc'), refusing)).req).toBe(false);
  });
});

describe('req.auth without Express', () => {
  it('is an ordinary own property', async () => {
    const { req } = await pass(bearing('abc'), gate);
    const own = { value: principal, writable: true, enumerable: true, configurable: true };
    expect(Object.getOwnPropertyDescriptor(req, 'auth')).toEqual(own);
  });

  it.each([
    ['that has no app', {}],
    ['whose app has no request prototype', { app: {} }],
    ['whose app has an undefined parent', { app: { parent: undefined } }],
  ])('is an ordinary own property of a request %s', async (_name, members) => {
    const { req, passed } = await pass(bearing('abc', members), gate);
    expect([passed, Object.getOwnPropertyDescriptor(req, 'auth')?.value]).toEqual([true, principal]);
  });

  it.each([
    ['frozen', () => Object.freeze(bearing('abc'))],
    ['fixed there', () => Object.defineProperty(bearing('abc'), 'auth', { value: forged })],
  ])('a request that is %s does not pass', async (_name, make) => {
    const { passed, error } = await pass(make(), gate);
    expect([passed, error]).toEqual([false, expect.any(TypeError)]);
  });
});

describe('a polluted Object.prototype', () => {
  it.each([
    ['auth', forged],
    ['auth', undefined],
    ['parent', { request: {} }],
    ['parent', 'x'],
    ['app', {}],
    ['app', { request: {} }],
    ['request', {}],
  ])('%s: %j, with Express and without', async (name, value) => {
    pollute(name, value);
    const app = express();
    app.use(gate, answer);
    const plain = await pass(bearing('abc'), gate);
    const inExpress = (await get(app)).body;
    expect([inExpress, authIn(plain.req)]).toEqual([BY_ACCESSOR, principal]);
  });

  it.each(['earlier', 'gate'])('%s is not the context of a request with a cached credential', async (name) => {
    const kit = createTestKit();
    const accept = [kit.keys('secret')];
    const [named, other] = [requireBearer({ accept }), requireBearer({ accept })];
    const key = kit.secretKey();
    await pass(bearing(key), named);
    const context = { gate: other['keyward.gate'], principal: forged };
    pollute(name, name === 'earlier' ? context : other['keyward.gate']);
    const { req } = await pass(bearing(key), named);
    expect(() => other.principal(req)).toThrow('has not accepted the request');
    expect(named.principal(req)).toBe(authOf(req));
  });

  it.each([[gate], [optional]])('auth is not treated as a principal without a credential', async (behind) => {
    pollute('auth', forged);
    const { req } = await pass(requestOf(), behind);
    expect(() => authOf(req)).toThrow();
  });

  it('auth is hidden behind an optional gate without a credential', async () => {
    pollute('auth', forged);
    const { req } = await pass(requestOf(), optional);
    expect(authIn(req)).toBeUndefined();
  });
});

describe('setPrincipal', () => {
  it('does not store the entry of another principal', () => {
    const req = requestOf();
    const entry = { principal: forged, gate: undefined };
    setPrincipal(req, gate['keyward.gate'], principal, entry);
    expect([authOf(req), gate.principal(req), authIn(req)]).toEqual([principal, principal, principal]);
  });
});

describe('authOf', () => {
  const NONE_RAN = 'keyward: requireBearer has not accepted this request; mount requireBearer before this handler';
  const NOTHING =
    'keyward: the request has no credential, and requireBearer is optional on this route; check that req.auth is not undefined before you call authOf or credentialOf';

  it.each([
    ['no gate ran', () => requestOf()],
    ['no credential was presented', async () => (await pass(requestOf(), optional)).req],
  ])('throws an error with a code if %s', async (_name, make) => {
    const req = await make();
    expect(() => authOf(req)).toThrow(expect.objectContaining({ code: 'gate_not_passed' }));
    expect(() => gate.principal(req)).toThrow(expect.objectContaining({ code: 'gate_not_passed' }));
  });

  it('throws a clear message if no gate ran, or a gate refused', async () => {
    expect(() => authOf(requestOf({ auth: forged }))).toThrow(new Error(NONE_RAN));
    const { req } = await pass(bearing('abc'), requireBearer({ accept: [DECLINING] }));
    expect(() => authOf(req)).toThrow(new Error(NONE_RAN));
  });

  it('throws a clear message if no credential was presented', async () => {
    const { req } = await pass(requestOf(), optional);
    expect(() => authOf(req)).toThrow(new Error(NOTHING));
    expect(() => credentialOf(req)).toThrow(new Error(NOTHING));
  });
});

describe('credentialOf', () => {
  it('reads the presented credential again', async () => {
    const { req } = await pass(requestOf({ headers: { authorization: 'bEARER   abc' } }), gate);
    expect(credentialOf(req)).toBe('abc');
  });

  it('reads a token in the scheme DPoP', async () => {
    const verifier = acceptingVerifier(tokenPrincipal({ confirmation: 'dpop' }), {
      confirmation: { dpop: { algorithms: ['ES256'], required: true } },
    });
    const { req } = await pass(
      requestOf({ headers: { authorization: 'DPoP abc' } }),
      requireBearer({ accept: [verifier] }),
    );
    expect(credentialOf(req)).toBe('abc');
  });

  it('reads a key without a scheme only if the gate accepts it', async () => {
    const bare = requireBearer({ accept: [acceptingVerifier(principal)], allowSchemeless: true });
    const { req } = await pass(requestOf({ headers: { authorization: 'sk_abc' } }), bare);
    expect(credentialOf(req)).toBe('sk_abc');
    const { req: other } = await pass(bearing('abc'), gate);
    other.headers.authorization = 'sk_abc';
    expect(() => credentialOf(other)).toThrow();
  });

  it('reads a key without a scheme if a gate that accepts it has set the same principal before', async () => {
    const bare = requireBearer({ accept: [acceptingVerifier(principal)], allowSchemeless: true });
    const { req } = await pass(requestOf({ headers: { authorization: 'sk_abc' } }), bare);
    req.headers.authorization = 'Bearer abc';
    await pass(req, gate);
    expect(credentialOf(req)).toBe('abc');
    req.headers.authorization = 'sk_abc';
    expect(credentialOf(req)).toBe('sk_abc');
    req.headers.authorization = 'Bearer abc';
    await pass(req, requireBearer({ accept: [acceptingVerifier(forged)] }));
    req.headers.authorization = 'sk_abc';
    expect(() => credentialOf(req)).toThrow(expect.objectContaining({ code: 'gate_not_passed' }));
  });

  it.each([
    ['undefined', undefined],
    ['malformed', 'Bearer'],
  ])('throws a clear message if the field is now %s', async (_name, authorization) => {
    const { req } = await pass(bearing('abc'), gate);
    Object.assign(req.headers, { authorization });
    expect(() => credentialOf(req)).toThrow(expect.objectContaining({ code: 'gate_not_passed' }));
    expect(() => credentialOf(req)).toThrow(
      new Error(
        'keyward: the Authorization header was removed or changed after requireBearer read it; call credentialOf before the header is changed',
      ),
    );
  });

  it('throws if no gate ran', () => {
    expect(() => credentialOf(bearing('abc'))).toThrow(/^keyward: requireBearer has not accepted this request;/);
  });
});
