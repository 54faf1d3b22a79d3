import { describe, expect, it } from '@jest/globals';
import { managed, refusalOf } from '../support/managed.js';
import { onDatabase } from '../support/store-database.js';
import { sharedEngines } from '../support/test-stores.js';

describe.each(sharedEngines)('on %s', (engine) => {
  const at = managed(engine);

  it('M40 no row of the database contains a credential', async () => {
    const holder = await at.account();
    const { keys, accessKeys, audit } = at.management;
    const texts: string[] = [];
    for (const kind of ['secret', 'public'] as const) {
      const { key, secret: text } = await keys.create(holder.developer, { kind, apis: ['payments'] }, `once-${kind}`);
      await keys.edit(holder.owner, key.id, { version: 1, name: 'Till' });
      const { secret: rotated } = await keys.rotate(holder.owner, key.id, 60);
      // The text of a public key is no secret, and is kept where it says so.
      if (kind === 'secret') texts.push(String(text), String(rotated));
    }
    const { key, text } = await holder.accessKey();
    const { secret: rotated } = await accessKeys.rotate(holder.owner, key.id);
    const { secret: added } = await accessKeys.addSecret(holder.owner, key.id);
    texts.push(text, String(added), String(rotated));
    for (const credential of texts) {
      await refusalOf(keys.view(holder.developer, credential));
      await refusalOf(keys.revoke(holder.developer, credential));
      await refusalOf(accessKeys.edit(holder.owner, credential, { version: 1 }));
      await refusalOf(accessKeys.deleteSecret(holder.owner, key.id, credential));
      await keys.list(holder.developer, { text: credential });
      await audit(holder.developer, { subject: credential });
    }
    const rows = await allRows(at.url);
    expect(rows.length).toBeGreaterThan(20);
    const all = JSON.stringify(rows);
    // Any 12 characters of one, beside those that a hint shows.
    const pieces = texts.flatMap((credential) => piecesOf(credential.replace(/^[sp]k_(?:sbox_)?/, '').slice(0, -4)));
    expect(pieces.filter((piece) => all.includes(piece))).toEqual([]);
    expect(all).toContain(String(added).slice(-4));
  });
});

/** Every row of every table. */
async function allRows(url: string) {
  const tables = url.startsWith('file:')
    ? "select name from sqlite_master where type = 'table'"
    : 'select table_name as name from information_schema.tables where table_schema = current_schema()';
  const names = (await onDatabase(url, tables)).map(({ name }) => String(name));
  expect(names).toEqual(expect.arrayContaining(['accounts', 'keys', 'secrets', 'creations', 'audit', 'changes']));
  const rows = await Promise.all(names.map((name) => onDatabase(url, `select * from "${name}"`)));
  return rows.flat();
}

function piecesOf(text: string): readonly string[] {
  return Array.from({ length: text.length - 11 }, (_, at) => text.slice(at, at + 12));
}
