import { tokenGate } from './keyward.js';

export const title = 'keyward, a token';

export const make = (platform) => tokenGate(platform);
