/** keyward with a key whose requests are counted by a store. */
import { openStore } from 'keyward/store';
import { keyGate } from './keyward.js';

export const title = 'keyward, a key, with usage counted';

export async function make({ resolveKey, capacity }) {
  const { usageOf } = await openStore('memory:');
  return keyGate({ resolveKey: { resolveKey, usageOf }, capacity });
}
