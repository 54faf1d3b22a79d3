/** One request of a member, as the pages see it. */
import type { Clock } from '../contracts/clock.js';
import type { Management } from '../management/create-management.js';
import type { Member } from '../management/member.js';
import type { Answer } from './answer.js';
import type { Fields } from './fields.js';

/** What is the same for every request. */
export interface Site {
  readonly management: Management;
  readonly clock: Clock;
  readonly signInUrl: string | undefined;
  readonly signOutUrl: string | undefined;
  readonly stylesheet: string | undefined;
  readonly apiUrl: string;
  readonly tokenUrl: string;
}

export interface Visit {
  readonly site: Site;
  readonly member: Member;
  /** Where the Dashboard is mounted: what every link begins with. It comes from the router, never from Host. */
  readonly base: string;
  /** What the hidden field of each form holds. */
  readonly formToken: string;
  /** The parameters in the path. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The query of a GET, and the form of a POST. */
  readonly fields: Fields;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Answers one kind of request of members. */
export type Page = (visit: Visit) => Promise<Answer>;

/** The id in the path, as it was given. */
export function idIn({ params: { id } }: Visit): string {
  return typeof id === 'string' ? id : '';
}
