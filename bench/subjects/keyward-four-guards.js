import { keyGate, threeGuards, tokenGate } from './keyward.js';

export const title = 'keyward, four guards';

export const make = (platform) => [
  ...(platform.resolveKey === undefined ? tokenGate(platform) : keyGate(platform)),
  ...threeGuards(),
];
