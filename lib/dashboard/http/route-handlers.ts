/**
 * Creates the Express handlers of the Dashboard's routes. Each handler checks the request (for a form: origin, member,
 * fields and CSRF token), sends the response of the page, and turns every error into an error page.
 */
import type { Request, Response } from 'express';
import type { Member } from '../../management/member.js';
import { errorPage } from '../components/error-page.js';
import { FLASH, isFromThisOrigin } from '../components/flash-message.js';
import type { Route } from '../pages/routes.js';
import { assertMemberFormToken, ensureFormToken, memberFormToken, TOKEN_FIELD } from './csrf-token.js';
import { currentMember, type MemberOf } from './current-member.js';
import { MAX_SETTINGS_BYTES, parsePairs, readFormBody } from './form-body.js';
import { badRequest, methodNotAllowed } from './http-error.js';
import type { DashboardSettings, Page, PageContext } from './page-context.js';
import { type PageResponse, sendResponse } from './page-response.js';
import { reportFailure } from './report-failure.js';
import { Fields } from './request-fields.js';
import { assertSameOrigin } from './same-origin.js';
import { toHttpError } from './to-http-error.js';

export function routeHandlers(site: DashboardSettings, memberOf: MemberOf) {
  function serveGet({ path, query = [] }: Route, page: Page) {
    return function showPage(req: Request, res: Response): void {
      respond(req, res, path, async () => {
        const member = await currentMember(memberOf, req);
        const pairs = parseQuery(req).filter(([name]) => name !== FLASH || isFromThisOrigin(req));
        const fields = new Fields(pairs, query);
        return await page(contextOf(req, res, member, fields));
      });
    };
  }

  function servePost({ path, form = [] }: Route, page: Page) {
    return function receiveForm(req: Request, res: Response): void {
      respond(req, res, path, async () => {
        assertSameOrigin(req);
        const member = await currentMember(memberOf, req);
        const fields = new Fields(await readFormBody(req, MAX_SETTINGS_BYTES), [...form, TOKEN_FIELD]);
        assertMemberFormToken(req, fields.one(TOKEN_FIELD), member);
        return await page(contextOf(req, res, member, fields));
      });
    };
  }

  function refuseMethod({ path, get, post }: Route) {
    const allow = [...(get === undefined ? [] : ['GET', 'HEAD']), ...(post === undefined ? [] : ['POST'])].join(', ');
    return function refuse(req: Request, res: Response): void {
      respond(req, res, path, () => {
        throw methodNotAllowed(allow);
      });
    };
  }

  function contextOf(req: Request, res: Response, member: Member, fields: Fields): PageContext {
    const browserToken = ensureFormToken(req, res);
    const formToken = memberFormToken(browserToken, member);
    const { baseUrl: base, params } = req;
    return { site, base, params, member, fields, browserToken, formToken, now: site.clock.now() };
  }

  /** Sends the response that `work` returns, or an error page if `work` fails. No error reaches the host app. */
  function respond(
    req: Request,
    res: Response,
    route: string | undefined,
    work: () => PageResponse | Promise<PageResponse>,
  ): void {
    const fail = (error: unknown) => {
      reportFailure(req.method, route, error);
      return errorPage(site, req.baseUrl, toHttpError(error));
    };
    const run = async () => await work();
    run()
      .catch(fail)
      .then((answer) => sendResponse(res, answer))
      .catch((error) => {
        // Sending the response failed. The browser may already have a part of it, so no error page can follow. Closing
        // the connection tells the browser that the response is incomplete.
        reportFailure(req.method, route, error);
        res.destroy();
      });
  }

  return { serveGet, servePost, refuseMethod, respond };
}

function parseQuery({ url }: Request) {
  const mark = url.indexOf('?');
  const pairs = mark === -1 ? [] : parsePairs(url.slice(mark + 1));
  if (pairs === undefined)
    throw badRequest('The address of this page is not valid. Go to your keys and open the page from there.');
  return pairs;
}
