/** Finds the member who sent a request. This is done for every request, so a removed permission is lost at once. */
import type { Request } from 'express';
import type { Awaitable } from '../../contracts/key-resolver.js';
import { ManagementError } from '../../management/management-error.js';
import { type Member, readMember } from '../../management/member.js';
import { HttpError } from './http-error.js';

/**
 * Returns the member who sent a request; `undefined` if nobody is signed in. If it throws or rejects, the request
 * gets 503.
 */
export type MemberOf = (req: Request) => Awaitable<Member | undefined>;

/** `memberOf` threw or rejected. `cause` is for the operator; the page does not show it. */
export class MemberLookupError extends HttpError {
  constructor(cause: unknown) {
    super(503, 'Temporarily unavailable', 'Sign-in is not available at the moment. Try again later.', {
      'Retry-After': '1',
    });
    this.cause = cause;
  }
}

/** `memberOf` returned something that is not a `Member`. The page is the same as if nobody was signed in. */
export class MemberInvalidError extends HttpError {
  constructor() {
    super(401, 'Not signed in', 'Sign in to see your keys.');
  }
}

/**
 * Returns the member who sent a request, with the address of the request if `memberOf` gives none.
 *
 * @throws HttpError 401 if nobody is signed in, or if `memberOf` returned no valid member; 503 if it failed.
 */
export async function currentMember(memberOf: MemberOf, req: Request): Promise<Member> {
  const given = await callMemberOf(memberOf, req);
  try {
    const member = readMember(given);
    // `readMember` leaves out unknown permissions. A member without permissions is valid and sees nothing, but a list
    // that has only unknown permissions is a bug of `memberOf`.
    const hasOnlyUnknown = member.permissions.length === 0 && (given as Member).permissions.length > 0;
    if (hasOnlyUnknown) throw new MemberInvalidError();
    const address = member.address ?? req.ip;
    return address === undefined ? member : { ...member, address };
  } catch (error) {
    if (!(error instanceof ManagementError)) throw error;
    if (given) throw new MemberInvalidError();
    throw new HttpError(401, 'Not signed in', 'Sign in to see your keys.');
  }
}

async function callMemberOf(memberOf: MemberOf, req: Request): Promise<unknown> {
  try {
    return await memberOf(req);
  } catch (error) {
    throw new MemberLookupError(error);
  }
}
