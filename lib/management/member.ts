import { ENVIRONMENTS, type Environment } from '../credentials/environment.js';
import { withoutMappedPrefix } from '../protocol/ip-address.js';
import { readOneOf } from './fields.js';
import { invalid, ManagementError } from './management-error.js';
import { PERMISSIONS, type Permission } from './permissions.js';

/** A person or program that manages the keys of one account. Your own sign-in identifies the member. */
export interface Member {
  /** The audit log shows this id as the actor of an operation. */
  readonly id: string;
  /** The account of the member. The member sees only the keys of this account. */
  readonly account: string;
  /** Owner includes Developer, and Developer includes Reader. */
  readonly permissions: readonly Permission[];
  /**
   * If given, the member can manage only keys of this environment. The audit log is not limited: it shows the member
   * the operations on all keys of the account.
   */
  readonly environment?: Environment | undefined;
  /** The IP address of the member, for the audit log. */
  readonly address?: string | undefined;
}

/**
 * Validates a member.
 *
 * @throws ManagementError `no_member` if the value is not a member; `invalid` for a string with NUL and for an unknown
 *   environment.
 */
export function readMember(value: unknown): Member {
  const { id, account, permissions, environment, address } = (value ?? {}) as {
    readonly [field in keyof Member]: unknown;
  };
  const known = typeof id === 'string' && id !== '' && typeof account === 'string' && account !== '';
  if (!known || !Array.isArray(permissions))
    throw new ManagementError('no_member', 'the caller is not a member of an account');
  for (const [field, text] of Object.entries({ id, account, address })) {
    if (typeof text === 'string' && text.includes('\0'))
      throw invalid(`member.${field}`, 'expected a string without NUL characters');
  }
  const held = PERMISSIONS.filter((permission) => permissions.includes(permission));
  return {
    id,
    account,
    permissions: held,
    environment: environment === undefined ? undefined : readOneOf('member.environment', environment, ENVIRONMENTS),
    address: typeof address === 'string' ? withoutMappedPrefix(address) : undefined,
  };
}
