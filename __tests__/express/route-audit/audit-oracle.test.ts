import { ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import express, { type Express, type IRouter } from 'express';
import { assertGuarded, auditRoutes } from 'keyward';
import { EXPRESS, gate, written } from '../../support/audited.js';
import { requestOf } from '../../support/passage.js';

/** Requests that may find a way around a gate. */
const REQUESTS = [
  ...['/', '//', '///', '/payments', '/payments/', '//payments', '/PAYMENTS', '/payments/x', '/payments//x'],
  ...[
    '/v1',
    '/v1/',
    '/v1//',
    '//v1',
    '/v1/payments',
    '//v1/payments',
    '/v1//payments',
    '/v1/payments/',
    '/v2/payments',
  ],
  ...['/ab', '/a', '/b', '/a/payments', '/b/payments', '/ab/payments', '/a/b', '/a/b/payments', '/a/', '/a//payments'],
  ...['/a{/b}', '/{v1}', '/{v1}/payments', '/K', '/k', '/\u212A'],
];

const MOUNTS: unknown[] = [
  ...[
    '/',
    '',
    '//',
    '/v1',
    '/v1/',
    '/payments',
    '/payments/',
    '/a',
    '/a/b',
    '/:x',
    '/:x/payments',
    '/v1/:x',
    '/\u212A',
  ],
  ...[['/'], [['/']], ['/', '/v1'], ['/v1', '/'], ['/v1/'], ['/a', '/b'], ['/payments', '/'], ['']],
];
if (EXPRESS === 5) {
  MOUNTS.push(
    ...['/{v1}', '/{a}{b}', '/{:x}', '{/}', '{/v1}', '{/:x}', '/a/{b}', '/a{/b}', '/{v1}/payments', '/{v1/}payments'],
  );
} else {
  MOUNTS.push('/:x?', '/a/:x?', '/a{/b}', '/{v1}');
}

/** Where a router is mounted. */
const OUTER: unknown[] = [
  '/',
  '/v1',
  '/:x',
  ['/'],
  ['/', '/v1'],
  written('/{v1}', '/a{/b}'),
  written('/a/{b}', '/a/:x?'),
];

const ROUTES = [
  ...['/', '/payments', '/v1', '/v1/payments', '/:x', '/:x/payments', '/a', '/a/b', '/k', ''],
  ...written('/{v1} /{:x} /a/{b} /a{/b} {/:x}/payments /*rest', '/:x? /a/:x? /a{/b} /*').split(' '),
];

/** What a request without a credential reaches. */
function reachedOn(app: Express, reached: string[]): readonly string[] {
  for (const url of REQUESTS) {
    const req = requestOf();
    const before = reached.length;
    app(Object.assign(req, { url, originalUrl: url }) as never, new ServerResponse(req) as never, () => {});
    if (reached.length > before) reached[before] = url;
  }
  return reached;
}

/** Builds an app, and compares what its audit says with what requests show. */
function compare(mount: (app: IRouter, handler: () => void) => void): {
  readonly audited: string;
  readonly reached: readonly string[];
} {
  const app = express();
  const reached: string[] = [];
  mount(app as never, () => void reached.push(''));
  const states = auditRoutes(app).map(({ open }) => (open ? 'open' : 'gated'));
  return { audited: [...new Set(states)].join(), reached: reachedOn(app, reached) };
}

const cases = MOUNTS.flatMap((mount) => ROUTES.map((route) => [mount, route] as const));

describe('a gate mounted at a path, and a route next to it', () => {
  it('is never reported as guarded if a request without a credential reaches it', () => {
    const wrong = cases.flatMap(([mount, route]) => {
      const { audited, reached } = compare((app, handler) => app.use(mount as string, gate).get(route, handler));
      return audited === 'gated' && reached.length > 0 ? [{ mount, route, reached }] : [];
    });
    expect(wrong).toEqual([]);
  });

  it('is never reported as guarded if it is in a router at such a path', () => {
    const wrong = OUTER.flatMap((outer) =>
      cases.flatMap(([mount, route]) => {
        const { audited, reached } = compare((app, handler) => {
          app.use(mount as string, gate);
          app.use(outer as string, express.Router().get(route, handler));
        });
        return audited === 'gated' && reached.length > 0 ? [{ outer, mount, route, reached }] : [];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it('is reported as guarded, for plain paths, if no request without a credential reaches it', () => {
    // What is not plain is called open where it might not be.
    const plain = cases.filter(([mount, route]) => route !== '' && mount !== '//' && !/[{*?]/.test(`${mount}${route}`));
    const wrong = plain.flatMap(([mount, route]) => {
      const { audited, reached } = compare((app, handler) => app.use(mount as string, gate).get(route, handler));
      return audited === 'open' && reached.length === 0 ? [{ mount, route }] : [];
    });
    expect(wrong).toEqual([]);
  });
});

describe('a gate at a path that Express 4 and 5 read differently', () => {
  const READ = [
    ['a list of the slash', ['/']],
    ['a list of the slash and another path', ['/', '/v1']],
    ['the slash and an optional name', written('/{v1}', '/:v1?')],
    ['the slash and two optional names', written('/{a}{b}', '/:a?')],
  ] as const;
  const isSilent = EXPRESS === 4;

  it.each(READ)('N01 %s', (_name, path) => {
    const app = express();
    const reached: string[] = [];
    app.use(path as string, gate);
    app.get('/payments', () => void reached.push(''));
    expect(reachedOn(app, reached).includes('/payments')).toBe(!isSilent);
    expect(auditRoutes(app)[0]?.open).toBe(!isSilent);
    const assert = () => assertGuarded(app);
    if (isSilent) expect(assert).not.toThrow();
    else expect(assert).toThrow('GET /payments has no requireBearer that runs for every request');
  });

  it.each(READ)('N01 a router with a gate at %s', (_name, path) => {
    const app = express();
    const reached: string[] = [];
    app.use(path as string, express.Router().use(gate));
    app.get('/payments', () => void reached.push(''));
    expect(reachedOn(app, reached).includes('/payments')).toBe(!isSilent);
    // In a router at `/:v1?`, no path is left of the target `x://host/payments`, and Express 4 skips the gate in it.
    expect(auditRoutes(app)[0]?.open).toBe(!isSilent || typeof path === 'string');
  });
});
