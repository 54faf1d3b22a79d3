/** Checks preconditions with entity tags (RFC 9110 section 13.1). The entity tag of a key is its version. */
import { ProblemError } from './problem.js';

/**
 * A parsed `If-Match`: `undefined` if there is none, `any` for `*`, otherwise the versions that the client accepts.
 * Tags that keyward did not issue are left out, so a list of only such tags matches no version.
 */
export type IfMatch = undefined | 'any' | readonly number[];

/** Parses `If-Match`. It needs a strong comparison, so a weak tag never matches (RFC 9110 section 8.8.3.2). */
export function parseIfMatch(field: string | undefined): IfMatch {
  if (field === undefined) return undefined;
  if (field.trim() === '*') return 'any';
  return field.split(',').flatMap((tag) => {
    const [, version] = /^"([1-9]\d{0,14})"$/.exec(tag.trim()) ?? [];
    return version === undefined ? [] : [Number(version)];
  });
}

/**
 * Returns whether `If-None-Match` is absent, or has neither `*` nor a tag of this version, by weak comparison (RFC 9110
 * section 13.1.2). Otherwise the response is 304.
 */
export function matchesNone(field: string | undefined, version: number): boolean {
  if (field === undefined) return true;
  if (field.trim() === '*') return false;
  return !field.split(',').some((tag) => tag.trim().replace(/^W\//, '') === entityTag(version));
}

export function entityTag(version: number): string {
  return `"${version}"`;
}

/**
 * Returns the version that a key must have to be changed; `undefined` if it may have any version.
 *
 * @param current - Reads the current version; called only if the client accepts several versions.
 * @throws ProblemError 412 if `If-Match` has no tag that keyward could have issued.
 */
export async function versionFor(ifMatch: IfMatch, current: () => Promise<number>): Promise<number | undefined> {
  if (ifMatch === undefined || ifMatch === 'any') return undefined;
  const [first, ...others] = ifMatch;
  if (first === undefined) throw preconditionFailed();
  if (others.length === 0) return first;
  const now = await current();
  return ifMatch.includes(now) ? now : first;
}

export function preconditionFailed(): ProblemError {
  return new ProblemError(412, 'version_conflict', 'the key has changed since you read it; read it again and retry');
}

/** The error 428 of RFC 6585 section 3, for a request without `If-Match`. */
export function preconditionRequired(): ProblemError {
  return new ProblemError(
    428,
    'precondition_required',
    'the If-Match header is missing; set it to the ETag of the key',
  );
}
