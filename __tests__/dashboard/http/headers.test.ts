import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { createDashboard } from 'keyward/dashboard';
import { selfSigned } from '../../../lib/testing/self-signed.js';
import { managed } from '../../support/managed.js';
import { madeKey, newForm } from '../key-forms.js';
import { altered, MOUNT, type Reply, servedDashboard } from '../served-dashboard.js';
import { expectSafe } from './safe-headers.js';

const at = managed('memory');
const dashboard = servedDashboard(at, {}, (app) => {
  // A site whose own policy is weaker.
  app.use((_req, res, next) => {
    res.set({ 'Content-Security-Policy': "script-src 'unsafe-inline' *", 'X-Frame-Options': 'SAMEORIGIN' });
    next();
  });
});
const broken = servedDashboard(at, {
  management: altered(at, () => ({ audit: () => Promise.reject(new TypeError('the cause')) })),
});

describe('every response', () => {
  it.each<[number, string, string]>([
    [200, 'GET', '/'],
    [200, 'HEAD', '/'],
    [200, 'GET', '/keys/new?kind=secret'],
    [200, 'GET', '/audit.csv'],
    [400, 'GET', '/?limit=x'],
    [401, 'GET', '/'],
    [403, 'POST', '/keys'],
    [404, 'GET', '/none'],
    [404, 'GET', '/keys/key_none'],
    [404, 'GET', '/keys/%zz'],
    [405, 'GET', '/keys'],
    [405, 'OPTIONS', '/'],
    [413, 'POST', '/keys'],
  ])('M33 %i %s %s has the headers, and no-store', async (status, method, path) => {
    const holder = await at.account();
    const browser = dashboard.browser(status === 401 ? undefined : holder.owner);
    const headers = status === 403 ? {} : browser.formHeaders;
    const reply = await browser.send(
      method,
      path,
      headers,
      method === 'POST' ? 'x'.repeat(status === 413 ? 409_601 : 1) : '',
    );
    expect(reply.status).toBe(status);
    expectSafe(reply);
    expect(reply.headers['cache-control']).toBe('no-store');
    expect(reply.headers['strict-transport-security']).toBeUndefined();
  });

  it('M33 the 201 of a new key, and the 303 of an edit', async () => {
    const holder = await at.account();
    const browser = dashboard.browser(holder.owner);
    const made = await browser.post('/keys', newForm('keys'));
    const key = await madeKey(holder, 'keys');
    const disabled = await browser.post(`/keys/${key.id}/disable`, { version: '1' });
    expect([made.status, disabled.status]).toEqual([201, 303]);
    for (const reply of [made, disabled]) {
      expectSafe(reply);
      expect(reply.headers['cache-control']).toBe('no-store');
    }
  });

  it('M33 500', async () => {
    const { owner } = await at.account();
    const reply = await broken.browser(owner).get('/audit');
    expect(reply.status).toBe(500);
    expectSafe(reply);
  });

  it('M33 assets, which may be cached forever', async () => {
    const { body } = await dashboard.browser().get('/');
    const paths = [...body.matchAll(new RegExp(`"${MOUNT}(/assets/[^"]+)"`, 'g'))].flatMap(([, path]) => path ?? []);
    expect(paths).toHaveLength(3);
    for (const path of paths) {
      const reply = await dashboard.browser().get(path);
      expect(reply.status).toBe(200);
      expectSafe(reply);
      expect(reply.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(path).toMatch(/-[\w-]{12}\.(?:css|js|svg)$/);
    }
  });

  it('no page has inline code, or resources of other origins', async () => {
    const holder = await at.account();
    const key = await madeKey(holder, 'keys');
    const browser = dashboard.browser(holder.owner);
    for (const path of ['/', '/keys/new?kind=secret', `/keys/${key.id}`, `/keys/${key.id}/edit`, '/audit', '/none']) {
      const { body } = await browser.get(path);
      expect(body).not.toMatch(/ style=| on\w+=|<style|javascript:|<script(?! src="\/admin\/keys\/assets\/)/);
      expect(body).not.toMatch(/(?:src|href|action)="(?!\/admin\/keys[/"]|#)/);
    }
  });
});

describe('over TLS', () => {
  const { key, cert } = selfSigned('localhost');
  const app = express();
  const server = createServer({ key, cert }, app);

  beforeAll(async () => {
    app.use(createDashboard({ management: at.management, memberOf: () => undefined }));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  it('M33 browsers must use TLS for a year (HSTS)', async () => {
    const { port } = server.address() as AddressInfo;
    const headers = await new Promise<Reply['headers']>((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', rejectUnauthorized: false, agent: false }, (res) => {
        res.resume();
        resolve(res.headers);
      });
      sent.on('error', reject);
      sent.end();
    });
    expectSafe({ headers });
    expect(headers['strict-transport-security']).toBe('max-age=31536000');
  });
});
