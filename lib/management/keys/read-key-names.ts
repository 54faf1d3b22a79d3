/** Reads the names of keys by their ids, for pages that have only the ids, such as the audit log. */
import type { CredentialStore } from '../../store/credential-store.js';
import type { Operations } from '../audit-log/audited-operation.js';
import { invalid } from '../management-error.js';
import type { Member } from '../member.js';
import { readKeyId } from './read-key-id.js';

const MAX_KEYS = 200;

export function keyNamesOf(operations: Operations, { repository }: CredentialStore) {
  return async function keyNames(member: Member, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const operation = { action: 'list', name: 'key.names', subject: undefined } as const;
    return await operations.read(member, operation, async (actor) => {
      if (!Array.isArray(ids) || ids.length > MAX_KEYS)
        throw invalid('ids', `expected a list of at most ${MAX_KEYS} entries`);
      const keyIds = ids.flatMap((id) => readKeyId('ids', id) ?? []);
      const rows = await repository.keyNames(actor.member.account, keyIds);
      return new Map(rows.flatMap(({ id, name }) => (name === null ? [] : [[id, name] as const])));
    });
  };
}
