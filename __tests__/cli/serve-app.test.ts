import { afterAll, describe, expect, it } from '@jest/globals';
import { Router } from 'express';
import { openStore } from 'keyward/store';
import request from 'supertest';
import { serveApp } from '../../lib/cli/serve/serve-app.js';
import type { ServeLog } from '../../lib/cli/serve/serve-log.js';

const store = await openStore('memory:');
afterAll(() => store.close());

describe('the app of keyward serve behind two proxies', () => {
  it.each([
    ['with --trust-proxy the address is the one that its own proxy saw', true, '198.51.100.7'],
    ['without it the header is not read', false, '127.0.0.1'],
  ])('%s', async (_what, trustProxy, address) => {
    const addresses: (string | undefined)[] = [];
    const log: ServeLog = {
      middleware(req, _res, next) {
        addresses.push(req.ip);
        next();
      },
      stop: () => undefined,
    };
    const { app } = serveApp({ trustProxy }, store, Router(), log);
    await request(app).get('/healthz').set('X-Forwarded-For', '203.0.113.1, 198.51.100.7');
    expect(addresses.map((ip) => ip?.replace('::ffff:', ''))).toEqual([address]);
  });
});
