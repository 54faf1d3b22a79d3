import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { digestOf } from '../../lib/credentials/digest.js';
import { openStore } from '../../lib/store/open-store.js';
import { type CommandLine, commandLine } from '../support/command-line.js';
import { placesOf, sharedEngines, type TestPlace } from '../support/test-stores.js';

const HEADING = 'digest,kind,apis,id,name,scopes,channels,platform,hint,environment,created_at,expires_at';
const lineOf = (key: string, rest = 'secret,payments,,,,,,,,,') => `${digestOf(key)},${rest}`;

describe.each(sharedEngines)('keyward keys import, on %s', (engine) => {
  let place: TestPlace;
  let keyward: CommandLine;
  let folder: string;

  beforeEach(async () => {
    place = await placesOf[engine]();
    keyward = commandLine(place);
    folder = mkdtempSync(join(tmpdir(), 'keyward-import-'));
    await keyward.json(
      'accounts',
      'put',
      'acme',
      '--api',
      'payments',
      '--scope',
      'payments:read',
      '--platform',
      'shop',
    );
  });

  afterEach(async () => {
    rmSync(folder, { recursive: true, force: true });
    await place.remove();
  });

  function importing(lines: readonly string[], ...args: string[]) {
    const file = join(folder, 'keys.csv');
    writeFileSync(file, [HEADING, ...lines, ''].join('\n'));
    return keyward.run('keys', 'import', file, '--account', 'acme', ...args);
  }

  async function recordOf(key: string) {
    const store = await openStore(place.url);
    try {
      const [digest, kind, environment] = [digestOf(key), 'secret', 'live'] as const;
      return await store.resolveKey({ digest, kind, environment, reveal: () => key });
    } finally {
      await store.close();
    }
  }

  it('moves keys over: what was a key before is one still', async () => {
    const full = 'secret,all,old-7,"Till, two",payments:read,pc_1,shop,live_1234,live,2020-01-02T03:04:05Z,2099-01-01';
    const { code, out } = await importing([lineOf('old-secret-1'), lineOf('old-secret-2', full)]);
    expect(code).toBe(0);
    expect(out).toMatch(/^2 imported, 0 were there, in [\d.]+ s \(\d+ a second\)\.\n$/);
    expect(await recordOf('old-secret-1')).toMatchObject({ account: 'acme', apis: ['payments'], scopes: null });
    expect(await recordOf('old-secret-2')).toMatchObject({
      ...{ id: 'old-7', name: 'Till, two', apis: ['payments'], scopes: ['payments:read'], channels: ['pc_1'] },
      ...{ platform: 'shop', createdAt: new Date('2020-01-02T03:04:05Z'), expiresAt: new Date('2099-01-01') },
    });
  });

  it('tells of itself in the audit by its count', async () => {
    await importing([lineOf('a'), lineOf('b')]);
    const { out } = await keyward.run('audit', '--account', 'acme', '--action', 'key.import');
    expect(out).toMatch(/ key\.import +done +- +2 imported\n/);
  });

  it('passes over what is there already', async () => {
    await importing([lineOf('a')]);
    const { out } = await importing([lineOf('a'), lineOf('b')], '--json');
    expect(JSON.parse(out)).toMatchObject({ imported: 1, known: 1, refused: 0, batches_left_out: 0 });
  });

  it('leaves a batch out whole where a line of it is refused, and says which and why', async () => {
    const good = Array.from({ length: 1_000 }, (_, i) => lineOf(`good-${i}`));
    const bad = [
      ['nonsense,secret,payments,,,,,,,,,', 'digest: expected SHA-256 in hex'],
      [lineOf('x', 'private,payments,,,,,,,,,'), 'kind: expected secret or public'],
      [lineOf('y', 'secret,payouts,,,,,,,,,'), 'apis: the account does not have payouts'],
      [lineOf('z', 'public,all,,,,,,,,,'), 'apis: a public key lists its APIs'],
      [
        lineOf('s', 'secret,payments,,,,pc_1 pc_2,shop,,,,'),
        'channels: a key on an e-commerce platform has exactly one',
      ],
      [lineOf('t', 'secret,payments,,,,,,,,yesterday,'), 'created_at: expected a time'],
      [lineOf('good-1000'), undefined],
      [lineOf('good-1000'), 'digest: stands twice in this batch'],
    ] as const;
    const { code, err, out } = await importing([...good, ...bad.map(([line]) => line)], '--json');
    expect(code).toBe(1);
    const told = bad.flatMap(([, message], i) => (message === undefined ? [] : [`line ${1_002 + i}: ${message}`]));
    expect(err.trimEnd().split('\n')).toEqual([...told, '7 lines were refused; 1 batch was left out.']);
    expect(JSON.parse(out)).toMatchObject({ imported: 1_000, refused: 7, batches_left_out: 1 });
    expect(await recordOf('good-999')).toBeDefined();
    expect(await recordOf('good-1000')).toBeUndefined();
  });

  it.each([
    ['a column that there is none of', 'digest,kind,apis,secret', 'There is no column secret; there are digest,'],
    ['a column that is missing', 'digest,kind', 'The column apis is missing.'],
    ['a column that comes twice', 'digest,kind,apis,apis', 'The column apis comes twice.'],
    ['a heading that is missing', lineOf('a'), 'The heading is missing: the first line must name the columns'],
    ['a file that is empty', '', 'bad.csv is empty'],
    ['a file of blank lines', '\n  \r\n', 'bad.csv is empty'],
  ])('refuses %s, and imports nothing', async (_what, text, sentence) => {
    const file = join(folder, 'bad.csv');
    writeFileSync(file, text === '' ? '' : `${text}\n`);
    const { code, out, err } = await keyward.run('keys', 'import', file, '--account', 'acme');
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(sentence);
    expect(err).not.toContain(digestOf('a'));
  });

  it('refuses a file that is not there, and an account that is not there', async () => {
    const file = join(folder, 'none.csv');
    expect(await keyward.run('keys', 'import', file, '--account', 'acme')).toMatchObject({ code: 2 });
    writeFileSync(file, `${HEADING}\n${lineOf('a')}\n`);
    const { code, err } = await keyward.run('keys', 'import', file, '--account', 'nobody');
    expect([code, err]).toEqual([1, expect.stringMatching(/^There is no account "nobody" in \S+\.\n$/)]);
  });
});
