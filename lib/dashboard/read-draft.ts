/** What a form asks of management. Whatever else is wrong with it management says. */
import type { Kind } from '../credentials/kind.js';
import type { AccessKeyEdit, AccessKeySettings, KeyEdit, KeySettings } from '../management/key-settings.js';
import type { KeyView } from '../management/key-view.js';
import { invalid } from '../management/management-error.js';
import { areSame, type Choice, type Draft, draftOf, listsOnly } from './draft.js';

const DAY = 86_400_000;
const DAY_TEXT = /^\d{4}-\d\d-\d\d$/;

/** @throws ManagementError `invalid` */
export function newKeyOf(draft: Draft, kind: 'secret' | 'public'): KeySettings {
  return {
    ...commonOf(draft),
    kind,
    apis: chosenOf(draft, kind, 'apis'),
    scopes: scopesOf(draft, kind),
  };
}

/** @throws ManagementError `invalid` */
export function newAccessKeyOf(draft: Draft): AccessKeySettings {
  const defaults = chosenOf(draft, 'access', 'defaultScopes');
  return {
    ...commonOf(draft),
    scopes: draft.scopes.names,
    defaultScopes: defaults === 'all' ? undefined : defaults,
  };
}

/**
 * The edit that makes a key what the form says: what is as it was is left out, so that its story tells what was changed.
 *
 * @param version - The one that the editor saw.
 * @throws ManagementError `invalid`
 */
export function keyEditOf(draft: Draft, key: KeyView, version: number): KeyEdit {
  const apis = chosenOf(draft, key.kind, 'apis');
  const scopes = scopesOf(draft, key.kind);
  return {
    ...commonEditOf(draft, key, version),
    apis: isSame(apis, key.apis) ? undefined : apis,
    scopes: isSame(scopes, key.scopes) ? undefined : scopes,
  };
}

/** @throws ManagementError `invalid` */
export function accessKeyEditOf(draft: Draft, key: KeyView, version: number): AccessKeyEdit {
  const scopes = draft.scopes.names;
  const given = chosenOf(draft, 'access', 'defaultScopes');
  const defaults = given === 'all' ? scopes : given;
  const isAsItWas = isSame(scopes, key.scopes);
  return {
    ...commonEditOf(draft, key, version),
    scopes: isAsItWas ? undefined : scopes,
    // With other scopes management would quietly drop the defaults that are none of them.
    defaultScopes: isAsItWas && isSame(defaults, key.defaultScopes) ? undefined : defaults,
  };
}

function commonOf(draft: Draft) {
  const { name, environment, platform, expiresAt } = draft;
  return {
    name,
    // Management says what is wrong with any other.
    environment: environment as 'live' | 'sandbox',
    channels: chosenOf(draft, 'secret', 'channels'),
    platform: platform === '' ? null : platform,
    expiresAt: endOf(expiresAt),
  };
}

function commonEditOf(draft: Draft, key: KeyView, version: number) {
  const { environment: _, name, channels, platform, expiresAt } = commonOf(draft);
  return {
    version,
    name: name === (key.name ?? '') ? undefined : name === '' ? null : name,
    channels: isSame(channels, key.channels) ? undefined : channels,
    platform: platform === key.platform ? undefined : platform,
    // A form knows days; the instant stays as it is unless its day was changed.
    expiresAt: draft.expiresAt === draftOf(key).expiresAt ? undefined : expiresAt,
  };
}

/** `null`: every scope of its APIs on a secret key, and none on a public one. */
function scopesOf(draft: Draft, kind: Kind): readonly string[] | null {
  if (kind === 'public') return draft.scopes.names.length === 0 ? null : draft.scopes.names;
  const scopes = chosenOf(draft, kind, 'scopes');
  return scopes === 'all' ? null : scopes;
}

/** Who says all and names some may have meant less than all. */
function chosenOf(
  draft: Draft,
  kind: Kind,
  field: 'apis' | 'scopes' | 'defaultScopes' | 'channels',
): 'all' | readonly string[] {
  const choice: Choice = draft[field];
  if (listsOnly(kind, field)) return choice.names;
  if (choice.of === 'all' && choice.names.length > 0) throw invalid(field, 'choose all, or name some; not both');
  if (choice.of === undefined && choice.names.length === 0) throw invalid(field, 'choose all, or name some');
  return choice.of === 'all' ? 'all' : choice.names;
}

/** The end of a day, by UTC. */
function endOf(day: string): Date | null {
  if (day === '') return null;
  const begin = new Date(`${day}T00:00:00Z`);
  // The parser goes on from 31 February to 3 March.
  const isDay = !Number.isNaN(begin.getTime()) && begin.toISOString().startsWith(day) && DAY_TEXT.test(day);
  if (!isDay) throw invalid('expiresAt', 'expected a day, such as 2030-12-31');
  return new Date(begin.getTime() + DAY);
}

function isSame(one: 'all' | readonly string[] | null, other: 'all' | readonly string[] | null): boolean {
  if (one === null || other === null || one === 'all' || other === 'all') return one === other;
  return areSame(one, other);
}
