/** Checks the environment of the keys that a member manages, and the scopes that the member gives to keys. */
import type { Environment } from '../../credentials/environment.js';
import { parseNames } from '../../store/json-columns.js';
import { ManagementError } from '../management-error.js';
import type { Member } from '../member.js';
import { mayGrant } from '../permissions.js';
import type { NewKey } from './key-settings.js';

/** Whether a member may manage keys of an environment. */
export function isWithin(member: Member, environment: Environment | undefined): boolean {
  return member.environment === undefined || member.environment === environment;
}

/** @throws ManagementError `forbidden` for a key of an environment that the member does not manage. */
export function assertEnvironment({ environment }: Pick<NewKey, 'environment'>, member: Member): void {
  if (!isWithin(member, environment))
    throw new ManagementError('forbidden', `you can manage only ${member.environment} keys`);
}

/** Adds the environment of the member to settings without one, if the member manages only one environment. */
export function inEnvironment(settings: unknown, { environment }: Member): unknown {
  if (environment === undefined || typeof settings !== 'object' || settings === null) return settings;
  return { ...settings, environment: (settings as { readonly environment?: unknown }).environment ?? environment };
}

/** Refuses a scope of the management API if it allows more than the permissions of the member who creates the key. */
export function assertGrantable({ columns }: NewKey, { permissions }: Member): void {
  const denied = parseNames(columns.scopes ?? '[]').filter((scope) => !mayGrant(scope, permissions));
  if (denied.length > 0)
    throw new ManagementError(
      'forbidden',
      `your permissions do not allow you to give a key these scopes: ${denied.join(', ')}`,
    );
}
