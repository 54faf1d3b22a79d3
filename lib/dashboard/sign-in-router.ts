/** The routes of the sign-in: a link is shown, then spent by a form; a session is ended by another. */
import { type Request, type Response, Router } from 'express';
import { GuessLimits } from '../issuer/guess-limits.js';
import { networkOf } from '../issuer/network-of.js';
import { TokenRefusal } from '../issuer/token-refusal.js';
import type { Member } from '../management/member.js';
import { type Answer, seeOther, write } from './answer.js';
import { refusalOf } from './error-page.js';
import { Fields } from './fields.js';
import { readFormBody } from './form-body.js';
import { assertFormToken, formTokenOf, TOKEN_FIELD } from './form-token.js';
import { notice } from './notice.js';
import { isLinkToken, type OneTimeLinks } from './one-time-links.js';
import { Refusal } from './refusal.js';
import { assertSameOrigin } from './same-origin.js';
import { setSecurityHeaders } from './security-headers.js';
import { clearSessionCookie, sessionCookieOf, setSessionCookie } from './session-cookie.js';
import type { Sessions } from './sessions.js';
import type { RecordSignIn } from './sign-in-audit.js';
import { LINK_FIELD, type SignInPages } from './sign-in-pages.js';

export const SIGN_IN_PATH = '/sign-in';
export const SIGN_OUT_PATH = '/sign-out';

export interface SignInParts {
  readonly members: ReadonlyMap<string, Member>;
  readonly links: OneTimeLinks;
  readonly sessions: Sessions;
  readonly pages: SignInPages;
  readonly record: RecordSignIn;
}

/** What failures are counted by, within a network: there is one door. */
const DOOR = 'sign-in';

/** Where browsers keep `Secure` cookies that came without TLS. */
const THIS_MACHINE = /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

export function signInRouter({ members, links, sessions, pages, record }: SignInParts): Router {
  const limits = new GuessLimits({});

  function showLink(req: Request, res: Response): Answer {
    assertKeepsCookies(req);
    const token = new URLSearchParams(req.url.split('?')[1]).get(LINK_FIELD);
    if (!isLinkToken(token)) return pages.explain(req.baseUrl);
    if (links.isOver(token)) throw badLink();
    return pages.confirm(req.baseUrl, token, formTokenOf(req, res));
  }

  async function spendLink(req: Request, res: Response): Promise<Answer> {
    assertKeepsCookies(req);
    const fields = await ownForm(req, [LINK_FIELD]);
    const network = networkOf(req.ip ?? req.socket.remoteAddress);
    const hasFailed = await limits.assertOpen(DOOR, network);
    const token = fields.one(LINK_FIELD) ?? '';
    const member = members.get(links.redeem(token) ?? '');
    if (member === undefined) await limits.countFailure(DOOR, network);
    await recorded(member, req, token);
    if (member === undefined) throw badLink();
    if (hasFailed) await limits.forgive(DOOR, network);
    await endSession(req);
    setSessionCookie(res, await sessions.start(member));
    return seeOther(`${req.baseUrl}/`);
  }

  /** What cannot be written down does not happen, and does not cost the link. */
  async function recorded(member: Member | undefined, { ip }: Request, token: string): Promise<void> {
    try {
      await record(member, ip);
    } catch (error) {
      if (member !== undefined) links.restore(token);
      throw error;
    }
  }

  async function signOut(req: Request, res: Response): Promise<Answer> {
    await ownForm(req, []);
    await endSession(req);
    clearSessionCookie(res);
    return seeOther(`${req.baseUrl}${SIGN_IN_PATH}`);
  }

  /** The session that the browser had, or that somebody planted there: no copy of it is taken again. */
  async function endSession(req: Request): Promise<void> {
    const session = await sessions.read(sessionCookieOf(req));
    if (session !== undefined) sessions.end(session);
  }

  function refuseMethod(allow: string): Work {
    return () => {
      throw new Refusal(405, 'Not possible', 'This page does not take that method.', { Allow: allow });
    };
  }

  function answering(route: string, work: Work) {
    return function answerSignIn(req: Request, res: Response): void {
      const fail = (error: unknown) => {
        notice(req.method, route, error);
        return pages.refuse(req.baseUrl, error instanceof TokenRefusal ? tooManyFailures(error) : refusalOf(error));
      };
      setSecurityHeaders(req, res, () => {
        (async () => await work(req, res))()
          .catch(fail)
          .then((answer) => write(res, answer))
          .catch(() => res.destroy());
      });
    };
  }

  const router = Router({ caseSensitive: true });
  router.get(SIGN_IN_PATH, answering(SIGN_IN_PATH, showLink));
  router.post(SIGN_IN_PATH, answering(SIGN_IN_PATH, spendLink));
  router.all(SIGN_IN_PATH, answering(SIGN_IN_PATH, refuseMethod('GET, HEAD, POST')));
  router.post(SIGN_OUT_PATH, answering(SIGN_OUT_PATH, signOut));
  router.all(SIGN_OUT_PATH, answering(SIGN_OUT_PATH, refuseMethod('POST')));
  return router;
}

type Work = (req: Request, res: Response) => Answer | Promise<Answer>;

/** The fields of a form of these pages. @throws Refusal 403 for one that comes from elsewhere. */
async function ownForm(req: Request, names: readonly string[]): Promise<Fields> {
  assertSameOrigin(req);
  const fields = new Fields(await readFormBody(req), [...names, TOKEN_FIELD]);
  assertFormToken(req, fields.one(TOKEN_FIELD));
  return fields;
}

/** Elsewhere browsers would drop the cookies without a word, and the sign-in would seem to do nothing. */
function assertKeepsCookies(req: Request): void {
  if (req.secure || THIS_MACHINE.test(req.headers.host ?? '')) return;
  const message =
    'Signing in needs https. Without it this works on the machine alone that runs the server, by the link as it was printed. Behind a proxy that ends TLS the server must be told to trust it.';
  throw new Refusal(403, 'https is needed', message);
}

function badLink(): Refusal {
  return new Refusal(401, 'Not signed in', 'This link was used, has expired, or never was one.');
}

function tooManyFailures({ headers }: TokenRefusal): Refusal {
  return new Refusal(
    429,
    'Too many tries',
    'Too many links that are not good came from your network. Wait a while.',
    headers,
  );
}
