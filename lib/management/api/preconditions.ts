/**
 * Checks the headers `If-Match` and `If-None-Match` (RFC 9110 section 13.1). The entity tag of a key is its version.
 */
import { ProblemError } from './problem.js';

/**
 * A parsed `If-Match`: `undefined` if there is none, `any` for `*`, otherwise the versions that the client accepts.
 * Tags that cannot be from keyward are left out. If nothing is left, the list is empty and matches no version.
 */
export type IfMatch = undefined | 'any' | readonly number[];

/**
 * Parses `If-Match`. It requires strong comparison, so weak tags never match and are left out (RFC 9110 section
 * 13.1.1).
 */
export function parseIfMatch(field: string | undefined): IfMatch {
  if (field === undefined) return undefined;
  if (field === '*') return 'any';
  return field.split(',').flatMap((tag) => {
    const [, version] = /^"([1-9]\d{0,14})"$/.exec(tag.trim()) ?? [];
    return version === undefined ? [] : [Number(version)];
  });
}

/** Whether `If-Match` is absent, or matches the version of the key. Otherwise the response is 412. */
export function matchesAny(ifMatch: IfMatch, version: number): boolean {
  return ifMatch === undefined || ifMatch === 'any' || ifMatch.includes(version);
}

/**
 * Whether `If-None-Match` is absent, or no tag in it matches the version of the key by weak comparison. Otherwise the
 * response is 304 for GET and HEAD, and 412 for other methods (RFC 9110 section 13.1.2).
 */
export function matchesNone(field: string | undefined, version: number): boolean {
  if (field === undefined) return true;
  if (field === '*') return false;
  return !field.split(',').some((tag) => tag.trim().replace(/^W\//, '') === entityTag(version));
}

export function entityTag(version: number): string {
  return `"${version}"`;
}

export function preconditionFailed(): ProblemError {
  return new ProblemError(
    412,
    'version_conflict',
    'the key does not have the version that If-Match or If-None-Match requires; read it again and retry',
  );
}

/** Creates the error 428 (RFC 6585 section 3) for a request without the required `If-Match`. */
export function preconditionRequired(): ProblemError {
  return new ProblemError(
    428,
    'precondition_required',
    'the If-Match header is missing; set it to the ETag of the key',
  );
}
