import { createHash } from 'node:crypto';
import { type IncomingHttpHeaders, request } from 'node:http';
import { afterAll, beforeAll } from '@jest/globals';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { createDashboard, type DashboardOptions } from 'keyward/dashboard';
import type { Management, Member } from 'keyward/management';
import { memberFormToken } from '../../lib/dashboard/http/csrf-token.js';
import type { Managed } from '../support/managed.js';
import { type Served, serve } from '../support/raw-http.js';

/** Who sends a request: a member, whom the sign-in of these tests identifies by a cookie. */
export interface Browser {
  get(path: string, headers?: Headers): Promise<Reply>;
  /** Posts a form as a browser does, from a page of the Dashboard: with its cookie, its token and its origin. */
  post(path: string, fields: Form, headers?: Headers): Promise<Reply>;
  /** Sends anything. */
  send(method: string, path: string, headers: Headers, body?: string): Promise<Reply>;
  /** The headers of a good form. */
  readonly formHeaders: Headers;
  /** What the forms of the member contain. */
  readonly token: string;
  /** What the cookie and the form that signs out contain. */
  readonly browserToken: string;
}

export type Headers = Readonly<Record<string, string | readonly string[]>>;
export type Form = Readonly<Record<string, string | readonly string[]>>;

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface ServedDashboard {
  readonly port: number;
  /** A browser of a member; of nobody where there is none. */
  browser(member?: Member): Browser;
  /** Errors that went on to the host app. */
  readonly passedOn: readonly unknown[];
  /** What the sign-in knows, by the cookie. A test may change it in mid-session. */
  readonly members: Map<string, Member>;
}

/** Where the Dashboard of these tests is mounted. */
export const MOUNT = '/admin/keys';

/** Serves a Dashboard over the store of a `describe`. `management` may stand in for the true one. */
export function servedDashboard(
  at: Managed,
  options: Partial<DashboardOptions> = {},
  prepare: (app: Express) => void = () => undefined,
): ServedDashboard {
  const members = new Map<string, Member>();
  const passedOn: unknown[] = [];
  let served: Served;

  beforeAll(async () => {
    const app = express();
    prepare(app);
    app.use(
      MOUNT,
      createDashboard({
        management: at.management,
        memberOf: ({ headers: { cookie } }) => members.get(/session=(\w+)/.exec(cookie ?? '')?.[1] ?? ''),
        clock: at.clock,
        ...options,
      }),
    );
    app.use((error: unknown, _req: Request, res: Response, _next: NextFunction) => {
      passedOn.push(error);
      res.status(500).end();
    });
    served = await serve(app);
  });

  afterAll(() => served.close());

  return {
    members,
    passedOn,
    get port() {
      return served.port;
    },
    browser(member) {
      const session = createHash('sha256')
        .update(JSON.stringify(member ?? null))
        .digest('hex');
      if (member !== undefined) members.set(session, member);
      return browserOf(served.port, session, member);
    },
  };
}

/** The management of a `describe`, with something in the place of what it has. */
export function altered(at: Managed, change: (management: Management) => Partial<Management>): Management {
  const lazy = (name: keyof Management) => ({ get: () => ({ ...at.management, ...change(at.management) })[name] });
  return Object.defineProperties({} as Management, {
    accounts: lazy('accounts'),
    keys: lazy('keys'),
    accessKeys: lazy('accessKeys'),
    audit: lazy('audit'),
    usage: lazy('usage'),
    recentUsage: lazy('recentUsage'),
    keyNames: lazy('keyNames'),
  });
}

function browserOf(port: number, session: string, member: Member | undefined): Browser {
  const browserToken = createHash('md5').update(session).digest('base64url');
  const token = memberFormToken(browserToken, member ?? { account: '', id: '' });
  const cookie = `theirs=1; session=${session}; __Host-keyward-csrf=${browserToken}`;
  const formHeaders = {
    cookie,
    origin: `http://127.0.0.1:${port}`,
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/x-www-form-urlencoded',
  };
  const send = (method: string, path: string, headers: Headers, body?: string) =>
    sendTo(port, method, MOUNT + path, headers, body);
  return {
    token,
    browserToken,
    formHeaders,
    send,
    get: (path, headers = {}) => send('GET', path, { cookie, ...headers }),
    post: (path, fields, headers = {}) =>
      send('POST', path, { ...formHeaders, ...headers }, encoded({ csrf: token, ...fields })),
  };
}

/** A form in its encoding. */
export function encoded(fields: Form): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, one] as [string, string]),
  );
  return new URLSearchParams(pairs).toString();
}

export function sendTo(port: number, method: string, path: string, headers: Headers, body?: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request({
      port,
      host: '127.0.0.1',
      path,
      method,
      headers: headers as Record<string, string | string[]>,
      agent: false,
    });
    sent.on('error', reject);
    sent.on('response', (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('error', reject);
      res.on('end', () =>
        resolve({ status: res.statusCode ?? 0, headers: res.headers, body: Buffer.concat(chunks).toString() }),
      );
    });
    sent.end(body);
  });
}

/** The value of a field of a page, by its name; `undefined` where the page has none. */
export function fieldOf({ body }: Reply, name: string): string | undefined {
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(body)?.[1];
}

/** The form token of a member, from the last form of a page: the first one may sign the member out. */
export function formTokenIn({ body }: Reply): string {
  return [...body.matchAll(/name="csrf" value="([^"]*)"/g)].at(-1)?.[1] ?? '';
}

/** The text that a page shows once. */
export function textIn({ body }: Reply): string {
  return /id="text" class="text"[^>]*>([^<]*)</.exec(body)?.[1] ?? '';
}
