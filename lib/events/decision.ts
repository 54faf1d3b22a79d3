import type { Kind } from '../credentials/credential-kind.js';
import type { BearerErrorCode } from '../protocol/bearer-error-texts.js';
import { eventChannel } from './event-channel.js';

/** The decision of a gate or a guard about one request. It never contains a credential or an unverified part of one. */
export interface Decision {
  /**
   * `accepted`: a gate accepted the credential. `refused`: a gate or a guard refused the request. `unavailable`: no
   * decision was possible. `warning`: the request passed, but has a problem.
   */
  readonly outcome: 'accepted' | 'refused' | 'unavailable' | 'warning';
  /** What decided: `requireBearer`, `openApiGate`, or the name of the guard. */
  readonly by: string;
  /** The error code for the caller; `undefined` if the request passed. */
  readonly code: BearerErrorCode | 'undocumented_operation' | undefined;
  /** The reason, for the operator only. docs/reference/events.md lists the reasons. */
  readonly reason: string | undefined;
  readonly kind: Kind | undefined;
  readonly keyId: string | undefined;
  readonly account: string | undefined;
  /** The first eight hex digits of the digest of an unknown credential, to distinguish one attacker from many. */
  readonly fingerprint: string | undefined;
  readonly method: string | undefined;
  /** The path of the request as the gate saw it, without its query. */
  readonly path: string | undefined;
}

/**
 * `keyward:decision`: publishes each decision of a gate, and each refusal and warning of a guard. A guard that lets a
 * request pass without a warning publishes nothing.
 */
export const decisions = eventChannel<Decision>('keyward:decision');
