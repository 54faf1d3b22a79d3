/** Who asks, by the platform's own sign-in: asked for every request, and remembered for none. */
import type { Request } from 'express';
import type { Awaitable } from '../contracts/key-resolver.js';
import { ManagementError } from '../management/management-error.js';
import { type Member, readMember } from '../management/member.js';
import { Refusal } from './refusal.js';

/** Who sent a request; `undefined` for nobody. Where it throws or rejects, the request gets 503. */
export type MemberOf = (req: Request) => Awaitable<Member | undefined>;

/** The sign-in gave no answer; `cause` is for the operator. */
export class MemberUnknown extends Refusal {
  constructor(cause: unknown) {
    super(503, 'Not available', 'It cannot be told at the moment who you are. Try again soon.', { 'Retry-After': '1' });
    this.cause = cause;
  }
}

/** @throws Refusal 401 for nobody; 503 where nobody can tell. */
export async function signedIn(memberOf: MemberOf, req: Request): Promise<Member> {
  const given = await asked(memberOf, req);
  try {
    const member = readMember(given);
    const address = member.address ?? req.ip;
    return address === undefined ? member : { ...member, address };
  } catch (error) {
    if (!(error instanceof ManagementError)) throw error;
    throw new Refusal(401, 'Not signed in', 'Sign in to see your keys.');
  }
}

async function asked(memberOf: MemberOf, req: Request): Promise<unknown> {
  try {
    return await memberOf(req);
  } catch (error) {
    throw new MemberUnknown(error);
  }
}
