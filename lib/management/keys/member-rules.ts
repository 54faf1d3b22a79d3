/** What a member may manage and grant, apart from the account and the permission. */
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

/** Settings without an environment get that of the member, if the member has only one. */
export function inEnvironment(settings: unknown, { environment }: Member): unknown {
  if (environment === undefined || typeof settings !== 'object' || settings === null) return settings;
  return { ...settings, environment: (settings as { readonly environment?: unknown }).environment ?? environment };
}

/** Refuses a key with a scope of the management API that allows more than the member who creates the key may do. */
export function assertGrantable({ columns }: NewKey, { permissions }: Member): void {
  const denied = parseNames(columns.scopes ?? '[]').filter((scope) => !mayGrant(scope, permissions));
  if (denied.length > 0)
    throw new ManagementError(
      'forbidden',
      `your permissions do not allow you to give a key these scopes: ${denied.join(', ')}`,
    );
}
