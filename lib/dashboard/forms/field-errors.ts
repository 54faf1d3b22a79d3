/**
 * The labels of form fields, and the error messages beside them. The type `SettingsForm` is here and not in
 * settings-form.ts, so that expiry-field.ts can use it without a circular import.
 */
import type { Kind } from '../../credentials/credential-kind.js';
import type { Environment } from '../../credentials/environment.js';
import type { ManagementError } from '../../management/management-error.js';
import { type Html, html } from '../components/html.js';
import type { MemberAccount } from '../http/member-account.js';
import type { FormValues } from './key-form-values.js';

export interface SettingsForm {
  readonly kind: Kind;
  readonly values: FormValues;
  readonly options: MemberAccount;
  /** Why management refused the form, if the member has sent it already. */
  readonly error: ManagementError | undefined;
  readonly isNew: boolean;
  /** The only environment in which the member may create keys; `undefined` if the member may use both. */
  readonly only?: Environment | undefined;
  /** When the key that is edited expires. */
  readonly expiresAt?: Date | null;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export const LABELS: Readonly<Record<string, string>> = Object.freeze({
  name: 'Name',
  environment: 'Environment',
  apis: 'APIs',
  scopes: 'Scopes',
  defaultScopes: 'Default scopes',
  platform: 'E-commerce platform',
  channels: 'Channels',
  allowedAddresses: 'Allowed IP addresses',
  limits: 'Rate limits',
  expiresAt: 'Expiration date',
  metadata: 'Metadata',
  publicKey: 'Public key',
});

export function errorOf({ error }: SettingsForm, field: string): string | undefined {
  return error?.field === field ? messageOf(error) : undefined;
}

/** Error messages of management that are written for programs, and what the form shows instead. */
const FORM_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/^apis: expected one or more APIs$/, 'choose at least one API'],
  [/^scopes: expected one or more scopes$/, 'choose at least one scope'],
  [/^\w+: expected a list of at most (\d+) entries$/, 'choose at most $1'],
  [/^expiresAt: expected a time in the future$/, 'choose today or a later date'],
  [/^expiresAt: expected a Date .*/, 'choose a date from 1970 to 9999'],
  [
    /^allowedAddresses: expected .*, got (".*")$/,
    '$1 is not an IP address or network; enter values such as 203.0.113.7 or 203.0.113.0/24',
  ],
  [
    /^allowedAddresses: expected 1 to (\d+) .*/,
    'enter up to $1 IP addresses or networks, such as 203.0.113.7 or 203.0.113.0/24',
  ],
  [
    /^limits: expected a list of 1 to (\d+) .* requests is a whole number from 1 to ([\d,]+), seconds is .*/,
    'enter up to $1 limits, for example: 100/minute, 5000/day; each limit must allow 1 to $2 requests in a time period of at most 7 days; no two limits can have the same time period',
  ],
  [
    /^(?:apis|channels): expected a string of (1 to 64 characters .*) that begins with (.*); .*$/,
    'each name or ID must have $1 and begin with $2; some names, such as "all" and "constructor", are reserved',
  ],
  [/^\w+: the account is not entitled to /, 'your account is not allowed to use '],
  [/^\w+: expected /, 'enter '],
];

/**
 * Converts an error message of management, such as `name: expected ...`, to sentences for the form. The form shows the
 * error beside the field, so the name of the field is removed.
 */
export function messageOf({ message, field }: ManagementError): string {
  const [pattern, words] = FORM_TEXTS.find(([one]) => one.test(message)) ?? [];
  if (pattern !== undefined && words !== undefined) return toSentences(message.replace(pattern, words));
  return toSentences(message.slice(String(field).length + 2));
}

/** A semicolon between two sentences, not one in quotes, which may be the name of a key. */
const BETWEEN_SENTENCES = /; (?=(?:[^"]|"[^"]*")*$)/;

/** `the key is revoked; create a new key` becomes `The key is revoked. Create a new key.` */
export function toSentences(message: string): string {
  const sentences = message.split(BETWEEN_SENTENCES).map((part) => `${part.charAt(0).toUpperCase()}${part.slice(1)}.`);
  return sentences.join(' ');
}

/** The attributes that connect a control with its hint and its error. */
export function describedBy(name: string, error: string | undefined): Html {
  if (error === undefined) return html` aria-describedby="${name}-hint"`;
  return html` aria-describedby="${name}-hint ${name}-error" aria-invalid="true"`;
}
