/** Protection against CSRF: checks that a form was sent from a page of this origin (OWASP ASVS 3.5.1). */
import type { IncomingMessage } from 'node:http';
import { hasFormBody } from './form-body.js';
import { HttpError } from './http-error.js';

/**
 * An Express request. `secure` says whether the client used TLS. Behind a proxy that ends TLS, it is `true` only if the
 * host app has set `trust proxy`.
 */
export interface MaybeSecure extends IncomingMessage {
  readonly secure?: boolean;
}

export type CrossSiteReason = 'origin' | 'fetch_site' | 'media_type' | 'form_token';

export class CrossSiteError extends HttpError {
  readonly reason: CrossSiteReason;

  constructor(reason: CrossSiteReason) {
    super(
      403,
      'Form not accepted',
      'This form is outdated, or it was not sent from this site. Go back, reload the page and try again.',
    );
    this.reason = reason;
  }
}

/**
 * Refuses a POST form that was not sent from a page of this origin. Browsers send the header `Origin` with each POST
 * form. It must be the origin of this request. The header `Sec-Fetch-Site`, if there is one, and the type of the body
 * are checked too.
 *
 * @throws CrossSiteError
 */
export function assertSameOrigin(req: MaybeSecure): void {
  const { origin, host, 'sec-fetch-site': fetchSite } = req.headers;
  const own = `${req.secure === true ? 'https' : 'http'}://${host}`;
  // Some proxies add the default port to `Host`, which `Origin` never has. `URL` removes it.
  const ownOrigin = host !== undefined && URL.canParse(own) ? new URL(own).origin : undefined;
  if (ownOrigin === undefined || origin?.toLowerCase() !== ownOrigin) throw new CrossSiteError('origin');
  // Some browsers from before 2023 do not send `Sec-Fetch-Site`, so a form without it is accepted.
  if (fetchSite !== undefined && fetchSite !== 'same-origin') throw new CrossSiteError('fetch_site');
  if (!hasFormBody(req)) throw new CrossSiteError('media_type');
}
