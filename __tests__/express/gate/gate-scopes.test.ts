import { describe, expect, it } from '@jest/globals';
import express, { type Express } from 'express';
import {
  apiMap,
  bearerErrors,
  type CredentialVerifier,
  type Guard,
  type Principal,
  requireAny,
  requireApi,
  requireBearer,
  requireChannel,
  requireScopes,
} from 'keyward';
import request from 'supertest';
import { answerOf, R4, S3, T1, U0 } from '../../support/answers.js';
import { handler } from '../../support/audited.js';
import { keyPrincipal, tokenPrincipal } from '../../support/principals.js';

/** Accepts a credential that lists scopes, `a+read.b` for `a:read` and `b`, as a token or a key that holds them. */
function verifierWith(make: (scopes: readonly string[]) => Principal): CredentialVerifier {
  return {
    verify(credential) {
      const text = credential.reveal();
      if (text === 'bad') return { outcome: 'refused', reason: 'unknown' };
      return { outcome: 'accepted', principal: make(text === 'none' ? [] : text.replaceAll('+', ':').split('.')) };
    },
  };
}

const tokens = verifierWith((scopes) => tokenPrincipal({ scopes }));
const keys = verifierWith((scopes) => keyPrincipal({ scopes: scopes.includes('all') ? 'all' : scopes }));
const gate = requireBearer({ accept: [tokens], scopes: ['a'] });

async function ask(app: Express, credential: string | undefined, path = '/x') {
  const asked = request(app).get(path);
  if (credential !== undefined) asked.set('Authorization', `Bearer ${credential}`);
  return answerOf(await asked);
}

const served = (mount: (app: Express) => unknown) => {
  const app = express();
  mount(app);
  return app.use(bearerErrors());
};
const lacking = (scope: string) => ({ status: 403, challenge: `${S3.challenge}, scope="${scope}"` });

/** Where a gate and a guard stand before one route. */
const MOUNTS: Record<string, (app: Express, guard: Guard) => unknown> = {
  'both in the route': (app, guard) => app.get('/x', gate, guard, handler),
  'the gate before the route': (app, guard) => app.use(gate).get('/x', guard, handler),
  'both before the route': (app, guard) => app.use('/x', gate, guard).get('/x', handler),
  'a router behind the gate': (app, guard) => app.use(gate).use(express.Router().get('/x', guard, handler)),
  'a router that holds both': (app, guard) => app.use('/', express.Router().use(gate).get('/x', guard, handler)),
  'a guard before the router of the route': (app, guard) =>
    app.use('/x', gate, guard, express.Router().get('/', handler)),
};

describe('a gate that requires scopes', () => {
  it.each(Object.entries(MOUNTS))('R06 with a guard that requires another, %s', async (_name, mount) => {
    const app = served((made) => {
      made.get('/other', requireScopes('c'), handler);
      made.post('/x', requireScopes('c'), handler);
      mount(made, requireScopes('b'));
    });
    for (const credential of ['none', 'a', 'b', 'c']) expect(await ask(app, credential)).toEqual(lacking('a b'));
    expect(await ask(app, 'a.b')).toEqual({ status: 200, challenge: undefined });
  });

  it('names only its own scopes if no route matches the request', async () => {
    expect(
      await ask(
        served((app) => app.use(gate)),
        'none',
        '/nowhere',
      ),
    ).toEqual(lacking('a'));
  });

  it('names each scope once, those of the gate first, and those of every gate on the route', async () => {
    const app = served((made) => made.get('/x', gate, requireScopes('b', 'a'), gate, handler));
    expect(await ask(app, 'b')).toEqual(lacking('a b'));
  });

  it('does not affect guards that name no scopes', async () => {
    const app = served((made) => made.get('/x', gate, requireApi('payments'), handler));
    expect(await ask(app, 'a')).toEqual(S3);
  });

  it('names its scopes in every 401, but in no 400', async () => {
    const app = served((made) => made.get('/x', gate, handler));
    expect(await ask(app, undefined)).toEqual({ ...U0, challenge: `${U0.challenge}, scope="a"` });
    expect(await ask(app, 'bad')).toEqual({ ...T1, challenge: `${T1.challenge}, scope="a"` });
    expect(await ask(app, 'b c')).toEqual(R4);
  });

  const optional = requireBearer({ accept: [keys], scopes: ['a:read', 'b'], optional: true });
  it.each([
    ['no credential passes without a principal', undefined, 200],
    ['a key that lists them passes', 'a+read.b', 200],
    ['a key with all scopes of its APIs passes', 'all', 200],
    ['a key that lists one is refused', 'b', 403],
    ['a key that lists a longer one is refused', 'a+read+all.b', 403],
  ])('R07 behind optional: %s', async (_name, credential, status) => {
    const app = served((made) =>
      made.get('/x', optional, (req, res) => void res.json(optional.principal(req) ?? null)),
    );
    expect((await ask(app, credential)).status).toBe(status);
  });

  it('R07 a key with all scopes of one API lacks those of others', async () => {
    const map = apiMap({ a: ['a:read'] });
    const limited = {
      verify: () => ({ outcome: 'accepted', principal: keyPrincipal({ apis: ['a'], apiMap: map }) }) as const,
    };
    const app = served((made) =>
      made.get('/x', requireBearer({ accept: [limited], scopes: ['a:read', 'b'] }), handler),
    );
    expect(await ask(app, 'key')).toEqual(lacking('a:read b'));
  });

  it.each([[[]], [['']], [['a b']], ['a'], [[1]], [null]])('throws at the start for scopes: %j', (scopes) => {
    const message =
      'requireBearer: option "scopes" must be a list of one or more scopes that consist of ASCII characters other than spaces, double quotes and backslashes (RFC 6749 section 3.3)';
    const make = () => requireBearer({ accept: [tokens], scopes: scopes as never });
    if (scopes === null) expect(make).toThrow(TypeError);
    else expect(make).toThrow(message);
  });

  it('works with guards that do not decide by scope', async () => {
    const guard = requireAny(
      requireScopes('b'),
      requireChannel(() => 'web'),
    );
    const app = served((made) => made.get('/x', gate, guard, handler));
    expect(await ask(app, 'none')).toEqual(lacking('a'));
    expect((await ask(app, 'a')).status).toBe(200);
  });
});
