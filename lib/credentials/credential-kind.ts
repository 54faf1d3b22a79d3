/** The kind of a credential: a secret key, a public key, or an access token (docs/spec.md §2). */
export type Kind = KeyKind | 'access';

/** The two kinds of API key (docs/spec.md §2.1). */
export type KeyKind = 'secret' | 'public';

/** Every kind, for checking options. */
export const KINDS = Object.freeze(['secret', 'public', 'access'] as const);

/** Every kind of API key, for checking options and records. */
export const KEY_KINDS = Object.freeze(['secret', 'public'] as const);
