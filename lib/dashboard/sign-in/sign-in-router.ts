/** The routes of the sign-in: the page of a link, the form that signs in with it, and the form that signs out. */
import { type Request, type Response, Router } from 'express';
import { ownEndpoint } from '../../express/route-metadata.js';
import { clientNetwork } from '../../http/client-network.js';
import { BruteForceLimiter } from '../../issuer/brute-force-limiter.js';
import { TokenRequestError } from '../../issuer/token-request-error.js';
import type { Member } from '../../management/member.js';
import { toHttpError } from '../components/error-page.js';
import { readFormBody } from '../http/form-body.js';
import { assertFormToken, ensureFormToken, TOKEN_FIELD } from '../http/form-token.js';
import { HttpError, methodNotAllowed } from '../http/http-error.js';
import { type PageResponse, seeOther, sendResponse } from '../http/page-response.js';
import { reportFailure } from '../http/report-failure.js';
import { Fields } from '../http/request-fields.js';
import { assertSameOrigin } from '../http/same-origin.js';
import { setSecurityHeaders } from '../http/security-headers.js';
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
 * The limiter counts failures for a client ID and a network. Sign-in has no client IDs, so it always uses this name.
 */
const LIMITER_NAME = 'sign-in';

/**
 * Matches a `Host` header that names this machine: `localhost`, a name under it, 127.x.x.x or `[::1]`. Most browsers
 * keep `Secure` cookies of these hosts without TLS.
 */
const THIS_MACHINE = /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

export function signInRouter({ members, links, sessions, cookie, pages, audit }: SignInParts): Router {
  const limiter = new BruteForceLimiter({});

  async function showLink(req: Request, res: Response): Promise<PageResponse> {
    assertSecureCookies(req);
    const token = new URLSearchParams(req.url.split('?')[1]).get(LINK_FIELD);
    if (!isLinkToken(token)) return pages.explain(req.baseUrl);
    const link = links.find(token);
    const member = members.get(link?.member ?? '');
    if (member !== undefined && link?.isUsable === true) {
      return pages.confirm(req.baseUrl, member, token, ensureFormToken(req, res));
    }
    if (await isSignedIn(req, member)) return seeOther(`${req.baseUrl}/`);
    return await refuseLink(req);
  }

  async function useLink(req: Request, res: Response): Promise<PageResponse> {
    assertSecureCookies(req);
    const token = (await readOwnForm(req, [LINK_FIELD])).one(LINK_FIELD) ?? '';
    const member = members.get(links.find(token)?.member ?? '');
    if (links.redeem(token) === undefined || member === undefined) {
      // After a double click or a reload, the first request has used the link and signed the member in.
      if (await isSignedIn(req, member)) return seeOther(`${req.baseUrl}/`);
      return await refuseLink(req);
    }
    await signedIn(member, req, token);
    await endSession(req);
    cookie.set(res, await sessions.start(member));
    return seeOther(`${req.baseUrl}/`);
  }

  /**
   * Links have 256 random bits and cannot be guessed, so this limit does not protect them. It bounds how many audit log
   * entries one network can cause, and never refuses a valid link.
   */
  async function refuseLink(req: Request): Promise<never> {
    const network = clientNetwork(req.ip ?? req.socket.remoteAddress);
    await limiter.assertOpen(LIMITER_NAME, network);
    await limiter.countFailure(LIMITER_NAME, network);
    await audit.refused(req.ip);
    throw badLink();
  }

  /**
   * Writes the sign-in to the audit log. If that fails, the link becomes usable again, and the error is thrown, so that
   * nobody is signed in without an entry.
   */
  async function signedIn(member: Member, { ip }: Request, token: string): Promise<void> {
    try {
      await audit.signedIn(member, ip);
    } catch (error) {
      links.restore(token);
      throw error;
    }
  }

  /** Ends the session even if the audit log cannot be written. */
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
   * Ends the session whose cookie the browser sends, so that no copy of that cookie is accepted again. This includes a
   * cookie that an attacker planted in the browser (session fixation).
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
      const fail = (error: unknown) => {
        reportFailure(req.method, route, error);
        return pages.refuse(
          req.baseUrl,
          error instanceof TokenRequestError ? tooManyFailures(error) : toHttpError(error),
        );
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

/** Reads a form of these pages. @throws HttpError 403 for a form from another site. */
async function readOwnForm(req: Request, names: readonly string[]): Promise<Fields> {
  assertSameOrigin(req);
  const fields = new Fields(await readFormBody(req, MAX_FORM_BYTES), [...names, TOKEN_FIELD]);
  assertFormToken(req, fields.one(TOKEN_FIELD));
  return fields;
}

/** Enough for a link and the hidden fields. A larger body is refused, because anyone can send it without a sign-in. */
const MAX_FORM_BYTES = 16 * 1_024;

/**
 * Over http, browsers drop Secure cookies except from this machine. Without this check, a member who signs in would be
 * asked to sign in again, without a reason.
 */
function assertSecureCookies(req: Request): void {
  if (req.secure || THIS_MACHINE.test(req.headers.host ?? '')) return;
  const message =
    'To sign in, open the Dashboard over HTTPS. Over HTTP, sign-in works only on the machine that runs the server. If the address already begins with https, the server is behind a proxy, and "trust proxy" must be set on the server. If you cannot set it, contact support.';
  throw new HttpError(403, 'HTTPS required', message);
}

function badLink(): HttpError {
  return new HttpError(
    401,
    'Not signed in',
    'This link has already been used, has expired, or is not valid. You need a new one.',
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
