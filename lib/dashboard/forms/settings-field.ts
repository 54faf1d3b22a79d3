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

/** Messages of management start with the name of the field, which is removed here. */
export function messageOf({ message, field }: ManagementError): string {
  return message.slice(String(field).length + 2);
}

/** The attributes that connect a control with its hint and its error. */
export function describedBy(name: string, error: string | undefined): Html {
  if (error === undefined) return html` aria-describedby="${name}-hint"`;
  return html` aria-describedby="${name}-hint ${name}-error" aria-invalid="true"`;
}
