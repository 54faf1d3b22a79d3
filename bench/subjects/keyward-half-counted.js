/** keyward with a store that counts the requests of keys with an even number, and of no others. */
import { openStore } from 'keyward/store';
import { make as makeForKeys } from './keyward-key.js';

export async function make({ resolveKey, capacity }) {
  const store = await openStore('memory:');
  const usageOf = (id) => (Number(id.at(-1)) % 2 === 0 ? store.usageOf(id) : undefined);
  return makeForKeys({ resolveKey: { resolveKey, usageOf }, capacity });
}
