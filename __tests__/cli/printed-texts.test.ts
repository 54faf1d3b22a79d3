import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createManagement } from '../../lib/management/create-management.js';
import { openStore } from '../../lib/store/open-store.js';
import { type CommandLine, commandLine } from '../support/command-line.js';
import { placesOf, sharedEngines, type TestPlace } from '../support/test-stores.js';

const HOSTILE = [
  ['a line break', 'ada\nroot', 'ada\\nroot'],
  ['ESC', 'ada\u001b[2Jroot', 'ada\\u001b[2Jroot'],
  ['the C1 control CSI', 'ada\u009b2Jroot', 'ada\\u009b2Jroot'],
  ['a bidi override', 'ada\u202eroot', 'ada\\u202eroot'],
  ['a bidi isolate', 'ada\u2066root', 'ada\\u2066root'],
  ['a tag character', 'ada\u{e0041}root', 'ada\\udb40\\udc41root'],
] as const;
const RAW = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

describe.each(sharedEngines)('what keyward prints, on %s', (engine) => {
  let place: TestPlace;
  let keyward: CommandLine;
  let folder: string;

  beforeEach(async () => {
    place = await placesOf[engine]();
    keyward = commandLine(place);
    folder = mkdtempSync(join(tmpdir(), 'keyward-printed-'));
    await keyward.json('accounts', 'put', 'acme', '--api', 'payments');
  });

  afterEach(async () => {
    rmSync(folder, { recursive: true, force: true });
    await place.remove();
  });

  it.each(HOSTILE)('N29 escapes %s in member.id, names and hints', async (_what, text, escaped) => {
    const store = await openStore(place.url);
    const ada = { id: text, account: 'acme', permissions: ['owner'] } as const;
    const { key } = await createManagement({ store }).keys.create(ada, { kind: 'secret', apis: ['payments'] });
    await store.repository.transact(async (tx) => {
      await tx.updateKey(key.id, 1, { name: text });
      const [secret] = await tx.secrets(key.id);
      if (secret === undefined) throw new Error('no secret');
      await tx.insertSecret({ ...secret, digest: '0'.repeat(64), hint: text, created_at: secret.created_at + 1 });
    });
    await store.close();
    for (const args of [
      ['keys', 'list', '--account', 'acme'],
      ['keys', 'view', key.id],
      ['audit', '--account', 'acme'],
      ['keys', 'edit', key.id, '--no-name'],
    ]) {
      const { out } = await keyward.run(...args);
      expect(out).toContain(escaped);
      for (const line of out.trimEnd().split('\n')) expect(line).not.toMatch(RAW);
      const json = await keyward.run(...args, '--json');
      expect(json.out.trimEnd()).not.toMatch(RAW);
    }
    const { entries } = await keyward.json<{ entries: { actor: string }[] }>('audit', '--account', 'acme');
    expect(entries.map(({ actor }) => actor)).toContain(text);
  });

  it.each(HOSTILE)('N29 escapes %s in the name of a file, a column and a route', async (_what, text, escaped) => {
    const made = await keyward.json<{ key: string }>(
      ...['keys', 'create', '--account', 'acme', '--kind', 'secret', '--api', 'payments'],
    );
    writeFileSync(join(folder, text), made.key);
    const scan = await keyward.run('keys', 'scan', folder);
    expect(scan.out).toBe(`${escaped}:1:1  secret key, live  sk_\u2026${made.key.slice(-4)}\n`);
    const table = join(folder, 'keys.csv');
    writeFileSync(table, `digest,kind,apis,${text.replace('\n', '\v')}\n`);
    const refused = await keyward.run('keys', 'import', table, '--account', 'acme');
    const missing = await keyward.run('routes', join(folder, `${text}.js`));
    for (const { code, err } of [refused, missing]) {
      expect(code).toBe(2);
      expect(err.trimEnd()).not.toMatch(RAW);
    }
  });

  it('N29 refuses an argument with NUL', async () => {
    const { code, err } = await keyward.run('keys', 'view', 'key_\0');
    expect([code, err]).toEqual([2, 'an argument contains a NUL character (U+0000); remove this character\n']);
  });
});
