/** The settings of a key in a form: strings and choices, not validated yet. */
import type { Kind } from '../../credentials/kind.js';
import type { KeyView } from '../../management/keys/key-view.js';
import type { Fields } from '../http/request-fields.js';
import { formatLimits, formatMetadata } from './text-settings.js';

/** All, or the named ones. */
export interface Choice {
  readonly of: 'all' | 'some' | undefined;
  readonly names: readonly string[];
}

export interface FormValues {
  readonly name: string;
  readonly environment: string;
  readonly apis: Choice;
  readonly scopes: Choice;
  readonly defaultScopes: Choice;
  readonly channels: Choice;
  readonly platform: string;
  /** The last day on which the key is accepted: `2027-01-15`. */
  readonly expiresAt: string;
  /** `undefined`: the form has no such field, so the setting is not changed. */
  readonly metadata: string | undefined;
  readonly allowedAddresses: string | undefined;
  readonly limits: string | undefined;
}

const TEXT_FIELDS = ['metadata', 'allowedAddresses', 'limits'] as const;

const CHOICE_FIELDS = ['apis', 'scopes', 'defaultScopes', 'channels'] as const;

/** The names of the fields: `apis` are the checkboxes, `apis.of` is all or some, `apis.named` is the text field. */
export const SETTINGS_FIELDS: readonly string[] = [
  ...['name', 'environment', 'platform', 'expiresAt', ...TEXT_FIELDS],
  ...CHOICE_FIELDS.flatMap((name) => [name, `${name}.of`, `${name}.named`]),
];

const NOTHING_CHOSEN: Choice = Object.freeze({ of: undefined, names: [] });
const ALL: Choice = Object.freeze({ of: 'all', names: [] });

/** The values of an empty form. No API is chosen, so that nobody grants all by accident. */
export const NEW_FORM_VALUES: FormValues = Object.freeze({
  name: '',
  environment: 'live',
  apis: NOTHING_CHOSEN,
  scopes: ALL,
  defaultScopes: ALL,
  channels: ALL,
  platform: '',
  expiresAt: '',
  metadata: '',
  allowedAddresses: '',
  limits: '',
});

export function readFormValues(fields: Fields): FormValues {
  return {
    name: fields.one('name') ?? '',
    environment: fields.one('environment') ?? 'live',
    apis: choiceIn(fields, 'apis'),
    scopes: choiceIn(fields, 'scopes'),
    defaultScopes: choiceIn(fields, 'defaultScopes'),
    channels: choiceIn(fields, 'channels'),
    platform: fields.one('platform') ?? '',
    expiresAt: fields.one('expiresAt') ?? '',
    metadata: textIn(fields, 'metadata'),
    allowedAddresses: textIn(fields, 'allowedAddresses'),
    limits: textIn(fields, 'limits'),
  };
}

/** The form values of an existing key. */
export function formValuesOf(key: KeyView): FormValues {
  const { name, environment, apis, scopes, defaultScopes, channels, platform, expiresAt } = key;
  const hasAllScopes = defaultScopes === null || areSame(defaultScopes, scopes ?? []);
  return {
    name: name ?? '',
    environment,
    apis: choiceOf(apis ?? []),
    scopes: choiceOf(scopes ?? 'all'),
    defaultScopes: choiceOf(hasAllScopes ? 'all' : defaultScopes),
    channels: choiceOf(channels),
    platform: platform ?? '',
    expiresAt: expiresAt === null ? '' : lastDayOf(expiresAt),
    metadata: formatMetadata(key.metadata),
    allowedAddresses: (key.allowedAddresses ?? []).join('\n'),
    limits: formatLimits(key.limits),
  };
}

/** The last day before an instant. */
function lastDayOf(end: Date): string {
  return new Date(end.getTime() - 1).toISOString().slice(0, 10);
}

export function areSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name) => other.includes(name));
}

/** Whether the form for a kind has no "all" for a field: then only the checked values are granted. */
export function hasNoAllOption(kind: Kind, field: (typeof CHOICE_FIELDS)[number]): boolean {
  return (field === 'apis' && kind === 'public') || (field === 'scopes' && kind !== 'secret');
}

function choiceOf(names: 'all' | readonly string[]): Choice {
  return names === 'all' ? ALL : { of: 'some', names };
}

function textIn(fields: Fields, name: string): string | undefined {
  return fields.has(name) ? (fields.one(name) ?? '').replaceAll('\r\n', '\n') : undefined;
}

function choiceIn(fields: Fields, name: string): Choice {
  const of = fields.one(`${name}.of`);
  const typed = (fields.one(`${name}.named`) ?? '').split(/[\s,]+/).filter((part) => part !== '');
  const names = [...new Set([...fields.all(name), ...typed])];
  return { of: of === 'all' || of === 'some' ? of : undefined, names };
}
