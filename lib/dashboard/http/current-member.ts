/**
 * Finds the member who sent a request. The host app is asked for every request, so a member loses a removed permission
 * immediately.
 */
import type { Request } from 'express';
import type { Awaitable } from '../../contracts/key-resolver.js';
import { withTimeout } from '../../issuer/with-timeout.js';
import { ManagementError } from '../../management/management-error.js';
import { type Member, readMember } from '../../management/member.js';
import { HttpError } from './http-error.js';

const TIMEOUT_MS = 10_000;

/**
 * Returns the member who sent a request; `undefined` if nobody is signed in. If it throws or rejects, or its promise
 * does not settle within ten seconds, the request gets 503.
 */
export type MemberOf = (req: Request) => Awaitable<Member | undefined>;

/** The error if `memberOf` threw, rejected or took too long. `cause` is for the operator; the page does not show it. */
export class MemberLookupError extends HttpError {
  constructor(cause: unknown) {
    super(503, 'Temporarily unavailable', 'Your sign-in could not be checked. Try again later.', {
      'Retry-After': '1',
    });
    this.cause = cause;
  }
}

/**
 * The error if `memberOf` returned something that is not a `Member`. The page is the same as for a visitor who is not
 * signed in.
 */
export class MemberInvalidError extends HttpError {
  constructor() {
    super(401, 'Not signed in', 'Sign in to see your keys.');
  }
}

/**
 * Returns the member who sent a request. If `memberOf` gives no IP address, the member gets `req.ip`.
 *
 * @throws HttpError 401 if nobody is signed in, or if `memberOf` returned no valid member; 503 if it failed.
 */
export async function currentMember(memberOf: MemberOf, req: Request): Promise<Member> {
  const given = await callMemberOf(memberOf, req);
  try {
    const member = readMember(given);
    // `readMember` removes unknown permissions. A member with an empty list is valid, but may do nothing. A list with
    // only unknown permissions, such as a misspelled one, is a bug in `memberOf`.
    const hasOnlyUnknown = member.permissions.length === 0 && (given as Member).permissions.length > 0;
    if (hasOnlyUnknown) throw new MemberInvalidError();
    return { ...member, address: member.address ?? req.ip };
  } catch (error) {
    if (!(error instanceof ManagementError)) throw error;
    if (given) throw new MemberInvalidError();
    throw new HttpError(401, 'Not signed in', 'Sign in to see your keys.');
  }
}

async function callMemberOf(memberOf: MemberOf, req: Request): Promise<unknown> {
  try {
    return await withTimeout(memberOf(req), TIMEOUT_MS);
  } catch (error) {
    throw new MemberLookupError(error);
  }
}
