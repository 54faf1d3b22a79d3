/** The fields of the form for the settings of a key: their labels, values and errors. */
import type { Kind } from '../../credentials/kind.js';
import type { ManagementError } from '../../management/management-error.js';
import { type Html, html } from '../components/html.js';
import type { AccountOptions } from './account-options.js';
import type { FormValues } from './form-values.js';

export interface SettingsForm {
  readonly kind: Kind;
  readonly values: FormValues;
  readonly options: AccountOptions;
  /** The error of management, if the form was sent before. */
  readonly error: ManagementError | undefined;
  readonly isNew: boolean;
  /** The exact end of the key that is edited. */
  readonly expiresAt?: Date | null;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The labels of the fields, in order. */
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
  expiresAt: 'Expires after',
  metadata: 'Metadata',
});

/** The error of a field, if it has one. */
export function errorOf({ error }: SettingsForm, field: string): string | undefined {
  return error?.field === field ? messageOf(error) : undefined;
}

/** Errors of management that are written for programs, in words for the form. */
const PLAIN: readonly (readonly [RegExp, string])[] = [
  [/^apis: expected one or more$/, 'choose at least one API'],
  [/^scopes: expected one or more$/, 'choose at least one scope'],
  [
    /^allowedAddresses: expected 1 to (\d+) IP addresses or networks in CIDR form/,
    'write up to $1 IP addresses or networks, such as 203.0.113.0/24',
  ],
  [
    /^limits: expected a list of 1 to (\d+) .*/,
    'write up to $1 limits with different times, such as 100/minute, 5000/day',
  ],
];

/** The message for the form. A message of management starts with the name of its field; this name is removed. */
export function messageOf({ message, field }: ManagementError): string {
  const [pattern, words] = PLAIN.find(([one]) => one.test(message)) ?? [];
  if (pattern !== undefined && words !== undefined) return message.replace(pattern, words);
  return message.slice(String(field).length + 2);
}

/** The attributes that connect a control with its hint and its error. */
export function describedBy(name: string, error: string | undefined): Html {
  if (error === undefined) return html` aria-describedby="${name}-hint"`;
  return html` aria-describedby="${name}-hint ${name}-error" aria-invalid="true"`;
}
