import type { Kind } from '../credentials/credential-kind.js';
import type { BearerErrorCode } from '../protocol/bearer-error-codes.js';
import { eventChannel } from './event-channel.js';

/**
 * The decision of a gate or a guard about one request. It contains neither a credential nor an unverified part of one,
 * unless the client put it into the path.
 */
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
  /** The kind of the credential; `undefined` if no verifier accepted it. */
  readonly kind: Kind | undefined;
  /** The id of the key, or the client ID of the token. A refused credential has it if its key was found. */
  readonly keyId: string | undefined;
  /** The account of the credential; `undefined` if no verifier accepted it, or if the verifier does not know it. */
  readonly account: string | undefined;
  /**
   * The first eight hex digits of the digest of a refused credential whose key was not found, to distinguish one
   * attacker from many.
   */
  readonly fingerprint: string | undefined;
  readonly method: string | undefined;
  /** The whole path of the request, as the client sent it, without its query. */
  readonly path: string | undefined;
}

/**
 * `keyward:decision`: publishes each decision of a gate about a credential, and each refusal, outage and warning of a
 * gate or a guard. A guard that lets a request pass without a warning publishes nothing, and neither does a gate that
 * lets a request pass without a credential.
 */
export const decisions = eventChannel<Decision>('keyward:decision');
