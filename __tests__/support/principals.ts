import type { AccessPrincipal, KeyPrincipal } from 'keyward';

/** A secret key with access to everything, except as the traits say. */
export function keyPrincipal(traits: Partial<KeyPrincipal> = {}): KeyPrincipal {
  return {
    kind: 'secret',
    keyId: 'key_1',
    account: 'acc_1',
    environment: 'live',
    apis: 'all',
    scopes: 'all',
    channels: 'all',
    platform: undefined,
    expiresAt: undefined,
    keyAcceptedUntil: undefined,
    ...traits,
  };
}

/** An access token without a scope, except as the traits say. */
export function tokenPrincipal(traits: Partial<AccessPrincipal> = {}): AccessPrincipal {
  return {
    kind: 'access',
    keyId: 'ack_1',
    clientId: 'ack_1',
    account: 'acc_1',
    environment: 'live',
    apis: [],
    scopes: [],
    channels: 'all',
    platform: undefined,
    expiresAt: 4_000_000_000,
    payload: {},
    header: {},
    ...traits,
  };
}
