/** What a member of the Dashboard may do (spec section 5.4). */

export type Permission = 'developer' | 'owner';

/** Everything that can be done with keys, and the permission that it needs. Rolling and disabling are edits. */
const NEEDS = {
  list: 'developer',
  view: 'developer',
  create: 'developer',
  edit: 'owner',
  roll: 'owner',
  delete: 'owner',
  audit: 'developer',
} as const satisfies Record<string, Permission>;

export type Action = keyof typeof NEEDS;

export function permissionFor(action: Action): Permission {
  return NEEDS[action];
}

/** Owner includes Developer. */
export function isAllowed(action: Action, permissions: readonly Permission[]): boolean {
  return permissions.includes('owner') || permissions.includes(permissionFor(action));
}
