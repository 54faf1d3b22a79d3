import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import type { AccessKeyRecord } from 'keyward';
import { createIssuer, type IssuerOptions, memorySigningKeys } from '../../lib/issuer/index.js';
import { createManualClock, type ManualClock } from './manual-clock.js';
import { type Served, serve } from './raw-http.js';

export const ID = 'ack_wlj3nsyprj5ipdr2b4nkxzepnm';
export const SECRET = 'S'.repeat(86);
export const AUDIENCE = 'https://api.example.com';

export const digestOf = (secret: string) => createHash('sha256').update(secret).digest('hex');

export const record = (traits: Partial<AccessKeyRecord> = {}): AccessKeyRecord => ({
  id: ID,
  account: 'acc_1',
  environment: 'live',
  secrets: [{ digest: digestOf(SECRET) }],
  scopes: ['payments', 'payments:refund', 'disputes'],
  defaultScopes: ['payments', 'disputes'],
  ...traits,
});

/** A token endpoint on a server of its own, over a table of access keys that counts how often it is asked. */
export interface TokenService extends Served {
  readonly url: string;
  readonly clock: ManualClock;
  readonly table: Map<string, unknown>;
  lookups: number;
  failing: boolean;
  post(body: string, headers?: Record<string, string>): Promise<Response>;
}

type Middleware = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void;

export async function tokenService(
  options: Partial<IssuerOptions> = {},
  before: readonly Middleware[] = [],
): Promise<TokenService> {
  const app = express();
  const served = await serve(app);
  const url = `http://127.0.0.1:${served.port}`;
  const clock = createManualClock();
  const service: TokenService = {
    ...served,
    url,
    clock,
    table: new Map<string, unknown>([[ID, record()]]),
    lookups: 0,
    failing: false,
    post: (body, headers = {}) =>
      fetch(`${url}/connect/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body,
      }),
  };
  const accessKeys = {
    async resolveAccessKey(id: string) {
      service.lookups += 1;
      if (service.failing) throw new Error('the table cannot be reached');
      return service.table.get(id) as AccessKeyRecord | undefined;
    },
  };
  for (const middleware of before) app.use(middleware);
  const signingKeys = memorySigningKeys();
  app.use(
    createIssuer({ issuer: url, audience: AUDIENCE, accessKeys, signingKeys, algorithm: 'ES256', clock, ...options }),
  );
  app.use((error: Error, _req: IncomingMessage, res: ServerResponse, _next: unknown) => {
    res.statusCode = 500;
    res.end(error.message);
  });
  return service;
}

/** The Authorization value of a client, its parts as they are. */
export const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});

export const GRANT = 'grant_type=client_credentials';
