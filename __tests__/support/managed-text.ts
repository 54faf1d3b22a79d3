import type { KeyRecord } from 'keyward';
import { readKeyRecord } from '../../lib/credentials/records/key-records.js';
import { endedAt } from '../../lib/credentials/records/validity.js';
import { PresentedCredential } from '../../lib/http/presented-credential.js';
import type { Managed } from './managed.js';

/** What the store says to a verifier of the text of an API key. */
export async function recordOf({ store }: Managed, text: string): Promise<KeyRecord | undefined> {
  const { digest } = new PresentedCredential(text);
  const record = await store.resolveKey({ digest, kind: 'secret', environment: 'live', reveal: () => text });
  return record ?? undefined;
}

/** Whether a verifier takes the text at this instant. */
export async function isAccepted(at: Managed, text: string | undefined): Promise<boolean> {
  const record = await recordOf(at, String(text));
  return record !== undefined && endedAt(readKeyRecord(record).validity, at.clock.now()) === undefined;
}
