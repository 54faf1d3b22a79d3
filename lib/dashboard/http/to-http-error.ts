/** Converts thrown errors to the error that the member sees. */
import { ManagementError, type ManagementErrorCode } from '../../management/management-error.js';
import { messageOf, toSentences } from '../forms/field-errors.js';
import { HttpError, notFound } from './http-error.js';

/** The titles of the error pages, apart from `not_found`, which has a page of its own. */
const TITLES: Readonly<Record<Exclude<ManagementErrorCode, 'not_found'>, string>> = {
  invalid: 'Invalid request',
  no_member: 'Not signed in',
  forbidden: 'Not allowed',
  version_conflict: 'This key has changed since you opened it',
  revoked: 'This key is revoked',
  idempotency_conflict: 'Form already submitted',
  unavailable: 'Temporarily unavailable',
};

/** Texts that replace the message of an error. The message of the other errors is shown to members. */
const TEXTS: Readonly<Partial<Record<ManagementErrorCode, string>>> = {
  version_conflict: 'Check the current settings of the key, and then try again.',
  idempotency_conflict:
    'This form was already submitted with different values, so this submission was ignored. To make another change, open the page again.',
  unavailable: 'Your keys cannot be shown or changed at the moment. Try again later.',
};

/** Parts of error messages that are written for programs, and what pages say instead. */
const PAGE_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^this operation requires the (\w+) permission.*/, 'you need the $1 role to do this'],
  [/^your permissions do not allow you /, 'your role does not allow you '],
  [/^the account is disabled; .*/, 'your account is disabled; to enable the account, contact support'],
];

const RETRY_HEADERS = Object.freeze({ 'Retry-After': '1' });

/**
 * Fields whose names members do not see on pages, for example because the field is hidden. Error pages remove these
 * names from the start of messages.
 */
const UNNAMED_FIELDS = ['publicKey', 'kid', 'secret', 'secrets'];

/**
 * Converts a thrown value to the error that the member sees. An unexpected error is replaced by a general text, because
 * its message could reveal data of the server.
 */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (!(error instanceof ManagementError)) {
    return new HttpError(
      500,
      'Something went wrong',
      'An unexpected error occurred. Try again. If it happens again, contact support.',
    );
  }
  const { code, status, field } = error;
  if (code === 'not_found') return notFound();
  const message = UNNAMED_FIELDS.includes(field ?? '') ? messageOf(error) : toSentences(inPageWords(error.message));
  return new HttpError(status, TITLES[code], TEXTS[code] ?? message, code === 'unavailable' ? RETRY_HEADERS : {});
}

function inPageWords(message: string): string {
  return PAGE_WORDS.reduce((text, [pattern, words]) => text.replace(pattern, words), message);
}
