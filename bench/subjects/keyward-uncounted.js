/** keyward with a key, beside a store that counts nothing: what counting adds is measured against it. */
import { openStore } from 'keyward/store';
import { keyGate } from './keyward.js';

export const title = 'keyward, a key, with an open store';

export async function make({ resolveKey, capacity }) {
  await openStore('memory:');
  return keyGate({ resolveKey: { resolveKey }, capacity });
}
