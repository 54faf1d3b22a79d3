/** What a process of the bench makes its subject of: the credentials of its file, and a table of the keys among them. */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { assertRefuses } from '../measure/assert-refuses.js';
import { subjectOf } from '../subjects.js';
import { keyTable } from './key-table.js';

/** @param given - `subject`, `kind`, `file`, and the `facts` of the issuer; `capacity` of its cache. */
export async function holdSubject({ subject, kind, file, facts, capacity }) {
  const { warm, cold, bad } = JSON.parse(readFileSync(file, 'utf8'));
  const { make, isOpen } = await subjectOf(subject);
  const table = kind === 'key' ? keyTable([...warm, ...cold], { expired: bad['an expired key'] }) : undefined;
  const digests = new Map(subject === 'resolver' ? [...warm, ...cold].map((key) => [key, hash('sha256', key)]) : []);
  const middlewares = await make({
    ...{ ...facts, capacity, credentials: () => warm },
    ...{ resolveKey: table?.resolve, digestOf: (key) => digests.get(key) ?? hash('sha256', key) },
  });
  if (!isOpen) await assertRefuses(middlewares, warm.slice(0, 2), bad);
  return { middlewares, warm, cold, bad, table };
}
