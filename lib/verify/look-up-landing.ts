/** What look-ups bring, and what is kept of it. */
import type { LookUpFailure } from '../events/look-up-failure.js';
import type { SegmentEntry, Subject } from './entry-segment.js';
import type { Instant } from './freshness.js';

// Each member of these unions has every discriminating property of its own: one that it lacked could be inherited.

/** What a resolver said: facts, or why there are none to believe. */
export type Found<F> = FoundFacts<F> | FoundNothing;

export interface FoundFacts<F> {
  readonly facts: F;
  readonly subject: Subject;
}

export interface FoundNothing {
  readonly facts: undefined;
  /** `unknown`, `revoked`, … */
  readonly reason: string;
  readonly subject: Subject;
  /** Whether nothing can mend it: revoked is final. */
  readonly final: boolean;
}

export function foundNothing(reason: string, subject: Subject): FoundNothing {
  return { facts: undefined, reason, subject, final: reason === 'revoked' };
}

export function isNothing<F>(found: Found<F>): found is FoundNothing {
  return found.facts === undefined;
}

/** A good entry. The instant is that of its look-up: of its own, since a hit should touch as few objects as may be. */
export interface Entry<F> extends SegmentEntry, Instant {
  readonly facts: F;
  readonly sequence: number;
  /** When a look-up of it last failed: for a moment from then on it is served without another try. */
  failedAt: Instant | undefined;
}

/** A negative entry. The instant is that of its look-up. */
export interface Miss extends SegmentEntry, Instant {
  readonly reason: string;
  readonly final: boolean;
  readonly sequence: number;
}

/** How a look-up ended. */
export type Landing<F> =
  | { readonly entry: Entry<F>; readonly miss: undefined; readonly failed: undefined }
  | { readonly entry: undefined; readonly miss: Miss; readonly failed: undefined }
  | { readonly entry: undefined; readonly miss: undefined; readonly failed: LookUpFailure['reason'] };

export function landedWell<F>(entry: Entry<F>): Landing<F> {
  return { entry, miss: undefined, failed: undefined };
}

export function landedOnMiss<F>(miss: Miss): Landing<F> {
  return { entry: undefined, miss, failed: undefined };
}

export function failed<F>(reason: LookUpFailure['reason']): Landing<F> {
  return { entry: undefined, miss: undefined, failed: reason };
}
