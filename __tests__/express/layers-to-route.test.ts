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

  it('have an unknown app where a router mounts one, but not where a function only resembles one', () => {
    const [handle, set] = [() => {}, () => {}];
    const types = (members: object) => typesFor(appWith([layer(Object.assign(() => {}, members)), routeFor('get')]));
    expect(types({ handle, set })).toEqual(['app', 'route']);
    for (const members of [{ handle }, { set }, { handle: 1, set }, { handle, set: 1 }]) {
      expect(types(members)).toEqual(['function', 'route']);
    }
  });
});
