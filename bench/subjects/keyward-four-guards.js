import { requireApi, requireChannel, requireKeyKind } from 'keyward';
import { make as makeForKeys } from './keyward-key.js';
import { make as makeForTokens } from './keyward-token.js';

export const title = 'keyward, four guards';

export const make = (platform) => [
  ...(platform.resolveKey === undefined ? makeForTokens(platform) : makeForKeys(platform)),
  requireApi('payments'),
  requireKeyKind('secret', 'access'),
  requireChannel(() => undefined),
];
