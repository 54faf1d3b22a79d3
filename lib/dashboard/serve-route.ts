/** The way of a request to a page: where it comes from, who sent it, what it brings. */
import type { Request, Response } from 'express';
import { type Answer, write } from './answer.js';
import { DONE, isComeToFromHere } from './done.js';
import { errorPage, refusalOf } from './error-page.js';
import { Fields } from './fields.js';
import { pairsOf, readFormBody } from './form-body.js';
import { assertFormToken, formTokenOf, TOKEN_FIELD } from './form-token.js';
import { notice } from './notice.js';
import { badRequest, Refusal } from './refusal.js';
import type { Route } from './routes.js';
import { assertSameOrigin } from './same-origin.js';
import { type MemberOf, signedIn } from './signed-in.js';
import type { Page, Site } from './visit.js';

/** Makes the handlers of a Dashboard's routes. */
export function routesOf(site: Site, memberOf: MemberOf) {
  function serveGet({ path, query = [] }: Route, page: Page) {
    return function showPage(req: Request, res: Response): void {
      respond(req, res, path, async () => {
        const member = await signedIn(memberOf, req);
        const pairs = queryOf(req).filter(([name]) => name !== DONE || isComeToFromHere(req));
        const fields = new Fields(pairs, query);
        return await page({ ...visitOf(req, fields), member, formToken: formTokenOf(req, res) });
      });
    };
  }

  function servePost({ path, form = [] }: Route, page: Page) {
    return function takeForm(req: Request, res: Response): void {
      respond(req, res, path, async () => {
        assertSameOrigin(req);
        const member = await signedIn(memberOf, req);
        const fields = new Fields(await readFormBody(req), [...form, TOKEN_FIELD]);
        assertFormToken(req, fields.one(TOKEN_FIELD));
        return await page({ ...visitOf(req, fields), member, formToken: formTokenOf(req, res) });
      });
    };
  }

  function refuseMethod({ path, get, post }: Route) {
    const allow = [...(get === undefined ? [] : ['GET', 'HEAD']), ...(post === undefined ? [] : ['POST'])].join(', ');
    return function refuse(req: Request, res: Response): void {
      respond(req, res, path, () => {
        throw new Refusal(405, 'Not possible', 'This page does not take that method.', { Allow: allow });
      });
    };
  }

  function visitOf(req: Request, fields: Fields) {
    return { site, base: req.baseUrl, params: req.params, fields, now: site.clock.now() };
  }

  /** Answers in every case: nothing that is thrown goes on to the host app. */
  function respond(req: Request, res: Response, route: string | undefined, work: () => Answer | Promise<Answer>): void {
    const fail = (error: unknown) => {
      notice(req.method, route, error);
      return errorPage(site, req.baseUrl, refusalOf(error));
    };
    const working = async () => await work();
    working()
      .catch(fail)
      .then((answer) => write(res, answer))
      .catch((error) => {
        // The beginning is sent already: all that is left is to break off.
        notice(req.method, route, error);
        res.destroy();
      });
  }

  return { serveGet, servePost, refuseMethod, respond };
}

function queryOf({ url }: Request) {
  const mark = url.indexOf('?');
  const pairs = mark === -1 ? [] : pairsOf(url.slice(mark + 1));
  if (pairs === undefined) throw badRequest('The address could not be read.');
  return pairs;
}
