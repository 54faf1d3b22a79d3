/** Actions of the audit log in words, and why they were refused. */

/** For each action: the verb of the sentence, its infinitive for a refused one, and the name in the filter. */
const ACTIONS: Readonly<Record<string, readonly [verb: string, infinitive: string, title: string]>> = Object.freeze({
  'key.create': ['created', 'create', 'Create a key'],
  'key.edit': ['edited', 'edit', 'Edit a key'],
  'key.rotate': ['rotated', 'rotate', 'Rotate a key'],
  'key.end_grace': ['ended the grace period of', 'end the grace period of', 'End a grace period'],
  'key.revoke': ['revoked', 'revoke', 'Revoke a key'],
  'key.view': ['viewed', 'view', 'View a key'],
  'key.import': ['imported keys into', 'import keys into', 'Import keys'],
  'access_key.create': ['created', 'create', 'Create an access key'],
  'access_key.edit': ['edited', 'edit', 'Edit an access key'],
  'access_key.rotate': ['rotated', 'rotate', 'Rotate an access key'],
  'access_key.end_grace': [
    'ended the grace period of',
    'end the grace period of',
    'End a grace period of an access key',
  ],
  'access_key.revoke': ['revoked', 'revoke', 'Revoke an access key'],
  'access_key.view': ['viewed', 'view', 'View an access key'],
  'access_key.add_secret': ['added a secret to', 'add a secret to', 'Add a secret'],
  'access_key.delete_secret': ['deleted a secret from', 'delete a secret from', 'Delete a secret'],
  'access_key.add_public_key': ['added a public key to', 'add a public key to', 'Add a public key'],
  'access_key.remove_public_key': ['removed a public key from', 'remove a public key from', 'Remove a public key'],
  'account.put': ['changed the settings of', 'change the settings of', 'Change an account'],
  'account.disable': ['disabled', 'disable', 'Disable an account'],
  'account.enable': ['enabled', 'enable', 'Enable an account'],
  sign_in: ['signed in to', 'sign in to', 'Sign in'],
  sign_out: ['signed out of', 'sign out of', 'Sign out'],
});

/** Why an operation was refused, in words. */
const REASONS: Readonly<Record<string, string>> = Object.freeze({
  forbidden: 'not permitted',
  not_found: 'the account has no such key',
  version_conflict: 'somebody else had changed the key',
  revoked: 'the key is revoked',
  idempotency_conflict: 'the form was sent before with other values',
});

/** An action in words, for the filter. */
export function actionTitle(action: string): string {
  return ACTIONS[action]?.[2] ?? action;
}

/** The verb of a sentence: `revoked`. */
export function verbOf(action: string): string {
  return ACTIONS[action]?.[0] ?? action;
}

/** The infinitive of the verb: `revoke`. */
export function infinitiveOf(action: string): string {
  return ACTIONS[action]?.[1] ?? action;
}

/** Why an operation was refused: `not permitted`. */
export function reasonOf(code: unknown): string {
  return typeof code === 'string' ? (REASONS[code] ?? code) : '';
}
