/** The routes of the sign-in: the page that a link opens, the form that signs in, and the form that signs out. */
import { type Request, type Response, Router } from 'express';
import { ownEndpoint } from '../../express/route-metadata.js';
import { clientNetwork } from '../../http/client-network.js';
import { BruteForceLimiter } from '../../issuer/brute-force-limiter.js';
import { TokenRequestError } from '../../issuer/token-request-error.js';
import type { Member } from '../../management/member.js';
import { assertFormToken, ensureFormToken, TOKEN_FIELD } from '../http/csrf-token.js';
import { readFormBody } from '../http/form-body.js';
import { HttpError, methodNotAllowed } from '../http/http-error.js';
import { type PageResponse, seeOther, sendResponse } from '../http/page-response.js';
import { reportFailure } from '../http/report-failure.js';
import { Fields } from '../http/request-fields.js';
import { assertSameOrigin } from '../http/same-origin.js';
import { setSecurityHeaders } from '../http/security-headers.js';
import { toHttpError } from '../http/to-http-error.js';
import { isLinkToken, type OneTimeLinks } from './one-time-links.js';
import type { Session } from './session-cipher.js';
import type { SessionCookie } from './session-cookie.js';
import type { Sessions } from './sessions.js';
import type { SignInAudit } from './sign-in-audit.js';
import { LINK_FIELD, type SignInPages } from './sign-in-pages.js';

export const SIGN_IN_PATH = '/sign-in';
export const SIGN_OUT_PATH = '/sign-out';

export interface SignInParts {
  readonly members: ReadonlyMap<string, Member>;
  readonly links: OneTimeLinks;
  readonly sessions: Sessions;
  readonly cookie: SessionCookie;
  readonly pages: SignInPages;
  readonly audit: SignInAudit;
}

/**
 * `BruteForceLimiter` counts failures for a pair of a client ID and a network. A sign-in has no client ID, so it always
 * passes this name.
 */
const LIMITER_NAME = 'sign-in';

/**
 * Matches a `Host` header that names this machine: `localhost`, a name that ends with `.localhost`, 127.x.x.x or
 * `[::1]`. Most browsers accept `Secure` cookies from these hosts even without TLS.
 */
const THIS_MACHINE = /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

export function signInRouter({ members, links, sessions, cookie, pages, audit }: SignInParts): Router {
  const limiter = new BruteForceLimiter({});

  async function showLink(req: Request, res: Response): Promise<PageResponse> {
    assertSecureCookies(req);
    const token = new URLSearchParams(req.url.split('?')[1]).get(LINK_FIELD);
    if (!isLinkToken(token)) return pages.explain(req.baseUrl);
    const link = links.find(token);
    const member = link && members.get(link.member);
    if (member !== undefined && link?.isUsable === true) {
      return pages.confirm(req.baseUrl, member, token, ensureFormToken(req, res));
    }
    if (await isSignedIn(req, member)) return seeOther(`${req.baseUrl}/`);
    return await refuseLink(req, member);
  }

  async function useLink(req: Request, res: Response): Promise<PageResponse> {
    assertSecureCookies(req);
    const form = await readOwnForm(req, [LINK_FIELD]);
    const token = form.one(LINK_FIELD) ?? '';
    const link = links.find(token);
    const member = link && members.get(link.member);
    if (member === undefined) return await refuseLink(req, member);
    // A double click sends the form twice at once. Both requests get the session that the first one starts.
    const session = await links.redeem(token, form.one(TOKEN_FIELD) ?? '', () => signIn(member, req));
    if (session !== undefined && (await sessions.read(session)) !== undefined) {
      cookie.set(res, session);
      return seeOther(`${req.baseUrl}/`);
    }
    // A reload sends the form again. The first request has used the link and signed the member in.
    if (await isSignedIn(req, member)) return seeOther(`${req.baseUrl}/`);
    return await refuseLink(req, member);
  }

  /**
   * Refuses an invalid link. The limiter bounds how many audit log entries one network can cause. It does not protect
   * the links themselves: they have 256 random bits, so nobody can guess them. It never refuses a valid link.
   */
  async function refuseLink(req: Request, member: Member | undefined): Promise<never> {
    const network = clientNetwork(req.ip ?? req.socket.remoteAddress);
    await limiter.assertOpen(LIMITER_NAME, network);
    await limiter.countFailure(LIMITER_NAME, network);
    await audit.refused(member, req.ip);
    throw badLink();
  }

  /**
   * Starts a session, after it has written the sign-in to the audit log. If this fails, throws the error, so that
   * nobody is signed in without an entry. The member can then use the link again.
   *
   * @returns The value of the cookie.
   */
  async function signIn(member: Member, req: Request): Promise<string> {
    await audit.signedIn(member, req.ip);
    await endSession(req);
    return await sessions.start(member);
  }

  /** Signs the member out, even if the audit log cannot be written. */
  async function signOut(req: Request, res: Response): Promise<PageResponse> {
    await readOwnForm(req, []);
    const session = await endSession(req);
    cookie.clear(res);
    if (session !== undefined) {
      const { member: id, account } = session;
      await audit.signedOut({ id, account }, req.ip).catch((error) => reportFailure(req.method, SIGN_OUT_PATH, error));
    }
    return seeOther(`${req.baseUrl}${SIGN_IN_PATH}`);
  }

  async function isSignedIn(req: Request, member: Member | undefined): Promise<boolean> {
    if (member === undefined) return false;
    return (await sessions.read(cookie.read(req)))?.member === member.id;
  }

  /**
   * Ends the session in the cookie that the browser sent, so that no copy of the cookie is accepted. An attacker has a
   * copy, for example, if the attacker set the cookie in the member's browser (session fixation).
   */
  async function endSession(req: Request): Promise<Session | undefined> {
    const session = await sessions.read(cookie.read(req));
    if (session !== undefined) sessions.end(session);
    return session;
  }

  function refuseMethod(allow: string): SignInHandler {
    return () => {
      throw methodNotAllowed(allow);
    };
  }

  function handlerOf(route: string, work: SignInHandler) {
    return ownEndpoint(function answerSignIn(req: Request, res: Response): void {
      const fail = (thrown: unknown) => {
        const error = thrown instanceof TokenRequestError ? tooManyFailures(thrown) : thrown;
        reportFailure(req.method, route, error);
        return pages.refuse(req.baseUrl, toHttpError(error));
      };
      setSecurityHeaders(req, res, () => {
        (async () => await work(req, res))()
          .catch(fail)
          .then((answer) => sendResponse(res, answer))
          .catch(() => res.destroy());
      });
    });
  }

  const router = Router({ caseSensitive: true });
  router.get(SIGN_IN_PATH, handlerOf(SIGN_IN_PATH, showLink));
  router.post(SIGN_IN_PATH, handlerOf(SIGN_IN_PATH, useLink));
  router.all(SIGN_IN_PATH, handlerOf(SIGN_IN_PATH, refuseMethod('GET, HEAD, POST')));
  router.post(SIGN_OUT_PATH, handlerOf(SIGN_OUT_PATH, signOut));
  router.all(SIGN_OUT_PATH, handlerOf(SIGN_OUT_PATH, refuseMethod('POST')));
  return router;
}

type SignInHandler = (req: Request, res: Response) => PageResponse | Promise<PageResponse>;

/** Reads a form that a page of this site sent. @throws HttpError 403 for a form from another site. */
async function readOwnForm(req: Request, names: readonly string[]): Promise<Fields> {
  assertSameOrigin(req);
  const fields = new Fields(await readFormBody(req, MAX_FORM_BYTES), [...names, TOKEN_FIELD]);
  assertFormToken(req, fields.one(TOKEN_FIELD));
  return fields;
}

/**
 * Maximum bytes of a form. The token of a link and the CSRF token need much less. Visitors who are not signed in can
 * send this form too, so a large body must not use up memory.
 */
const MAX_FORM_BYTES = 16 * 1_024;

/**
 * Refuses a request without TLS, except on this machine, because browsers drop the `Secure` cookie of the session.
 * Without this check, a member would sign in and be asked to sign in again, without an explanation.
 */
function assertSecureCookies(req: Request): void {
  if (req.secure || THIS_MACHINE.test(req.headers.host ?? '')) return;
  const message =
    'To sign in, open the Dashboard over HTTPS. Over HTTP, you can sign in only on the machine that runs the server. If the address of this page already begins with https, the server is behind a proxy and does not know that you use HTTPS. In this case, ask support to turn on the "trust proxy" setting of the server.';
  throw new HttpError(403, 'HTTPS required', message);
}

function badLink(): HttpError {
  return new HttpError(
    401,
    'Not signed in',
    'This sign-in link has already been used, has expired, or is not valid. You need a new link.',
  );
}

function tooManyFailures({ headers }: TokenRequestError): HttpError {
  return new HttpError(
    429,
    'Too many attempts',
    'Too many invalid sign-in links were opened from your network. Try again later.',
    headers,
  );
}
