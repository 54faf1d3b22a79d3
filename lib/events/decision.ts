import type { Kind } from '../credentials/credential-kind.js';
import type { BearerErrorCode } from '../protocol/bearer-error-codes.js';
import { eventChannel } from './event-channel.js';

/**
 * What a gate (such as `requireBearer`) or a guard has decided about one request. It never contains a credential,
 * unless the client has put the credential into the path.
 */
export interface Decision {
  /**
   * `accepted`: a gate accepted the credential. `refused`: a gate or a guard refused the request. `unavailable`: no
   * decision was possible, for example because a lookup failed, and the request got 503. `warning`: the request passed,
   * but has a problem.
   */
  readonly outcome: 'accepted' | 'refused' | 'unavailable' | 'warning';
  /**
   * The name of the gate or guard that decided: `requireBearer`, `openApiGate`, or a guard such as
   * `requireScopes(payments)`.
   */
  readonly by: string;
  /** The error code in the response; `undefined` if the request passed. */
  readonly code: BearerErrorCode | 'undocumented_operation' | undefined;
  /** The exact reason, which the client does not see. docs/reference/events.md lists the reasons. */
  readonly reason: string | undefined;
  /** The kind of the credential: `secret`, `public` or `access`; `undefined` if no verifier accepted it. */
  readonly kind: Kind | undefined;
  /**
   * The id of the API key, or the client ID of the access token. It is also set for a refused credential whose key was
   * found.
   */
  readonly keyId: string | undefined;
  /**
   * The account of the credential; `undefined` if no verifier accepted the credential, or if the verifier does not know
   * the account.
   */
  readonly account: string | undefined;
  /**
   * The first eight hex digits of the credential's SHA-256, for a refused credential whose key was not found. It shows
   * whether the same wrong credential is used again, or whether an attacker tries many.
   */
  readonly fingerprint: string | undefined;
  readonly method: string | undefined;
  /** The whole path of the request, as the client sent it, without the query. */
  readonly path: string | undefined;
}

/**
 * `keyward:decision`: publishes each decision of a gate about a credential, and each refusal, outage and warning of a
 * gate or a guard. Nothing is published if a guard lets a request pass without a warning, or if an optional gate lets a
 * request without a credential pass.
 */
export const decisions = eventChannel<Decision>('keyward:decision');
