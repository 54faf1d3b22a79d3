import { type BearerError, type Guard, type Principal, requireBearer } from 'keyward';
import { bearing, pass, type RequestParts } from './passage.js';
import { acceptingVerifier } from './stub-verifier.js';

/** What a guard makes of a principal: `'passed'`, or the refusal with its scopes. */
export async function judgement(guard: Guard, principal: Principal, parts: RequestParts = {}): Promise<unknown> {
  const gate = requireBearer({ accept: [acceptingVerifier(principal)] });
  const { passed, error } = await pass(bearing('abc', parts), gate, guard);
  if (passed) return 'passed';
  const { code, scopes } = error as BearerError;
  return scopes === undefined ? code : [code, ...scopes];
}
