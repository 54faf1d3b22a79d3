import { describe, expect, it } from '@jest/globals';
import express, { type Express } from 'express';
import { assertGuarded, auditRoutes } from 'keyward';
import { createDashboard, createSignIn } from 'keyward/dashboard';
import { createIssuer, memorySigningKeys } from 'keyward/issuer';
import { createManagementApi } from 'keyward/management';
import { gate, handler } from '../../support/audited.js';
import { managed } from '../../support/managed.js';

const at = managed('memory');
const members = [{ id: 'kim', account: 'acme', permissions: ['owner' as const] }];
const memberOf = () => members[0];

const issuer = () =>
  createIssuer({
    issuer: 'https://login.example',
    audience: 'https://api.example',
    accessKeys: { resolveAccessKey: () => undefined },
    signingKeys: memorySigningKeys(),
  });

const OWN: Readonly<Record<string, (app: Express) => void>> = {
  'the issuer': (app) => app.use(issuer()),
  'the issuer below a path': (app) => app.use('/auth', issuer()),
  'the Dashboard': (app) => app.use('/admin', createDashboard({ management: at.management, memberOf })),
  'the sign-in': (app) => app.use('/admin', createSignIn({ url: 'https://login.example/admin', members }).router),
  'the management API': (app) => app.use('/api', createManagementApi({ management: at.management, memberOf })),
};

describe.each(Object.entries(OWN))('%s', (_name, mount) => {
  it('passes without a gate and without an exception', () => {
    const app = express();
    mount(app);
    expect(auditRoutes(app).map(({ ownEndpoint }) => ownEndpoint)).toContain(true);
    expect(auditRoutes(app).every(({ open, ownEndpoint }) => open && ownEndpoint)).toBe(true);
    expect(() => assertGuarded(app)).not.toThrow();
  });
});

describe('a route of the app', () => {
  it.each([
    ['beside them', (app: Express) => app.use(issuer()).get('/health', handler)],
    ['that was added to their router', (app: Express) => app.use(issuer().get('/health', handler))],
    ['with the same path, in front of them', (app: Express) => app.get('/health', handler).use(issuer())],
  ])('%s is still reported', (_name, mount) => {
    const app = express();
    mount(app);
    expect(() => assertGuarded(app)).toThrow(
      /: 1 route is not guarded; .*\n {2}GET \/health has no requireBearer[^\n]*$/,
    );
    expect(auditRoutes(app).find(({ path }) => path === '/health')?.ownEndpoint).toBe(false);
  });

  it('behind a gate is not an endpoint of keyward', () => {
    expect(auditRoutes(express().get('/', gate, handler))[0]?.ownEndpoint).toBe(false);
  });
});
