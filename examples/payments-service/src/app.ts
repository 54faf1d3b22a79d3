/** The routes of the service, with their gates and guards. */
import express, { type Express, type Router } from 'express';
import {
  assertGuarded,
  authOf,
  bearerErrors,
  type CredentialVerifier,
  requireApi,
  requireBearer,
  requireChannel,
  requireConfirmation,
  requireScopes,
} from 'keyward';
import { Disputes } from './disputes.js';
import { Payments, readPayment, readRefund } from './payments.js';
import { notFound, problems } from './problem.js';
import { CardTokens, readCard } from './tokens.js';

/** The verifiers of the gates: those of the platform in `main.ts`, those of a test kit in tests. */
export interface Verifiers {
  readonly tokens: CredentialVerifier;
  readonly secretKeys: CredentialVerifier;
  readonly publicKeys: CredentialVerifier;
}

/** The data of the service, in memory. */
export interface Records {
  readonly cards: CardTokens;
  readonly payments: Payments;
  readonly disputes: Disputes;
}

export function createRecords(): Records {
  const cards = new CardTokens();
  return { cards, payments: new Payments(cards), disputes: new Disputes() };
}

/**
 * @param ownRouters - The issuer and the Dashboard. They authenticate their callers themselves, so their routes need no
 *   gate.
 */
export function createApp(verifiers: Verifiers, records: Records, ownRouters: readonly Router[] = []): Express {
  const { tokens, secretKeys, publicKeys } = verifiers;
  const { cards, payments, disputes } = records;
  const app = express().disable('x-powered-by');
  // Mounted behind the gates, so that the body of a refused request is never parsed.
  const json = express.json({ limit: '16kb' });

  for (const router of ownRouters) app.use(router);

  app.get('/health', (_req, res) => {
    res.json({ status: 'ok' });
  });

  // Accepts every credential. The Dashboard shows a curl command for this route beside a new key.
  app.use('/caller', requireBearer({ accept: [tokens, secretKeys, publicKeys] }));
  app.get('/caller', (req, res) => {
    const { kind, account, apis, scopes, channels } = authOf(req);
    res.json({ kind, account, apis, scopes, channels });
  });

  app.use('/payments', requireBearer({ accept: [tokens, secretKeys] }), requireApi('payments'));
  app.post(
    '/payments',
    json,
    requireChannel((req) => req.body?.processing_channel_id),
    (req, res) => {
      const payment = payments.create(authOf(req), readPayment(req.body));
      res.status(201).location(`/payments/${payment.id}`).json(payment);
    },
  );
  app.get('/payments/:id', (req, res) => {
    res.json(payments.get(authOf(req), req.params.id));
  });
  app.post('/payments/:id/refunds', requireScopes('payments:refund'), json, (req, res) => {
    res.status(201).json(payments.refund(authOf(req), req.params.id, readRefund(req.body)));
  });

  // Public keys are for browsers. checkout-sdk-node sends them without "Bearer".
  app.use('/tokens', requireBearer({ accept: [publicKeys], allowSchemeless: true }), requireApi('tokens'));
  app.post('/tokens', json, (req, res) => {
    res.status(201).json(cards.issue(authOf(req), readCard(req.body, 'card')));
  });

  app.use('/disputes', requireBearer({ accept: [tokens, secretKeys] }), requireApi('disputes'));
  app.get('/disputes', (req, res) => {
    res.json({ data: disputes.list(authOf(req)) });
  });
  app.get('/disputes/:id', (req, res) => {
    res.json(disputes.get(authOf(req), req.params.id));
  });
  app.post('/disputes/:id/accept', (req, res) => {
    res.json(disputes.accept(authOf(req), req.params.id));
  });

  // This gate does not name a key verifier, so it accepts no keys.
  app.use('/reports', requireBearer({ accept: [tokens] }), requireApi('reports'));
  app.get('/reports', (req, res) => {
    res.json({ data: payments.totals(authOf(req)) });
  });
  // A stolen token is useless here: each request needs a DPoP proof, signed with the client's private key (RFC 9449).
  app.get('/reports/statement', requireConfirmation('dpop'), (req, res) => {
    const caller = authOf(req);
    res.json({ account: caller.account, data: payments.totals(caller) });
  });

  app.use(notFound, bearerErrors(), problems);

  assertGuarded(app, { except: ['GET /health'] });
  return app;
}
