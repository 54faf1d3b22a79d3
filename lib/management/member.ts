import { ManagementError } from './management-error.js';
import type { Permission } from './permissions.js';

/** Who acts: a member of the platform's Dashboard, as the platform's own sign-in knows it. */
export interface Member {
  /** Names the member in the audit. */
  readonly id: string;
  /** The account whose keys the member sees, and no other's. */
  readonly account: string;
  /** Owner includes Developer. */
  readonly permissions: readonly Permission[];
  /** Where the member acts from, for the audit: an address. */
  readonly address?: string | undefined;
}

/** @throws ManagementError `no_member` for what is no member. */
export function readMember(value: unknown): Member {
  const { id, account, permissions, address } = (value ?? {}) as { readonly [field in keyof Member]: unknown };
  const known = typeof id === 'string' && id !== '' && typeof account === 'string' && account !== '';
  if (!known || !Array.isArray(permissions)) throw new ManagementError('no_member', 'nobody is signed in');
  const held = (['developer', 'owner'] as const).filter((permission) => permissions.includes(permission));
  return { id, account, permissions: held, address: typeof address === 'string' ? address : undefined };
}
