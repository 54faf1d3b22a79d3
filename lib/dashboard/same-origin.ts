/** Whether a form was sent from a page of this very origin (OWASP ASVS 3.5.1). */
import type { IncomingMessage } from 'node:http';
import { bringsForm } from './form-body.js';
import { Refusal } from './refusal.js';

/** A request of Express, which knows by `trust proxy` whether it came over TLS. */
export interface MaybeSecure extends IncomingMessage {
  readonly secure?: boolean;
}

/** Why a request was taken for one of another site. */
export type CrossSiteReason = 'origin' | 'fetch_site' | 'media_type' | 'form_token';

export class CrossSite extends Refusal {
  readonly reason: CrossSiteReason;

  constructor(reason: CrossSiteReason) {
    super(
      403,
      'Not sent from here',
      'This form was not sent from a page of this site. Go back, reload the page, and try again.',
    );
    this.reason = reason;
  }
}

/**
 * A browser says with each form where the form was. A forged Host makes them differ, and does no more.
 *
 * @throws CrossSite
 */
export function assertSameOrigin(req: MaybeSecure): void {
  const { origin, host, 'sec-fetch-site': fetchSite } = req.headers;
  const own = `${req.secure === true ? 'https' : 'http'}://${host}`;
  if (host === undefined || origin?.toLowerCase() !== own.toLowerCase()) throw new CrossSite('origin');
  // Older browsers do not send it.
  if (fetchSite !== undefined && fetchSite !== 'same-origin') throw new CrossSite('fetch_site');
  if (!bringsForm(req)) throw new CrossSite('media_type');
}
