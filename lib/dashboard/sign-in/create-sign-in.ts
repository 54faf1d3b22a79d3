/** A simple sign-in by one-time links, for a Dashboard on a site that has no sign-in of its own. */
import { randomBytes } from 'node:crypto';
import type { Request, Router } from 'express';
import type { Clock } from '../../contracts/clock.js';
import { clockOption } from '../../contracts/clock-option.js';
import { secureUrl } from '../../http/secure-url.js';
import { type Member, readMember } from '../../management/member.js';
import { PERMISSIONS } from '../../management/permissions.js';
import {
  integer,
  type Option,
  type OptionTable,
  object,
  optional,
  readTable,
  text,
  withDefault,
} from '../../options/option-table.js';
import { parseSymmetricKey, SYMMETRIC_KEY_BYTES } from '../../options/symmetric-key.js';
import type { CredentialStore } from '../../store/credential-store.js';
import { APPEARANCE_OPTIONS, type AppearanceOptions } from '../appearance-options.js';
import { OneTimeLinks } from './one-time-links.js';
import { createSessionCipher } from './session-cipher.js';
import { sessionCookie } from './session-cookie.js';
import { Sessions } from './sessions.js';
import { signInAudit } from './sign-in-audit.js';
import { signInPages } from './sign-in-pages.js';
import { SIGN_IN_PATH, SIGN_OUT_PATH, signInRouter } from './sign-in-router.js';

/** Options of `createSignIn`. */
export interface SignInOptions extends AppearanceOptions {
  /** The members who can sign in: at least one, each with a unique `id`. Each member gets their own links. */
  readonly members: readonly Member[];
  /**
   * The public URL of the Dashboard, such as `'https://access.example.com/dashboard'`. It must be an https URL, or an
   * http URL for a loopback host, without a query or fragment.
   */
  readonly url: string;
  /**
   * A sentence that tells visitors how to get a sign-in link. The pages of the sign-in show it.
   * Default: `'To get a sign-in link, contact support.'`
   */
  readonly help?: string | undefined;
  /** Seconds for which a link can be used, 1 to 2,592,000 (30 days). Default: 900. */
  readonly linkLifetime?: number | undefined;
  /**
   * Seconds without a request after which a session ends, 1 to 2,592,000. Default: 1,800. The time of the last request
   * is updated only once a minute, or once per half of a timeout below two minutes. So a session may end that much
   * earlier.
   */
  readonly idleTimeout?: number | undefined;
  /** Seconds after which a session ends even if the member is active, 1 to 2,592,000. Default: 43,200. */
  readonly absoluteTimeout?: number | undefined;
  /**
   * The key that encrypts sessions: 32 bytes, as a `Uint8Array` or in base64url (43 characters). Default: a random
   * key, so all sessions end when the process ends. Processes with the same key and `url` accept each other's sessions.
   * But each process stores links and ended sessions only in its own memory: the other processes do not know them, and
   * a restart forgets them. The clocks of these processes must not differ by more than five minutes.
   */
  readonly sessionKey?: string | Uint8Array | undefined;
  /**
   * The store whose audit log gets an entry for each sign-in, sign-out and refused link. If the store fails, nobody can
   * sign in, but members can still sign out. Default: nothing is logged.
   */
  readonly store?: CredentialStore | undefined;
  /**
   * The source of time. Default: the clock of the machine. If the wall clock is set back by more than five minutes, the
   * sessions that started or were used after the time it now shows are refused.
   */
  readonly clock?: Clock | undefined;
}

/** A link that signs a member in, once. */
export interface SignInLink {
  readonly member: string;
  /** Anyone who has the URL can sign in: show it only to the member. */
  readonly url: string;
}

/** The result of `createSignIn`. */
export interface SignIn {
  /** Mount it before the Dashboard, at the same path. */
  readonly router: Router;
  /**
   * Pass it to `createDashboard`, which calls it for every page and form. So an ended session is refused immediately.
   */
  readonly memberOf: (req: Request) => Promise<Member | undefined>;
  /** The path of the sign-in page. Pass it to `createDashboard`. */
  readonly signInUrl: string;
  /** The path that ends the session. Pass it to `createDashboard`. */
  readonly signOutUrl: string;
  /** Creates a new link for each member. Earlier links can no longer be used. */
  links(): readonly SignInLink[];
  /**
   * Ends all sessions of a member, from the next request on. Other processes with the same `sessionKey` still accept
   * these sessions. A session that another process starts within the next five minutes also counts as ended here,
   * because the clock of that process may be ahead.
   */
  endSessions(memberId: string): void;
}

const THIRTY_DAYS = 2_592_000;

const members: Option<ReadonlyMap<string, Member>> = (options, name) => {
  const given = options.raw(name);
  try {
    if (Array.isArray(given) && given.length > 0) {
      const members = new Map(given.map(readMember).map((member) => [member.id, Object.freeze(member)]));
      // `readMember` removes unknown permissions, such as a misspelled one.
      const isKnown = (permission: unknown) => PERMISSIONS.some((known) => known === permission);
      const areKnown = given.every(({ permissions }) => permissions.every(isKnown));
      if (members.size === given.length && areKnown) return members;
    }
  } catch {
    // `readMember` threw. The error below says what is expected.
  }
  throw options.wrongList(
    name,
    'a list of members, each with a unique id of at most 256 characters, an account and permissions ("reader", "developer" or "owner")',
  );
};

const sessionKey: Option<Uint8Array> = (options, name) => {
  if (!options.has(name)) return randomBytes(SYMMETRIC_KEY_BYTES);
  const key = parseSymmetricKey(options.raw(name));
  if (key === undefined)
    throw options.wrongText(name, `${SYMMETRIC_KEY_BYTES} bytes, as a Uint8Array or in base64url (43 characters)`);
  return key;
};

const mountUrl: Option<URL> = (options, name) => {
  const url = secureUrl(options.text(name));
  if (url === undefined || url.search !== '') {
    throw options.wrongText(name, 'an https URL (http only for a loopback host) without a query or fragment');
  }
  return url;
};

const OPTIONS = {
  ...APPEARANCE_OPTIONS,
  members,
  url: mountUrl,
  help: withDefault(text, 'To get a sign-in link, contact support.'),
  linkLifetime: integer(900, 1, THIRTY_DAYS),
  idleTimeout: integer(1_800, 1, THIRTY_DAYS),
  absoluteTimeout: integer(43_200, 1, THIRTY_DAYS),
  sessionKey,
  store: optional(object<CredentialStore>(['resolveKey', 'ready'])),
  clock: clockOption,
} satisfies OptionTable<SignInOptions>;

/**
 * Creates a sign-in by one-time links. `links()` makes a link for each member, which the app prints or sends. It is
 * meant for the operator of a server and for demonstrations. A platform with its own sign-in does not need it: it
 * passes its own `memberOf` to `createDashboard`.
 *
 * A link opens a page with a button that signs the member in. A link works only once. The session is an encrypted
 * `Secure` cookie, which browsers accept over https. Most browsers also accept it over http on localhost.
 *
 * @throws TypeError for an option that is missing, unknown or of the wrong type.
 * @example
 * ```ts
 * import express from 'express';
 * import { createDashboard, createSignIn } from 'keyward/dashboard';
 * import { createManagement } from 'keyward/management';
 * import { openStore } from 'keyward/store';
 *
 * const store = await openStore('file:./keyward.db');
 * const members = [{ id: 'kim', account: 'acme', permissions: ['owner' as const] }];
 * const { router, links, ...signIn } = createSignIn({ url: 'https://access.example.com/dashboard', members, store });
 * const { memberOf, signInUrl, signOutUrl } = signIn;
 * const app = express();
 * app.use('/dashboard', router);
 * app.use('/dashboard', createDashboard({ management: createManagement({ store }), memberOf, signInUrl, signOutUrl }));
 * for (const { member, url } of links()) console.log(`${member}: ${url}`);
 * ```
 */
export function createSignIn(options: SignInOptions): SignIn {
  const read = readTable('createSignIn', options, OPTIONS);
  const { members, url, help, productName, stylesheet, sessionKey, store, clock, ...seconds } = read;
  const limits = { idle: 1_000 * seconds.idleTimeout, absolute: 1_000 * seconds.absoluteTimeout };
  const links = new OneTimeLinks(1_000 * seconds.linkLifetime, clock);
  const sessions = new Sessions(createSessionCipher(sessionKey, url.href), limits, clock);
  const cookie = sessionCookie(url.href);
  const audit = signInAudit(store, members, clock);
  const pages = signInPages({ help, productName, stylesheet });
  const mount = url.pathname.replace(/\/$/, '');

  async function memberOf(req: Request): Promise<Member | undefined> {
    const session = await sessions.read(cookie.read(req));
    // A session contains only the ID and the account of the member. The permissions come from the options of this
    // process, so an old session does not give the member permissions that were removed since.
    const member = session && members.get(session.member);
    if (session === undefined || member?.account !== session.account) return undefined;
    const renewed = await sessions.renew(session);
    if (renewed !== undefined && req.res?.headersSent === false) cookie.set(req.res, renewed);
    return { ...member, address: req.ip };
  }

  return Object.freeze({
    router: signInRouter({ members, links, sessions, cookie, pages, audit }),
    memberOf,
    signInUrl: `${mount}${SIGN_IN_PATH}`,
    signOutUrl: `${mount}${SIGN_OUT_PATH}`,
    links: () =>
      [...members.keys()].map((member) => ({
        member,
        url: `${url.origin}${mount}${SIGN_IN_PATH}?token=${links.issue(member)}`,
      })),
    endSessions: (memberId: string) => sessions.endAllOf(memberId),
  });
}
