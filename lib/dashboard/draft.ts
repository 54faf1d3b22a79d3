/** The settings of a key as a form has them: texts, and choices that may yet be wrong. */
import type { Kind } from '../credentials/kind.js';
import type { KeyView } from '../management/key-view.js';
import type { Fields } from './fields.js';

/** All, or those named. */
export interface Choice {
  readonly of: 'all' | 'some' | undefined;
  readonly names: readonly string[];
}

export interface Draft {
  readonly name: string;
  readonly environment: string;
  readonly apis: Choice;
  readonly scopes: Choice;
  readonly defaultScopes: Choice;
  readonly channels: Choice;
  readonly platform: string;
  /** A day, `2027-01-15`: the last one on which the key is taken. */
  readonly expiresAt: string;
}

const CHOICES = ['apis', 'scopes', 'defaultScopes', 'channels'] as const;

/** The names of the fields: `apis` is ticked, `apis.of` says all or some, `apis.named` is written by hand. */
export const DRAFT_FIELDS: readonly string[] = [
  ...['name', 'environment', 'platform', 'expiresAt'],
  ...CHOICES.flatMap((name) => [name, `${name}.of`, `${name}.named`]),
];

const UNDECIDED: Choice = Object.freeze({ of: undefined, names: [] });
const ALL: Choice = Object.freeze({ of: 'all', names: [] });

/** What reaches furthest, its APIs, nobody gives by leaving the form as it is. */
export const NEW_DRAFT: Draft = Object.freeze({
  name: '',
  environment: 'live',
  apis: UNDECIDED,
  scopes: ALL,
  defaultScopes: ALL,
  channels: ALL,
  platform: '',
  expiresAt: '',
});

export function draftIn(fields: Fields): Draft {
  return {
    name: fields.one('name') ?? '',
    environment: fields.one('environment') ?? 'live',
    apis: choiceIn(fields, 'apis'),
    scopes: choiceIn(fields, 'scopes'),
    defaultScopes: choiceIn(fields, 'defaultScopes'),
    channels: choiceIn(fields, 'channels'),
    platform: fields.one('platform') ?? '',
    expiresAt: fields.one('expiresAt') ?? '',
  };
}

/** What a form shows of a key that is there. */
export function draftOf(key: KeyView): Draft {
  const { name, environment, apis, scopes, defaultScopes, channels, platform, expiresAt } = key;
  const takesAll = defaultScopes === null || areSame(defaultScopes, scopes ?? []);
  return {
    name: name ?? '',
    environment,
    apis: choiceOf(apis ?? []),
    scopes: choiceOf(scopes ?? 'all'),
    defaultScopes: choiceOf(takesAll ? 'all' : defaultScopes),
    channels: choiceOf(channels),
    platform: platform ?? '',
    expiresAt: expiresAt === null ? '' : lastDayOf(expiresAt),
  };
}

/** The last day on which something is taken that ends at an instant. */
function lastDayOf(end: Date): string {
  return new Date(end.getTime() - 1).toISOString().slice(0, 10);
}

export function areSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name) => other.includes(name));
}

/** Which of the choices a form for a kind has no "all" of: what is not ticked is not given. */
export function listsOnly(kind: Kind, field: (typeof CHOICES)[number]): boolean {
  return (field === 'apis' && kind === 'public') || (field === 'scopes' && kind !== 'secret');
}

function choiceOf(names: 'all' | readonly string[]): Choice {
  return names === 'all' ? ALL : { of: 'some', names };
}

function choiceIn(fields: Fields, name: string): Choice {
  const of = fields.one(`${name}.of`);
  const written = (fields.one(`${name}.named`) ?? '').split(/[\s,]+/).filter((part) => part !== '');
  const names = [...new Set([...fields.all(name), ...written])];
  return { of: of === 'all' || of === 'some' ? of : undefined, names };
}
