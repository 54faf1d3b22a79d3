/** The permissions of members in the Dashboard and the management API (docs/spec.md §5.4). */

/** `reader` lists and views keys. `developer` also creates keys. `owner` also edits, rotates and revokes them. */
export type Permission = 'reader' | 'developer' | 'owner';

/** All permissions. Each permission includes the ones before it in this list. */
export const PERMISSIONS = ['reader', 'developer', 'owner'] as const satisfies readonly Permission[];

/**
 * The permission that each action requires. To disable a key is an `edit`; to add or remove a secret or public key is a
 * `rotate`.
 */
const NEEDS = {
  list: 'reader',
  view: 'reader',
  create: 'developer',
  edit: 'owner',
  rotate: 'owner',
  revoke: 'owner',
  audit: 'reader',
} as const satisfies Record<string, Permission>;

export type Action = keyof typeof NEEDS;

const TITLES = Object.freeze({ reader: 'Reader', developer: 'Developer', owner: 'Owner' });

/** Returns the name of the permission that an action needs, as messages and pages show it. */
export function permissionTitle(action: Action): string {
  return TITLES[NEEDS[action]];
}

/** Whether one of the permissions allows an action. Owner includes Developer, and Developer includes Reader. */
export function isAllowed(action: Action, permissions: readonly Permission[]): boolean {
  return includesPermission(permissions, NEEDS[action]);
}

const SCOPES = Object.freeze({ reader: 'keys:read', developer: 'keys:write', owner: 'keys:manage' });

/** Returns the scope of the management API that gives the permission for an action. */
export function permissionScope(action: Action): string {
  return SCOPES[NEEDS[action]];
}

/** The scopes of the management API, and the permission that each one gives. */
export const SCOPE_PERMISSIONS: Readonly<Record<string, Permission>> = Object.freeze(
  Object.fromEntries(PERMISSIONS.map((permission) => [SCOPES[permission], permission])),
);

/**
 * Whether a member may give a scope to a key. A scope that starts with `keys:` belongs to the management API: it must
 * not allow more than the member may do. An unknown scope of the management API requires Owner.
 */
export function mayGrant(scope: string, permissions: readonly Permission[]): boolean {
  if (!scope.startsWith('keys:')) return true;
  return includesPermission(permissions, SCOPE_PERMISSIONS[scope] ?? 'owner');
}

function includesPermission(held: readonly Permission[], needed: Permission): boolean {
  return held.some((permission) => PERMISSIONS.indexOf(permission) >= PERMISSIONS.indexOf(needed));
}
