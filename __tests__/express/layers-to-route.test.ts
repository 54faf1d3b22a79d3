import { describe, expect, it } from '@jest/globals';
import { type ExpressRequest, layersToRoute } from '../../lib/express/layers-to-route.js';
import { requestOf } from '../support/passage.js';

const everything = { match: () => ({ path: '' }) };
const layer = (handle: unknown, name = 'anonymous') => ({ ...everything, handle, name });
const routeFor = (method: string) => {
  const handler = { method, handle: () => {}, name: 'handler' };
  return { ...layer(undefined), route: { methods: { [method]: true }, stack: [handler] } };
};
const appWith = (stack: readonly object[], members: object = {}) => ({ router: { stack }, ...members });
const typesFor = (app: object, method = 'GET') =>
  [...layersToRoute(requestOf({ app }) as ExpressRequest, '/x', method)].map(({ type }) => type);

describe('the layers up to the route of a request', () => {
  it('are none without an app, or without a router', () => {
    expect([...layersToRoute(requestOf({}) as ExpressRequest, '/x', 'GET')]).toEqual([]);
    expect([typesFor({}), typesFor({ router: 7 })]).toEqual([[], []]);
  });

  it('end at the first route for the method', () => {
    const app = appWith([layer(() => {}), routeFor('post'), routeFor('get'), layer(() => {})]);
    expect([typesFor(app), typesFor(app, 'HEAD'), typesFor(app, 'post')]).toEqual([
      ['function', 'route'],
      ['function', 'route'],
      ['function', 'route'],
    ]);
    expect(typesFor(app, 'PUT')).toEqual(['function', 'function']);
  });

  it('begin in the outermost app, also if an app is its own parent', () => {
    const outer = appWith([layer(() => {}), layer(() => {}, 'mounted_app')]);
    const inner = appWith([routeFor('get')], { parent: outer });
    expect(typesFor(inner)).toEqual(['function', 'app', 'route']);
    Object.assign(outer, { parent: outer });
    expect(typesFor(inner)).toEqual(['function', 'app', 'route']);
  });

  it('begin in the app itself if only its prototype has a parent', () => {
    const outer = appWith([layer(() => {})]);
    const app = Object.assign(Object.create({ parent: outer }), appWith([routeFor('get')]));
    expect(typesFor(app)).toEqual(['route']);
  });

  it('end at a route in a router, and at one in an app', () => {
    const router = Object.assign(() => {}, { stack: [routeFor('get'), layer(() => {})] });
    const app = appWith([layer(router), layer(() => {})]);
    expect(typesFor(app)).toEqual(['function', 'route']);
    const outer = appWith([layer(() => {}, 'mounted_app'), layer(() => {})]);
    expect(typesFor({ ...app, parent: outer })).toEqual(['app', 'function', 'route']);
    const mounting = Object.assign(() => {}, { stack: [layer(() => {}, 'mounted_app')] });
    const around = appWith([layer(mounting), layer(() => {})]);
    expect(typesFor({ ...app, parent: around })).toEqual(['function', 'app', 'function', 'route']);
  });

  it('go on after a router without the route, and after an app without it', () => {
    const router = Object.assign(() => {}, { stack: [routeFor('post')] });
    const outer = appWith([layer(() => {}, 'mounted_app'), routeFor('get')]);
    expect(typesFor(appWith([layer(router)], { parent: outer }))).toEqual(['app', 'function', 'route']);
  });

  it('match the rest of the path after a router, also in Express 4', () => {
    const pathsIn = (members: object) => {
      const paths: string[] = [];
      const match = (path: string) => {
        paths.push(path);
        return false;
      };
      const router = Object.assign(() => {}, { stack: [{ match }] });
      typesFor(appWith([{ ...layer(router), ...members }]));
      return paths;
    };
    expect(pathsIn({ match: () => ({ path: '/x' }) })).toEqual(['/']);
    expect(pathsIn({ match: () => true, path: '/x' })).toEqual(['/']);
    expect(pathsIn({ match: () => true, path: undefined })).toEqual(['/x']);
  });

  it('are those of _router in Express 4, where router cannot be read', () => {
    const app = {
      lazyrouter: () => {},
      get router(): never {
        throw new Error("'app.router' is deprecated!");
      },
    };
    expect(typesFor(app)).toEqual([]);
    expect(typesFor(Object.assign(app, { _router: { stack: [routeFor('get')] } }))).toEqual(['route']);
  });

  it.each([
    ['its path', '/X/', true],
    ['the root', '/', false],
    ['another path', '/y', false],
    ['a longer path', '/x/y', false],
    ['a parameter', '/:id', true],
    ['a pattern after a path', '/y{/z}', true],
    ['a list', ['/y', '/x'], true],
  ])('are in the app that was entered if it is mounted at %s', (_name, mountpath, isKnown) => {
    const mount = { match: () => ({ path: '/x' }), handle: () => {}, name: 'mounted_app' };
    const app = appWith([routeFor('get')], { parent: appWith([mount]), mountpath });
    expect(typesFor(app)).toEqual(isKnown ? ['app', 'route'] : ['app']);
  });

  it('have an unknown app where a router mounts one, but not where a function only resembles one', () => {
    const [handle, set] = [() => {}, () => {}];
    const types = (members: object) => typesFor(appWith([layer(Object.assign(() => {}, members)), routeFor('get')]));
    expect(types({ handle, set })).toEqual(['app', 'route']);
    for (const members of [{ handle }, { set }, { handle: 1, set }, { handle, set: 1 }]) {
      expect(types(members)).toEqual(['function', 'route']);
    }
  });
});
