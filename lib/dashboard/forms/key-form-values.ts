/**
 * The values in the form for the settings of a key, before they are validated. They are read from a sent form, or made
 * from a key.
 */
import type { Kind } from '../../credentials/credential-kind.js';
import type { KeyView } from '../../management/keys/key-view.js';
import type { Fields } from '../http/request-fields.js';
import { formatLimits, formatMetadata } from './parse-text-settings.js';

export interface Choice {
  /** The chosen radio button; `undefined` if no button is chosen, or the field has no buttons. */
  readonly of: 'all' | 'some' | undefined;
  /** The values that the member checked or typed. */
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
  /**
   * `undefined` if the form has no field for metadata. An edit then does not change the metadata. The same applies to
   * `allowedAddresses` and `limits`.
   */
  readonly metadata: string | undefined;
  readonly allowedAddresses: string | undefined;
  readonly limits: string | undefined;
}

const TEXT_FIELDS = ['metadata', 'allowedAddresses', 'limits'] as const;

const CHOICE_FIELDS = ['apis', 'scopes', 'defaultScopes', 'channels'] as const;

/**
 * The names of all fields. A choice has up to three fields: `apis.of` for the radio buttons "all" and "some", `apis`
 * for the checkboxes, and `apis.named` for the text field that replaces the checkboxes if the account may use any API.
 */
export const SETTINGS_FIELDS: readonly string[] = [
  ...['name', 'environment', 'platform', 'expiresAt', ...TEXT_FIELDS],
  ...CHOICE_FIELDS.flatMap((name) => [name, `${name}.of`, `${name}.named`]),
];

const NOTHING_CHOSEN: Choice = Object.freeze({ of: undefined, names: [] });
const ALL: Choice = Object.freeze({ of: 'all', names: [] });

/** The first values of the form for a new key. No APIs are chosen, so that nobody grants all APIs by accident. */
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

export function toFormValues(key: KeyView): FormValues {
  const { name, environment, apis, scopes, defaultScopes, channels, platform, expiresAt } = key;
  const hasAllScopes = defaultScopes === null || haveSameNames(defaultScopes, scopes ?? []);
  return {
    name: name ?? '',
    environment,
    apis: toChoice(apis ?? []),
    scopes: toChoice(scopes ?? 'all'),
    defaultScopes: toChoice(hasAllScopes ? 'all' : defaultScopes),
    channels: toChoice(channels),
    platform: platform ?? '',
    expiresAt: expiresAt === null ? '' : lastDayOf(expiresAt),
    metadata: formatMetadata(key.metadata),
    allowedAddresses: (key.allowedAddresses ?? []).join('\n'),
    limits: formatLimits(key.limits),
  };
}

/** The last day on which a key is accepted. If it expires at midnight, this is the day before. */
function lastDayOf(end: Date): string {
  return new Date(end.getTime() - 1).toISOString().slice(0, 10);
}

export function haveSameNames(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name) => other.includes(name));
}

/** Whether the form for this kind of key lacks the choice "all" for a field. It then grants only the chosen values. */
export function hasNoAllOption(kind: Kind, field: (typeof CHOICE_FIELDS)[number]): boolean {
  return (field === 'apis' && kind === 'public') || (field === 'scopes' && kind !== 'secret');
}

function toChoice(names: 'all' | readonly string[]): Choice {
  return names === 'all' ? ALL : { of: 'some', names };
}

function textIn(fields: Fields, name: string): string | undefined {
  return fields.has(name) ? (fields.one(name) ?? '').replaceAll('\r\n', '\n') : undefined;
}

function choiceIn(fields: Fields, name: string): Choice {
  const of = fields.one(`${name}.of`);
  const typed = (fields.one(`${name}.named`) ?? '').split(/[\s,]/).filter((part) => part !== '');
  const names = [...new Set([...fields.all(name), ...typed])];
  return { of: of === 'all' || of === 'some' ? of : undefined, names };
}
