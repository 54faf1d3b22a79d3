/** The words that pages use for the actions in the audit log, and for the reasons why an attempt was refused. */

/** For each action: "Kim _edited_ a key", "Kim tried to _edit_ a key", and the name of the action in the filter. */
const ACTIONS: Readonly<Record<string, readonly [verb: string, infinitive: string, title: string]>> = Object.freeze({
  'key.create': ['created', 'create', 'Create an API key'],
  'key.edit': ['edited', 'edit', 'Edit an API key'],
  'key.rotate': ['rotated', 'rotate', 'Rotate an API key'],
  'key.end_grace': ['ended the grace period of', 'end the grace period of', 'End the grace period of an API key'],
  'key.revoke': ['revoked', 'revoke', 'Revoke an API key'],
  'key.view': ['viewed', 'view', 'View an API key'],
  'key.list': ['listed the API keys of', 'list the API keys of', 'List API keys'],
  'key.usage': ['viewed the usage of', 'view the usage of', 'View the usage of API keys'],
  'key.names': ['viewed the names of the keys of', 'view the names of the keys of', 'View the names of keys'],
  'key.import': ['imported keys into', 'import keys into', 'Import API keys'],
  'access_key.create': ['created', 'create', 'Create an access key'],
  'access_key.edit': ['edited', 'edit', 'Edit an access key'],
  'access_key.rotate': ['rotated', 'rotate', 'Rotate an access key'],
  'access_key.end_grace': [
    'ended the grace period of',
    'end the grace period of',
    'End the grace period of an access key',
  ],
  'access_key.revoke': ['revoked', 'revoke', 'Revoke an access key'],
  'access_key.view': ['viewed', 'view', 'View an access key'],
  'access_key.list': ['listed the access keys of', 'list the access keys of', 'List access keys'],
  'access_key.usage': ['viewed the usage of', 'view the usage of', 'View the usage of an access key'],
  'access_key.add_secret': [
    'added a client secret to',
    'add a client secret to',
    'Add a client secret to an access key',
  ],
  'access_key.delete_secret': [
    'deleted a client secret from',
    'delete a client secret from',
    'Delete a client secret from an access key',
  ],
  'access_key.add_public_key': ['added a public key to', 'add a public key to', 'Add a public key to an access key'],
  'access_key.remove_public_key': [
    'removed a public key from',
    'remove a public key from',
    'Remove a public key from an access key',
  ],
  'account.put': ['changed the settings of', 'change the settings of', 'Change account settings'],
  'account.disable': ['disabled', 'disable', 'Disable the account'],
  'account.enable': ['enabled', 'enable', 'Enable the account'],
  'audit.list': ['viewed the audit log of', 'view the audit log of', 'View the audit log'],
  sign_in: ['signed in to', 'sign in to', 'Sign in'],
  sign_out: ['signed out of', 'sign out of', 'Sign out'],
});

/** The actions that the filter of the audit log offers. */
export const ACTION_NAMES: readonly string[] = Object.keys(ACTIONS);

/** The reasons why an attempt was refused, by the code in the audit log. */
const REASONS: Readonly<Record<string, string>> = Object.freeze({
  forbidden: 'the member did not have permission to do this',
  not_found: 'this account does not have this key, or the key does not have this secret or public key',
  version_conflict: 'the key was changed in the meantime',
  revoked: 'the key was already revoked',
  bad_link: 'the sign-in link had already been used, had expired, or was not valid',
});

export function actionTitle(action: string): string {
  return ACTIONS[action]?.[2] ?? action;
}

export function verbOf(action: string): string {
  return ACTIONS[action]?.[0] ?? action;
}

export function infinitiveOf(action: string): string {
  return ACTIONS[action]?.[1] ?? action;
}

export function reasonOf(code: unknown): string {
  return typeof code === 'string' ? (REASONS[code] ?? code) : '';
}
