import { keyGate } from './keyward.js';

export const title = 'keyward, a key';

export const make = (platform) => keyGate(platform);
