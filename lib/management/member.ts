import { ENVIRONMENTS, type Environment } from '../credentials/environment.js';
import { storedAddress } from '../protocol/ip-address.js';
import { ID_LENGTH, readActor, readOneOf } from './fields.js';
import { invalid, ManagementError } from './management-error.js';
import { PERMISSIONS, type Permission } from './permissions.js';

/** A person or program that manages the keys of one account. Your own sign-in identifies the member. */
export interface Member {
  /** The audit log shows this id as the actor of an operation. It has 1 to 256 characters. */
  readonly id: string;
  /** The account of the member, 1 to 64 characters. The member sees only the keys of this account. */
  readonly account: string;
  /** Owner includes Developer, and Developer includes Reader. */
  readonly permissions: readonly Permission[];
  /**
   * If given, the member can manage only keys of this environment. The audit log is not limited: it shows the member
   * the operations on all keys of the account.
   */
  readonly environment?: Environment | undefined;
  /** The IP address of the member, for the audit log, which stores its first 64 characters. */
  readonly address?: string | undefined;
}

/**
 * Validates a member.
 *
 * @throws ManagementError `no_member` if the value is not a member; `invalid` for a string with NUL, an id or account
 *   that is too long, and an unknown environment.
 */
export function readMember(value: unknown): Member {
  const { id, account, permissions, environment, address } = (value ?? {}) as {
    readonly [field in keyof Member]: unknown;
  };
  const known = typeof id === 'string' && id !== '' && typeof account === 'string' && account !== '';
  if (!known || !Array.isArray(permissions))
    throw new ManagementError('no_member', 'the caller is not a member of an account');
  readActor('member.id', id);
  for (const [field, text] of Object.entries({ account, address })) {
    if (typeof text === 'string' && text.includes('\0'))
      throw invalid(`member.${field}`, 'expected a string without NUL characters');
  }
  // No account has a longer id. A refusal would write it to the audit log, which has an index of accounts.
  if (account.length > ID_LENGTH) throw invalid('member.account', `expected at most ${ID_LENGTH} characters`);
  const held = PERMISSIONS.filter((permission) => permissions.includes(permission));
  return {
    id,
    account,
    permissions: held,
    environment: environment === undefined ? undefined : readOneOf('member.environment', environment, ENVIRONMENTS),
    address: typeof address === 'string' ? storedAddress(address) : undefined,
  };
}
