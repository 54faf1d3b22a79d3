/** Keys as they are printed. */
import type { KeyView } from '../management/key-view.js';
import type { Page } from '../management/pages.js';
import type { Io } from './io.js';
import { printFields, printLine, printTable, textOfList, textOfTime } from './output.js';

export function showKey(io: Io, key: KeyView): void {
  printFields(io, {
    id: key.id,
    kind: key.kind,
    state: key.state,
    account: key.account,
    environment: key.environment,
    name: key.name ?? '-',
    ...(key.kind === 'access'
      ? { scopes: textOfList(key.scopes), 'default scopes': textOfList(key.defaultScopes) }
      : {
          apis: textOfList(key.apis),
          scopes: textOfList(key.scopes, key.kind === 'public' ? 'none' : 'every one of its APIs'),
        }),
    channels: textOfList(key.channels),
    platform: key.platform ?? '-',
    created: `${textOfTime(key.createdAt)} by ${key.createdBy}`,
    expires: textOfTime(key.expiresAt),
    revoked: textOfTime(key.revokedAt),
    version: String(key.version),
    ...(key.publicText === null ? {} : { key: key.publicText }),
  });
  const rows = key.secrets.map(({ id, hint, createdAt, retiresAt, lastUsedAt, lastUsedFrom }) => [
    ...[id, hint, textOfTime(createdAt), textOfTime(retiresAt), textOfTime(lastUsedAt), lastUsedFrom ?? '-'],
  ]);
  printLine(io, '');
  printTable(io, ['SECRET', 'HINT', 'CREATED', 'RETIRES', 'LAST USED', 'FROM'], rows, 'It has no secret.');
}

export function showKeys(io: Io, { items, next }: Page<KeyView>): void {
  const rows = items.map((key) => [
    ...[key.id, key.kind, key.environment, key.state, key.hint, textOfList(key.apis ?? key.scopes)],
    ...[textOfTime(key.lastUsedAt), textOfTime(key.expiresAt), key.name ?? '-'],
  ]);
  const headings = ['ID', 'KIND', 'ENVIRONMENT', 'STATE', 'HINT', 'REACH', 'LAST USED', 'EXPIRES', 'NAME'];
  printTable(io, headings, rows, 'There are no such keys.');
  if (next !== null) printLine(io, `There are more. Add: --after ${next}`);
}
