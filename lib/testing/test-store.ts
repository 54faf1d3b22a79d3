/** The store of a test kit: it has the records of API keys and access keys in memory, and can simulate outages. */
import { digestOf } from '../credentials/digest.js';
import type { AccessKeyRecord, KeyRecord } from '../credentials/records/key-records.js';

export class TestStore {
  readonly #keys = new Map<string, KeyRecord>();
  readonly #accessKeys = new Map<string, AccessKeyRecord>();
  #reachable = true;

  addKey(key: string, record: KeyRecord): void {
    this.#keys.set(digestOf(key), record);
  }

  addAccessKey(record: AccessKeyRecord): void {
    this.#accessKeys.set(record.id, record);
  }

  /** Returns the record of an access key, even during a simulated outage. */
  accessKey(id: string): AccessKeyRecord | undefined {
    return this.#accessKeys.get(id);
  }

  /** Revokes the API key with this key value. Returns its record; `undefined` if the key is unknown. */
  revokeKey(key: string, revokedAt: Date): KeyRecord | undefined {
    const record = this.#keys.get(digestOf(key));
    if (record !== undefined) this.addKey(key, { ...record, revokedAt });
    return record;
  }

  /** Revokes the access key with this client ID. Returns its record; `undefined` if the client ID is unknown. */
  revokeAccessKey(id: string, revokedAt: Date): AccessKeyRecord | undefined {
    const record = this.accessKey(id);
    if (record !== undefined) this.addAccessKey({ ...record, revokedAt });
    return record;
  }

  setReachable(reachable: boolean): void {
    this.#reachable = reachable;
  }

  readonly resolveKey = async ({ digest }: { readonly digest: string }): Promise<KeyRecord | undefined> => {
    this.assertReachable();
    return this.#keys.get(digest);
  };

  readonly resolveAccessKey = async (id: string): Promise<AccessKeyRecord | undefined> => {
    this.assertReachable();
    return this.#accessKeys.get(id);
  };

  assertReachable(): void {
    if (!this.#reachable)
      throw new Error('the store is unavailable, because the test has started an outage with kit.outage(true)');
  }
}
