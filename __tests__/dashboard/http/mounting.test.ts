import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { createDashboard } from 'keyward/dashboard';
import { managed } from '../../support/managed.js';
import { type Served, serve } from '../../support/raw-http.js';
import { madeKey } from '../key-forms.js';
import { encoded, MOUNT, sendTo, servedDashboard } from '../served-dashboard.js';

const at = managed('memory');

describe('at the root of a host', () => {
  let served: Served;

  beforeAll(async () => {
    const holder = await at.account();
    await madeKey(holder, 'keys');
    served = await serve(express().use(createDashboard({ management: at.management, memberOf: () => holder.owner })));
  });

  afterAll(() => served.close());

  it('every link and form action starts there, and leads to a page', async () => {
    const { body } = await sendTo(served.port, 'GET', '/', {});
    const paths = [...body.matchAll(/(?:href|src|action)="([^"#]+)"/g)].map(([, path = '']) => path);
    expect(paths.length).toBeGreaterThan(8);
    for (const path of paths) {
      expect(path).toMatch(/^\/(?!\/)/);
      expect((await sendTo(served.port, 'GET', path, {})).status).toBe(200);
    }
  });
});

describe('below a path with a parameter', () => {
  it('links start with the requested path', async () => {
    const holder = await at.account();
    const app = express().use(
      '/of/:tenant',
      createDashboard({ management: at.management, memberOf: () => holder.owner }),
    );
    const { port, close } = await serve(app);
    const { body } = await sendTo(port, 'GET', '/of/a%22%3E/access-keys', {});
    await close();
    expect(body).toContain('href="/of/a%22%3E/access-keys" aria-current="page"');
  });
});

describe('behind a proxy that ends TLS', () => {
  const believing = servedDashboard(at, {}, (app) => void app.set('trust proxy', 1));
  const unbelieving = servedDashboard(at);

  it.each([
    ['the app believes it', believing, 303, 'max-age=31536000'],
    ['the app does not', unbelieving, 403, undefined],
  ])('a form of the https origin, %s', async (_what, dashboard, status, transport) => {
    const holder = await at.account();
    const { id } = await madeKey(holder, 'keys');
    const { formHeaders, token, send } = dashboard.browser(holder.owner);
    const headers = { ...formHeaders, origin: `https://127.0.0.1:${dashboard.port}`, 'x-forwarded-proto': 'https' };
    const reply = await send('POST', `/keys/${id}/disable`, headers, encoded({ csrf: token, version: '1' }));
    expect([reply.status, reply.headers['strict-transport-security']]).toEqual([status, transport]);
    if (status === 303) expect(reply.headers.location).toBe(`${MOUNT}/keys/${id}?done=disabled`);
  });

  it('if the member has no address, the audit log has that of the request', async () => {
    const holder = await at.account();
    const { address: _, ...owner } = holder.owner;
    const { id } = await madeKey(holder, 'keys');
    const { formHeaders, token, send } = believing.browser(owner);
    const headers = { ...formHeaders, 'x-forwarded-for': '198.51.100.77' };
    await send('POST', `/keys/${id}/disable`, headers, encoded({ csrf: token, version: '1' }));
    const entries = (await holder.story()).filter(({ action }) => action === 'key.edit');
    expect(entries.map(({ origin }) => origin)).toEqual(['198.51.100.77']);
  });
});
