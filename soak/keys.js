/** Keys for the soak: as many as are wanted, each well formed, at no cost worth measuring. */
import { createHash } from 'node:crypto';
import { createTestKit } from 'keyward/testing';

/** Mints well-formed keys that no store has. */
export function strangers() {
  const kit = createTestKit();
  return () => kit.secretKey({ foreign: true });
}

/** A table of keys as a platform has it, searched by digest, that counts how often it is asked. */
export function keyTable() {
  const kit = createTestKit();
  const records = new Map();
  const table = {
    lookups: 0,
    add(traits = {}) {
      const key = kit.secretKey({ foreign: true });
      const record = {
        id: `key_${records.size}`,
        kind: 'secret',
        account: 'acc_soak',
        environment: 'live',
        apis: 'all',
      };
      records.set(createHash('sha256').update(key).digest('hex'), { ...record, ...traits });
      return key;
    },
    async resolve({ digest }) {
      table.lookups += 1;
      return records.get(digest);
    },
  };
  return table;
}
