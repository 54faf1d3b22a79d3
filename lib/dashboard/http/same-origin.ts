/** Checks that a form was sent from a page of this origin (OWASP ASVS 3.5.1). */
import type { IncomingMessage } from 'node:http';
import { hasFormBody } from './form-body.js';
import { HttpError } from './http-error.js';

/** A request of Express, which knows from `trust proxy` whether it used TLS. */
export interface MaybeSecure extends IncomingMessage {
  readonly secure?: boolean;
}

/** Why a request counts as cross-site. */
export type CrossSiteReason = 'origin' | 'fetch_site' | 'media_type' | 'form_token';

export class CrossSiteError extends HttpError {
  readonly reason: CrossSiteReason;

  constructor(reason: CrossSiteReason) {
    super(
      403,
      'Form not accepted',
      'This form was not sent from a page of this site. Go back, reload the page and try again.',
    );
    this.reason = reason;
  }
}

/**
 * A browser sends the origin of the page with each form. A forged Host header only makes the two differ, so the form is
 * refused.
 *
 * @throws CrossSiteError
 */
export function assertSameOrigin(req: MaybeSecure): void {
  const { origin, host, 'sec-fetch-site': fetchSite } = req.headers;
  const own = `${req.secure === true ? 'https' : 'http'}://${host}`;
  if (host === undefined || origin?.toLowerCase() !== own.toLowerCase()) throw new CrossSiteError('origin');
  // Older browsers do not send it.
  if (fetchSite !== undefined && fetchSite !== 'same-origin') throw new CrossSiteError('fetch_site');
  if (!hasFormBody(req)) throw new CrossSiteError('media_type');
}
