/** Secret keys, minted by keyward itself. */
import { createTestKit } from 'keyward/testing';

/** Mints well-formed keys that no table has. */
export function strangers() {
  const kit = createTestKit();
  return () => kit.secretKey({ foreign: true });
}

/** So many keys. */
export function mintKeys(count) {
  const mint = strangers();
  return Array.from({ length: count }, mint);
}
