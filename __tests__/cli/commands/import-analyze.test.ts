import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { digestOf } from '../../../lib/credentials/digest.js';
import { commandLine } from '../../support/command-line.js';
import { onDatabase } from '../../support/store-database.js';
import { placesOf, type TestPlace } from '../../support/test-stores.js';

let place: TestPlace;
let folder: string;
beforeEach(async () => {
  place = await placesOf.SQLite();
  folder = mkdtempSync(join(tmpdir(), 'keyward-analyze-'));
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await place.remove();
});

it.each([
  [999, false],
  [1_000, true],
])('an import of %i keys updates the statistics of the database: %j', async (count, isAnalyzed) => {
  const keyward = commandLine(place);
  await keyward.json('accounts', 'put', 'acme', '--api', 'payments');
  const file = join(folder, 'keys.csv');
  const lines = Array.from({ length: count }, (_, key) => `${digestOf(`key-${key}`)},secret,payments`);
  writeFileSync(file, `digest,kind,apis\n${lines.join('\n')}\n`);
  expect(await keyward.json('keys', 'import', file, '--account', 'acme')).toMatchObject({ imported: count });
  const statistics = `select name from sqlite_master where name = 'sqlite_stat1'`;
  expect((await onDatabase(place.url, statistics)).length > 0).toBe(isAnalyzed);
});
