/** A small sign-in for a Dashboard that has none: links that whoever runs the server hands out, each good for one sign-in. */
import { randomBytes } from 'node:crypto';
import type { Request, Router } from 'express';
import { type Clock, systemClock } from '../contracts/clock.js';
import { type Member, readMember } from '../management/member.js';
import { Options } from '../options/options.js';
import type { CredentialStore } from '../store/credential-store.js';
import { secureUrl } from '../verify/secure-url.js';
import { OneTimeLinks } from './one-time-links.js';
import { sessionCookieOf, setSessionCookie } from './session-cookie.js';
import { SESSION_KEY_BYTES, sessionSeal } from './session-seal.js';
import { Sessions } from './sessions.js';
import { signInAudit } from './sign-in-audit.js';
import { signInPages } from './sign-in-pages.js';
import { SIGN_IN_PATH, SIGN_OUT_PATH, signInRouter } from './sign-in-router.js';

/** Options of `createSignIn`. */
export interface SignInOptions {
  /** Who can sign in. Each gets links of their own. */
  readonly members: readonly Member[];
  /** Where the Dashboard is mounted, as browsers know it: `'https://access.example.com/dashboard'`. */
  readonly url: string;
  /** A sentence for the pages, on how one gets a link. */
  readonly help?: string | undefined;
  /** Seconds for which a link is good: 900. */
  readonly linkLifetime?: number | undefined;
  /** Seconds after which a session ends in which nothing was asked for, to a minute: 1,800. */
  readonly idleTimeout?: number | undefined;
  /** Seconds after which a session ends in any case: 43,200. */
  readonly absoluteTimeout?: number | undefined;
  /**
   * What sessions are encrypted with: 32 bytes, or their base64url text. A random one unless given, so that sessions end
   * with the process. Instances that have the same one take each other's sessions; links and sign-outs stay with the
   * instance that they were made at.
   */
  readonly sessionKey?: string | Uint8Array | undefined;
  /** Sign-ins, and links that were refused, go into the audit of this store; nowhere unless given. */
  readonly store?: CredentialStore | undefined;
  readonly clock?: Clock | undefined;
}

/** A link that signs a member in, once. */
export interface SignInLink {
  readonly member: string;
  /** Whoever has it can sign in: show it to nobody but the member. */
  readonly url: string;
}

/** What `createSignIn` makes. */
export interface SignIn {
  /** Mount it before the Dashboard, at the same path. */
  readonly router: Router;
  /** For `createDashboard`. Asked again for every request: a session that has ended is nobody's. */
  readonly memberOf: (req: Request) => Promise<Member | undefined>;
  /** For `createDashboard`: own paths. */
  readonly signInUrl: string;
  readonly signOutUrl: string;
  /** Makes a link for each member. Those that were made before are good no more. */
  links(): readonly SignInLink[];
  /** Ends every session of a member, from the next request on. */
  endSessions(memberId: string): void;
}

const OPTION_NAMES = [
  ...['members', 'url', 'help', 'linkLifetime', 'idleTimeout', 'absoluteTimeout', 'sessionKey', 'store', 'clock'],
];

const HELP = 'Whoever runs this server can make one.';

const ONE_DAY = 86_400;

/**
 * Makes a sign-in by one-time links, as Jupyter has one. It is for who runs the server, and for demonstrations; a platform
 * has its own, and gives `createDashboard` a `memberOf` of that.
 *
 * The page of a link asks for a press of a button, which spends it. The session is an encrypted cookie, which browsers keep
 * over https and on localhost.
 *
 * @throws TypeError for an option that is missing, unknown or of the wrong type.
 */
export function createSignIn(options: SignInOptions): SignIn {
  const { members, url, help, linkLifetime, limits, sessionKey, store, clock } = readOptions(options);
  const links = new OneTimeLinks(linkLifetime, clock);
  const sessions = new Sessions(sessionSeal(sessionKey, url.href), limits, clock);
  const record = signInAudit(store, members, clock);
  const mount = url.pathname.replace(/\/$/, '');

  async function memberOf(req: Request): Promise<Member | undefined> {
    const session = await sessions.read(sessionCookieOf(req));
    // What a member may do is what the options say now, not what they said to another process that has the same key.
    const member = session && members.get(session.member);
    if (session === undefined || member?.account !== session.account) return undefined;
    const renewed = await sessions.renewed(session);
    if (renewed !== undefined && req.res?.headersSent === false) setSessionCookie(req.res, renewed);
    return { ...member, address: req.ip };
  }

  return Object.freeze({
    router: signInRouter({ members, links, sessions, pages: signInPages(help), record }),
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

function readOptions(given: SignInOptions) {
  const options = new Options('createSignIn', given, OPTION_NAMES);
  const url = secureUrl(options.text('url'));
  if (url === undefined || url.search !== '') {
    throw options.mistake('url', 'an https URL (http to this machine only) without query and fragment');
  }
  const seconds = (name: string, fallback: number) => 1_000 * options.integer(name, fallback, 1, 30 * ONE_DAY);
  return {
    url,
    members: readMembers(options),
    help: options.has('help') ? options.text('help') : HELP,
    linkLifetime: seconds('linkLifetime', 900),
    limits: { idle: seconds('idleTimeout', 1_800), absolute: seconds('absoluteTimeout', 43_200) },
    sessionKey: readKey(options),
    store: options.has('store') ? options.object<CredentialStore>('store', ['resolveKey', 'ready']) : undefined,
    clock: options.has('clock') ? options.object<Clock>('clock', ['now', 'monotonic']) : systemClock,
  };
}

function readMembers(options: Options): ReadonlyMap<string, Member> {
  const given = options.raw('members');
  try {
    if (Array.isArray(given) && given.length > 0) {
      const members = new Map(given.map(readMember).map((member) => [member.id, Object.freeze(member)]));
      if (members.size === given.length) return members;
    }
  } catch {
    // Told below.
  }
  throw options.mistake('members', 'a list of members, each with an id of its own, an account and permissions');
}

function readKey(options: Options): Uint8Array {
  if (!options.has('sessionKey')) return randomBytes(SESSION_KEY_BYTES);
  const given = options.raw('sessionKey');
  const bytes = typeof given === 'string' && /^[\w-]{43}=?$/.test(given) ? Buffer.from(given, 'base64url') : given;
  if (!(bytes instanceof Uint8Array) || bytes.byteLength !== SESSION_KEY_BYTES) {
    throw options.mistake('sessionKey', `${SESSION_KEY_BYTES} bytes, or their base64url text (43 characters)`);
  }
  // A copy: the caller may wipe its own.
  return Uint8Array.from(bytes);
}
