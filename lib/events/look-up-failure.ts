import { eventChannel } from './event-channel.js';

/** A look-up that brought no answer: the caller got 503, or was served what was confirmed a moment before. */
export interface LookUpFailure {
  /** Whose look-up: `apiKeys`, `accessKeys`, `issuer`, or `verifier` for one of the user's own. */
  readonly of: string;
  /**
   * `threw`: the resolver threw or rejected. `timed_out`: it took too long. `record_invalid`: what it returned breaks
   * a rule. `too_many`: `maxLookups` were under way. `overtaken`: the key changed twice while it was looked up.
   */
  readonly reason: 'threw' | 'timed_out' | 'record_invalid' | 'too_many' | 'overtaken';
  /** Name and message of the error, with the credential cut out. */
  readonly detail: string | undefined;
}

/** `keyward:look-up-failure`: each look-up of a key or an access key that failed. */
export const lookUpFailures = eventChannel<LookUpFailure>('keyward:look-up-failure');
