/**
 * The Express app of `keyward serve`: the request log, health checks, the issuer, the management API (with `--api`),
 * and the Dashboard as soon as its account exists.
 */
import express, { type Express, Router } from 'express';
import type { CredentialStore } from '../../store/credential-store.js';
import type { ServeLog } from './serve-log.js';
import { DASHBOARD_PATH, type ServedDashboard } from './served-dashboard.js';
import { API_PATH } from './served-management-api.js';

export interface ServeApp {
  readonly app: Express;
  /**
   * Serves the Dashboard from now on. Before this, the server is not ready, because it waits for the account of the
   * Dashboard.
   */
  mountDashboard(dashboard: ServedDashboard): void;
  /**
   * Call this instead of `mountDashboard` if there will be no Dashboard. The server then no longer waits for the
   * account of the Dashboard, and `/readyz` can report that it is ready.
   */
  serveWithoutDashboard(): void;
}

const NO_ACCOUNT =
  'the account that it manages does not exist or cannot be read. For the cause, see the output of "keyward serve".';

export function serveApp(
  { trustProxy }: { readonly trustProxy?: boolean },
  store: CredentialStore,
  issuer: Router,
  log: ServeLog | undefined,
  api?: Router,
): ServeApp {
  let waitsForAccount = true;
  const dashboardRouter = Router();
  const app = express().disable('x-powered-by');
  if (trustProxy) app.set('trust proxy', 1);
  if (log !== undefined) app.use(log.middleware);

  app.get('/healthz', (_req, res) => void res.json({ status: 'ok' }));
  app.get('/readyz', async (_req, res) => {
    const waitsFor = await missing();
    if (waitsFor === undefined) res.json({ status: 'ready' });
    else res.status(503).json({ status: 'unavailable', waitsFor });
  });
  if (api !== undefined) app.use(API_PATH, api);
  app.use(issuer);
  app.use(DASHBOARD_PATH, dashboardRouter, async (_req, res, next) => {
    if (!waitsForAccount) next();
    else {
      const reason = (await missing()) === 'database' ? 'the database cannot be reached.' : NO_ACCOUNT;
      res.status(503).set('Retry-After', '5').type('text').send(`The Dashboard is not available yet: ${reason}\n`);
    }
  });

  /** Returns what the server is waiting for; `undefined` if it is ready. */
  async function missing(): Promise<'database' | 'account' | undefined> {
    if (!(await store.ready())) return 'database';
    return waitsForAccount ? 'account' : undefined;
  }

  return {
    app,
    mountDashboard({ routers }) {
      dashboardRouter.use(...routers);
      waitsForAccount = false;
    },
    serveWithoutDashboard() {
      waitsForAccount = false;
    },
  };
}
