/** Checks that a member may manage a key of an environment, and may give a key its scopes. */
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

/** @throws ManagementError `forbidden` if the member may not manage keys of this environment. */
export function assertEnvironment({ environment }: Pick<NewKey, 'environment'>, member: Member): void {
  if (!isWithin(member, environment))
    throw new ManagementError('forbidden', `you can manage only ${member.environment} keys`);
}

/** Adds an environment to settings that have none, if the member may manage only keys of one environment. */
export function inEnvironment(settings: unknown, { environment }: Member): unknown {
  if (environment === undefined || typeof settings !== 'object' || settings === null) return settings;
  return { ...settings, environment: (settings as { readonly environment?: unknown }).environment ?? environment };
}

/**
 * Checks the scopes of the management API in a new key. Otherwise, a member could create a key that may do more than
 * the member.
 *
 * @throws ManagementError `forbidden` for a scope that requires a permission that the member does not have.
 */
export function assertGrantable({ columns }: NewKey, { permissions }: Member): void {
  const denied = parseNames(columns.scopes ?? '[]').filter((scope) => !mayGrant(scope, permissions));
  if (denied.length > 0)
    throw new ManagementError(
      'forbidden',
      `your permissions do not allow you to give a key these scopes: ${denied.join(', ')}`,
    );
}
