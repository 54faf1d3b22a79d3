/** Converts the values in a form to the settings of a new key, or to an edit. Management validates both. */
import type { Kind } from '../../credentials/credential-kind.js';
import type { AccessKeyEdit, AccessKeySettings, KeyEdit, KeySettings } from '../../management/keys/key-settings.js';
import type { KeyView } from '../../management/keys/key-view.js';
import { invalid } from '../../management/management-error.js';
import { type Choice, type FormValues, hasNoAllOption, haveSameNames, toFormValues } from './key-form-values.js';
import { endOfDay } from './parse-day.js';
import { parseAddresses, parseLimits, parseMetadata } from './parse-text-settings.js';

/** @throws ManagementError `invalid` */
export function toKeySettings(values: FormValues, kind: 'secret' | 'public'): KeySettings {
  return {
    ...toCommonSettings(values),
    kind,
    apis: readChoice(values, kind, 'apis'),
    scopes: readScopes(values, kind),
  };
}

/** @throws ManagementError `invalid` */
export function toAccessKeySettings(values: FormValues): AccessKeySettings {
  const defaults = readChoice(values, 'access', 'defaultScopes');
  return {
    ...toCommonSettings(values),
    scopes: values.scopes.names,
    defaultScopes: defaults === 'all' ? undefined : defaults,
  };
}

/**
 * Converts form values to an edit. The edit contains only settings that differ from the key, so that the audit log
 * shows only what was changed.
 *
 * @param version - The version of the key when the member opened the form.
 * @throws ManagementError `invalid`
 */
export function toKeyEdit(values: FormValues, key: KeyView, version: number): KeyEdit {
  const apis = readChoice(values, key.kind, 'apis');
  const scopes = readScopes(values, key.kind);
  // On a public key, an empty list means the same as `null`.
  const current = key.kind === 'public' && key.scopes?.length === 0 ? null : key.scopes;
  return {
    ...toCommonEdit(values, key, version),
    apis: isSameChoice(apis, key.apis) ? undefined : apis,
    scopes: isSameChoice(scopes, current) ? undefined : scopes,
  };
}

/** @throws ManagementError `invalid` */
export function toAccessKeyEdit(values: FormValues, key: KeyView, version: number): AccessKeyEdit {
  const scopes = values.scopes.names;
  const given = readChoice(values, 'access', 'defaultScopes');
  const defaults = given === 'all' ? scopes : given;
  const isUnchanged = isSameChoice(scopes, key.scopes);
  return {
    ...toCommonEdit(values, key, version),
    scopes: isUnchanged ? undefined : scopes,
    // If the scopes change, the edit always contains the default scopes too. Management then refuses a default scope
    // that the key loses. Otherwise, management would silently remove it from the default scopes.
    defaultScopes: isUnchanged && isSameChoice(defaults, key.defaultScopes) ? undefined : defaults,
  };
}

function toCommonSettings(values: FormValues) {
  const { name, environment, platform, expiresAt } = values;
  const { metadata, allowedAddresses, limits } = parseTexts(values);
  return {
    name,
    // Management refuses any other value.
    environment: environment as 'live' | 'sandbox',
    channels: readChoice(values, 'secret', 'channels'),
    platform: platform === '' ? null : platform,
    expiresAt: expiresAt === '' ? null : endOfDay('expiresAt', expiresAt),
    // For a new key, an empty field and an absent field mean the same.
    metadata: metadata ?? undefined,
    allowedAddresses: allowedAddresses ?? undefined,
    limits: limits ?? undefined,
  };
}

function toCommonEdit(values: FormValues, key: KeyView, version: number) {
  const { environment: _, name, channels, platform, expiresAt } = toCommonSettings(values);
  const userData = parseTexts(values);
  return {
    version,
    name: name === (key.name ?? '') ? undefined : name === '' ? null : name,
    channels: isSameChoice(channels, key.channels) ? undefined : channels,
    platform: platform === key.platform ? undefined : platform,
    // The form shows only the day, so the exact time is kept unless the day was changed.
    expiresAt: values.expiresAt === toFormValues(key).expiresAt ? undefined : expiresAt,
    metadata: isSameJson(userData.metadata, key.metadata) ? undefined : userData.metadata,
    allowedAddresses: isSameJson(userData.allowedAddresses, key.allowedAddresses)
      ? undefined
      : userData.allowedAddresses,
    limits: isSameJson(userData.limits, key.limits) ? undefined : userData.limits,
  };
}

/**
 * Reads the scopes of an API key. `null` means every scope of its APIs for a secret key, and no scope for a public key.
 */
function readScopes(values: FormValues, kind: Kind): readonly string[] | null {
  if (kind === 'public') return values.scopes.names.length === 0 ? null : values.scopes.names;
  const scopes = readChoice(values, kind, 'scopes');
  return scopes === 'all' ? null : scopes;
}

const NOUNS = { apis: 'APIs', scopes: 'scopes', defaultScopes: 'scopes', channels: 'channels' } as const;

/**
 * Reads a field in which all values or only some are chosen. "All" together with some names is refused, because the
 * member may have meant only these names. If the form offers "all", the member must choose: a field without any choice
 * is refused too.
 */
function readChoice(
  values: FormValues,
  kind: Kind,
  field: 'apis' | 'scopes' | 'defaultScopes' | 'channels',
): 'all' | readonly string[] {
  const choice: Choice = values[field];
  if (hasNoAllOption(kind, field)) return choice.names;
  if (choice.of === 'all' && choice.names.length > 0)
    throw invalid(field, `you chose all ${NOUNS[field]}, but also selected some of them; choose one or the other`);
  if (choice.of === undefined && choice.names.length === 0)
    throw invalid(field, `choose all ${NOUNS[field]} or only the ones that you need`);
  return choice.of === 'all' ? 'all' : choice.names;
}

function parseTexts({ metadata, allowedAddresses, limits }: FormValues) {
  return {
    metadata: mapText(metadata, parseMetadata),
    allowedAddresses: mapText(allowedAddresses, parseAddresses),
    limits: mapText(limits, parseLimits),
  };
}

function mapText<T>(text: string | undefined, parse: (text: string) => T): T | undefined {
  return text === undefined ? undefined : parse(text);
}

function isSameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isSameChoice(one: 'all' | readonly string[] | null, other: 'all' | readonly string[] | null): boolean {
  if (one === null || other === null || one === 'all' || other === 'all') return one === other;
  return haveSameNames(one, other);
}
