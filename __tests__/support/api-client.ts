import express from 'express';
import type { Clock } from 'keyward';
import { type AccessKeyResolver, apiKeys, bearerErrors, type KeyResolver, requireBearer } from 'keyward';
import { createManagementApi, type Management, type Member, memberByScopes } from 'keyward/management';
import { sendRaw, serve } from './raw-http.js';

/** The management API over HTTP: at `/api` for the member that a test names, at `/keyed` behind a gate. */
export interface ApiClient {
  readonly url: string;
  /** Sends a request as a member; nobody where it is `undefined`. */
  send(member: Member | undefined, method: string, path: string, options?: SendOptions): Promise<ApiReply>;
  /** Sends a request with a credential. */
  sendKeyed(credential: string | undefined, method: string, path: string, options?: SendOptions): Promise<ApiReply>;
  /** Sends lines as they are; the whole answer. */
  raw(text: string): Promise<string>;
  close(): Promise<void>;
}

export interface SendOptions {
  /** Sent as JSON, unless it is a string. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

// biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what a test checks.
type Json = any;

export interface ApiReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Json;
}

const MEMBER = 'x-member';

export async function serveApi(
  management: Management,
  store: KeyResolver & AccessKeyResolver,
  clock: Clock,
): Promise<ApiClient> {
  const app = express();
  const memberOf = ({ headers }: { headers: Record<string, unknown> }) => {
    const text = headers[MEMBER];
    return typeof text === 'string' ? (JSON.parse(text) as Member) : undefined;
  };
  app.use('/api', createManagementApi({ management, memberOf: memberOf as never }));
  const keys = apiKeys({ resolver: store, kinds: ['secret', 'public'], environment: 'any', clock });
  app.use('/keyed', requireBearer({ accept: [keys] }), createManagementApi({ management, memberOf: memberByScopes() }));
  app.use(bearerErrors({ format: 'problem' }));
  // Longer than a test takes: a client may use a connection again that the server has just closed.
  const { port, close } = await serve(app, { keepAliveTimeout: 600_000 });
  const url = `http://127.0.0.1:${port}`;

  async function send(path: string, method: string, auth: Record<string, string>, { body, headers = {} }: SendOptions) {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const type: Record<string, string> = text === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(url + path, {
      method,
      headers: { ...type, ...auth, ...headers },
      ...(text === undefined ? {} : { body: text }),
    });
    const answer = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return {
      ...{ status: response.status, headers: response.headers, text: answer },
      body: isJson && answer !== '' ? JSON.parse(answer) : undefined,
    };
  }

  return {
    url,
    send: (member, method, path, options = {}) =>
      send(`/api${path}`, method, member === undefined ? {} : { [MEMBER]: JSON.stringify(member) }, options),
    sendKeyed: (credential, method, path, options = {}) =>
      send(`/keyed${path}`, method, credential === undefined ? {} : { authorization: `Bearer ${credential}` }, options),
    raw: async (text) => (await sendRaw(port, text)).text,
    close,
  };
}
