import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import express, { type Express, type RequestHandler } from 'express';
import { bearerErrors, defineGuard, requireApi, requireBearer, requireScopes } from 'keyward';
import request from 'supertest';
import { challengeScopesOf } from '../../../lib/express/gate/challenge-scopes.js';
import type { GateMetadata } from '../../../lib/express/route-metadata.js';
import { handler } from '../../support/audited.js';
import { requestOf } from '../../support/passage.js';
import { keyPrincipal } from '../../support/principals.js';
import { acceptingVerifier, DECLINING } from '../../support/stub-verifier.js';

/** The metadata of a gate that is not mounted. */
const GATE = {} as GateMetadata;

const passing = (scopesOf: (req: IncomingMessage) => unknown) =>
  defineGuard({ name: 'rule', check: () => true, scopesOf: scopesOf as () => readonly string[] });

/** The scopes that are found at the start of a request, when no other handler has run. */
async function scopesAt(mount: (app: Express) => unknown, path = '/x', method: 'get' | 'head' | 'post' = 'get') {
  const app = express();
  let found: readonly string[] | undefined;
  const first: RequestHandler = (req, res) => {
    found = challengeScopesOf(req, GATE);
    res.end();
  };
  app.use(first);
  mount(app);
  await request(app)[method](path);
  return found;
}

describe('the scopes on the route of a request', () => {
  const [a, b, c] = [requireScopes('a'), requireScopes('b'), requireScopes('c')];

  it.each<[string, (app: Express) => unknown, readonly string[]]>([
    ['no route', () => {}, []],
    ['a route without guards', (app) => app.get('/x', handler), []],
    ['a guard of the route', (app) => app.get('/x', a, handler), ['a']],
    ['several guards, in order', (app) => app.use(b).get('/x', c, a, handler), ['b', 'c', 'a']],
    ['a gate', (app) => app.get('/x', requireBearer({ accept: [DECLINING], scopes: ['g'] }), handler), ['g']],
    ['a guard of another path', (app) => app.use('/y', a).get('/y', b, handler).get('/x', c, handler), ['c']],
    ['a guard of another method', (app) => app.post('/x', a, handler).get('/x', b, handler), ['b']],
    ['a route of all methods', (app) => app.all('/x', a, handler), ['a']],
    ['the first of two routes', (app) => app.get('/x', a, handler).get('/x', b, handler), ['a']],
    ['a guard after the route', (app) => app.get('/x', a, handler).use(b), ['a']],
    ['a guard without a route', (app) => app.use(a), []],
    ['a guard that decides otherwise', (app) => app.get('/x', requireApi('a'), handler), []],
    ['a guard after one that decides otherwise', (app) => app.get('/x', requireApi('a'), b, handler), ['b']],
  ])('%s', async (_name, mount, scopes) => {
    expect(await scopesAt(mount)).toEqual(scopes);
  });

  it.each<[string, (inner: express.Router) => unknown, string, readonly string[]]>([
    ['at its path', (inner) => inner.get('/', a, handler), '/r', ['o', 'a']],
    ['at a path below', (inner) => inner.use(b).get('/x', a, handler), '/r/x', ['o', 'b', 'a']],
    ['with a parameter', (inner) => inner.get('/:id', a, handler), '/r/7', ['o', 'a']],
    ['at another path', (inner) => inner.get('/y', a, handler), '/r/x', ['o', 'l']],
  ])('in a router, %s', async (_name, fill, path, scopes) => {
    const inner = express.Router();
    fill(inner);
    const mount = (app: Express) =>
      app.use('/r', requireScopes('o'), inner).use(requireScopes('l')).get('/r/x', handler);
    expect(await scopesAt(mount, path)).toEqual(scopes);
  });

  it('in a router at each path', async () => {
    const inner = express.Router().get('/x', a, handler);
    expect(await scopesAt((app) => app.use(b, inner))).toEqual(['b', 'a']);
  });

  it.each<[string, (app: Express) => unknown, readonly string[]]>([
    ['of a route for GET', (app) => app.get('/x', a, handler), ['a']],
    ['of a router', (app) => app.use(express.Router().get('/x', a, handler)).get('/x', b, handler), ['a']],
    ['of the first of two routes', (app) => app.get('/x', a, handler).head('/x', b, handler), ['a']],
    ['of a route for GET and HEAD', (app) => app.route('/x').get(a, handler).head(b, handler), ['b']],
    ['of a route of all methods', (app) => app.route('/x').all(a).get(b, handler), ['a', 'b']],
    ['not of a route for POST', (app) => app.post('/x', a, handler).use(b), []],
  ])('of a HEAD request, %s', async (_name, mount, scopes) => {
    expect(await scopesAt(mount, '/x', 'head')).toEqual(scopes);
  });

  describe('in an app that is mounted after the gate, are not known', () => {
    const inner = () => express().get('/x', a, handler);

    it.each<[string, (app: Express) => unknown]>([
      ['if it has the route', (app) => app.use(b, inner()).get('/x', c, handler)],
      ['if it has no route', (app) => app.use(express()).get('/x', c, handler)],
      ['if a router mounts it', (app) => app.use(express.Router().use(inner())).get('/x', c, handler)],
      ['if another function follows it', (app) => app.use(inner()).use(b).get('/x', c, handler)],
    ])('%s', async (_name, mount) => {
      expect(await scopesAt(mount)).toEqual([]);
    });

    it('but those of a route before it are, and those beside its path', async () => {
      expect(await scopesAt((app) => app.get('/x', c, handler).use(inner()))).toEqual(['c']);
      expect(await scopesAt((app) => app.use('/m', inner()).get('/x', c, handler))).toEqual(['c']);
    });
  });

  describe('after an app that has passed the request on', () => {
    const gate = requireBearer({ accept: [acceptingVerifier(keyPrincipal({ scopes: [] }))], scopes: ['g'] });
    const challengeOf = async (app: Express, path: string) => {
      app.use(bearerErrors());
      const { headers } = await request(app).get(path).set('Authorization', 'Bearer abc').expect(403);
      return /scope="([^"]*)"/.exec(headers['www-authenticate'] ?? '')?.[1];
    };

    it('are known, at a path and at a route', async () => {
      const app = () => express().use(express());
      expect(await challengeOf(app().use(gate).get('/x', a, handler), '/x')).toBe('g a');
      expect(await challengeOf(app().get('/x', gate, a, handler), '/x')).toBe('g a');
      expect(await challengeOf(app().use(express.Router().use(gate).get('/x', a, handler)), '/x')).toBe('g a');
    });

    it('in another app are those of this app', async () => {
      const inner = express().use(gate).get('/:id', a, handler).get('/:type/:id', b, handler);
      expect(await challengeOf(express().use(express()).use('/m', inner), '/m/7')).toBe('g a');
      expect(await challengeOf(express().use(express()).use('/M/', inner), '/m/7')).toBe('g a');
    });
  });

  describe('in a mounted app that has the gate', () => {
    /** The scopes that are found in an app in an app, at `/m/i`. */
    async function scopesInside(fill: (inner: Express) => unknown, around: (app: Express, middle: Express) => unknown) {
      let found: readonly string[] | undefined;
      const inner = express().use((req, res) => {
        found = challengeScopesOf(req, GATE);
        res.end();
      });
      fill(inner);
      const gate = requireBearer({ accept: [DECLINING], optional: true, scopes: ['g'] });
      const [app, middle] = [express().use(gate), express()];
      app.use('/m', middle.use('/i', inner));
      around(app, middle);
      await request(app).get('/m/i/x');
      return found;
    }

    it('are those of its route, and of the apps around it', async () => {
      const found = await scopesInside(
        (inner) => inner.use(b).get('/x', c, handler),
        (app) => app.get('/m/i/x', requireScopes('l'), handler),
      );
      expect(found).toEqual(['g', 'b', 'c']);
    });

    it('are those of a later route of the app around it, if it has no route', async () => {
      const found = await scopesInside(
        (inner) => inner.get('/y', b, handler),
        (app, middle) => {
          middle.use(b);
          app.get('/m/i/x', c, handler);
        },
      );
      expect(found).toEqual(['g', 'b', 'c']);
    });

    it('are not known if another mounted app may have the route', async () => {
      const found = await scopesInside(
        (inner) => inner.get('/y', b, handler),
        (app) => app.use('/m/i', express().get('/x', b, handler)).get('/m/i/x', c, handler),
      );
      expect(found).toEqual([]);
    });

    it('are not known if another app at the same path may have the route', async () => {
      const found = await scopesInside(
        (inner) => inner.get('/y', b, handler),
        (app) => app.use('/m', express().get('/i/x', b, handler)).get('/m/i/x', c, handler),
      );
      expect(found).toEqual([]);
    });
  });

  it('of the request as it was sent, not of the rest of its path', async () => {
    const mount = (app: Express) => app.get('/x', a, handler).get('/y', b, handler);
    expect(await scopesAt(mount, '/y?path=/x')).toEqual(['b']);
    expect(await scopesAt(mount, '/y', 'post')).toEqual([]);
  });
});

describe('scopes that depend on the request', () => {
  it('are those for this request', async () => {
    const guard = passing((req) => [`m:${req.method}`]);
    expect(await scopesAt((app) => app.get('/x', guard, handler))).toEqual(['m:GET']);
  });

  it.each<[string, () => unknown, readonly string[]]>([
    ['no list', () => 'a', []],
    ['values that are no scopes', () => ['a', 'b c', 7, ''], ['a']],
    ['a promise that rejects', () => Promise.reject(new Error('late')), []],
    [
      'an error',
      () => {
        throw new Error('no');
      },
      [],
    ],
  ])('are left out if a guard returns %s', async (_name, scopesOf, scopes) => {
    expect(await scopesAt((app) => app.get('/x', passing(scopesOf), handler))).toEqual(scopes);
  });
});

it('are not known without Express', () => {
  expect(challengeScopesOf(requestOf({ url: '/x' }), GATE)).toEqual([]);
  expect(challengeScopesOf(requestOf({ originalUrl: '/x', app: { router: 7 } }), GATE)).toEqual([]);
});

it('are those at the path / if the request has no original URL', () => {
  const paths: string[] = [];
  const match = (path: string) => {
    paths.push(path);
    return false;
  };
  challengeScopesOf(requestOf({ url: '/x', app: { router: { stack: [{ match }] } } }), GATE);
  expect(paths).toEqual(['/']);
});
