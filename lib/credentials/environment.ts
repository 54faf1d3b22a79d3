/** The environment in which a credential is valid. */
export type Environment = 'live' | 'sandbox';

/** Every environment, for checking options and records. */
export const ENVIRONMENTS = Object.freeze(['live', 'sandbox'] as const);
