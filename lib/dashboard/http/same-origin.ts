/** Protection against CSRF: checks that a form was sent from a page of this origin (OWASP ASVS 3.5.1). */
import type { IncomingMessage } from 'node:http';
import { hasFormBody } from './form-body.js';
import { HttpError } from './http-error.js';

/** An Express request, whose `secure` says whether it used TLS; behind a proxy, the setting `trust proxy` decides. */
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
 * Refuses a form that was not sent from a page of this origin. `Origin`, which browsers send with each form, must be
 * the origin of the request; a forged Host header makes the two differ. `Sec-Fetch-Site` and the type of the body are
 * checked too.
 *
 * @throws CrossSiteError
 */
export function assertSameOrigin(req: MaybeSecure): void {
  const { origin, host, 'sec-fetch-site': fetchSite } = req.headers;
  const own = `${req.secure === true ? 'https' : 'http'}://${host}`;
  if (host === undefined || origin?.toLowerCase() !== own.toLowerCase()) throw new CrossSiteError('origin');
  // Browsers before 2023 may not send `Sec-Fetch-Site`.
  if (fetchSite !== undefined && fetchSite !== 'same-origin') throw new CrossSiteError('fetch_site');
  if (!hasFormBody(req)) throw new CrossSiteError('media_type');
}
