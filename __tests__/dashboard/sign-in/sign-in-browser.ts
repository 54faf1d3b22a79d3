import { afterAll, beforeAll } from '@jest/globals';
import express, { type Express } from 'express';
import { createDashboard, createSignIn, type SignIn, type SignInOptions } from 'keyward/dashboard';
import { sessionCookie } from '../../../lib/dashboard/sign-in/session-cookie.js';
import type { Managed } from '../../support/managed.js';
import { type Served, serve } from '../../support/raw-http.js';
import { encoded, type Form, fieldOf, type Headers, type Reply, sendTo } from '../served-dashboard.js';

const CSRF = '__Host-keyward-csrf';

/** Keeps cookies as browsers do: those named `__Host-` only as the prefix has it. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #port: number;
  readonly #host: string;

  constructor(port: number, host = `127.0.0.1:${port}`) {
    this.#port = port;
    this.#host = host;
  }

  async get(path: string, headers: Headers = {}): Promise<Reply> {
    return this.#keep(await sendTo(this.#port, 'GET', path, { ...this.#own(), ...headers }));
  }

  async post(path: string, fields: Form, headers: Headers = {}): Promise<Reply> {
    const form = {
      'content-type': 'application/x-www-form-urlencoded',
      origin: new URL(`http://${this.#host}`).origin,
    };
    const sent = { ...this.#own(), ...form, ...headers };
    return this.#keep(await sendTo(this.#port, 'POST', path, sent, encoded(fields)));
  }

  /** Presses the one button of a page that `post` goes to. */
  async press(page: Reply, path: string, headers: Headers = {}): Promise<Reply> {
    const names = ['csrf', 'token'].flatMap((name) => {
      const value = fieldOf(page, name);
      return value === undefined ? [] : [[name, value] as const];
    });
    return await this.post(path, Object.fromEntries(names), headers);
  }

  /** Opens a link, and presses its button, where there is one. */
  async signIn(url: string, headers: Headers = {}): Promise<Reply> {
    const { pathname, search } = new URL(url);
    const page = await this.get(pathname + search, headers);
    return fieldOf(page, 'token') === undefined ? page : await this.press(page, pathname, headers);
  }

  /** Spends a link by a form that was opened before, whatever the page of the link says by now. */
  async spend(url: string, headers: Headers = {}): Promise<Reply> {
    const { pathname, searchParams } = new URL(url);
    const csrf = this.cookies.get(CSRF) ?? 'A'.repeat(22);
    this.cookies.set(CSRF, csrf);
    return await this.post(pathname, { csrf, token: searchParams.get('token') ?? '' }, headers);
  }

  #own(): Headers {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return { host: this.#host, 'sec-fetch-site': 'same-origin', ...(cookie === '' ? {} : { cookie }) };
  }

  #keep(reply: Reply): Reply {
    for (const line of reply.headers['set-cookie'] ?? []) {
      const [pair = '', ...attributes] = line.split('; ');
      const [name = '', value = ''] = pair.split('=');
      const isHost = ['Path=/', 'Secure'].every((one) => attributes.includes(one)) && !/domain/i.test(line);
      if (name.startsWith('__Host-') && !isHost) continue;
      if (attributes.includes('Max-Age=0')) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return reply;
  }
}

export const MOUNT = '/dashboard';
export const SESSION = sessionCookie(`http://127.0.0.1${MOUNT}`).name;

export interface SignInSite {
  readonly signIn: SignIn;
  readonly port: number;
  /** Two new links. */
  links(): { readonly developer: string; readonly owner: string };
  browser(host?: string): Browser;
}

/** Serves a Dashboard with the sign-in of keyward, over the store of a `describe`. */
export function signInSite(
  at: Managed,
  options: () => Partial<SignInOptions> = () => ({}),
  prepare: (app: Express) => void = () => undefined,
): SignInSite {
  let served: Served;
  let signIn: SignIn;

  beforeAll(async () => {
    const account = 'acc_sign_in';
    await at.management.accounts.put('operator', account, { apis: ['payments'] });
    signIn = createSignIn({
      url: `http://127.0.0.1${MOUNT}`,
      members: [
        { id: 'the developer', account, permissions: ['developer'] },
        { id: 'the owner', account, permissions: ['owner'] },
      ],
      store: at.store,
      clock: at.clock,
      ...options(),
    });
    const { memberOf, signInUrl, signOutUrl } = signIn;
    const app = express();
    prepare(app);
    const dashboard = createDashboard({
      management: at.management,
      clock: at.clock,
      memberOf,
      signInUrl,
      signOutUrl,
    });
    app.use(MOUNT, signIn.router, dashboard);
    served = await serve(app);
  });

  afterAll(() => served.close());

  return {
    get signIn() {
      return signIn;
    },
    get port() {
      return served.port;
    },
    links() {
      const [developer, owner] = signIn.links();
      return { developer: String(developer?.url), owner: String(owner?.url) };
    },
    browser: (host) => new Browser(served.port, host),
  };
}
