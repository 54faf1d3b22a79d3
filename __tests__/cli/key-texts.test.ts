import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { KEY_PATTERN, patternsFor, SCANNERS } from '../../lib/cli/scan/key-patterns.js';
import { scanFolder } from '../../lib/cli/scan/scan-folder.js';
import { mintKey } from '../../lib/credentials/keyward-format.js';
import { asNobody } from '../support/as-nobody.js';
import { commandLine } from '../support/command-line.js';

const keyward = commandLine({ url: 'file:/nowhere/at/all.db' });
const folder = mkdtempSync(join(tmpdir(), 'keyward-scan-'));
const mistyped = (key: string) => key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a');

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FOUND_TWO =
  '2 keys were found; rotate or revoke each secret key, because anyone who can read these files can use it';

describe('keyward keys inspect', () => {
  it.each([
    [mintKey('secret', 'live'), { well_formed: true, kind: 'secret', environment: 'live' }],
    [mintKey('public', 'sandbox'), { well_formed: true, kind: 'public', environment: 'sandbox' }],
  ])('prints kind and environment of a key, without a store', async (key, said) => {
    expect(await keyward.json('keys', 'inspect', key)).toEqual(said);
    expect(await commandLine({ url: '' }, `${key}\n`).json('keys', 'inspect', '-')).toEqual(said);
  });

  it.each([
    [mistyped(mintKey('secret', 'live')), 'the string is mistyped or incomplete'],
    ['sk_live_51HxyzSomebodyElses', 'the string is mistyped or incomplete'],
    ['AKIAIOSFODNN7EXAMPLE', 'the string starts with neither sk_ nor pk_'],
  ])('says that a text is not a key', async (text, why) => {
    const { code, out } = await keyward.run('keys', 'inspect', text, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual({ well_formed: false, why });
    expect(out).not.toContain(text);
  });
});

describe('keyward keys patterns', () => {
  it('prints a pattern for each scanner', async () => {
    const { code, out } = await keyward.run('keys', 'patterns');
    expect(code).toBe(0);
    for (const scanner of SCANNERS) expect(out).toContain(`# ${scanner}\n${patternsFor(scanner)}`);
  });

  it.each(SCANNERS)('%s: the pattern finds secret keys, and no public ones', (scanner) => {
    const pattern = new RegExp(/sk_\(\?:sbox_\)\?\[a-z2-7\]\{27\}/.exec(patternsFor(scanner))?.[0] ?? 'none');
    for (const environment of ['live', 'sandbox'] as const) {
      const key = mintKey('secret', environment);
      expect(pattern.exec(`KEY="${key}"`)?.[0]).toBe(key);
      expect(pattern.test(mintKey('public', environment))).toBe(false);
    }
  });

  it('finds a key next to punctuation, but not in the middle of a word', () => {
    const key = mintKey('secret', 'live');
    const found = (text: string) => [...text.matchAll(KEY_PATTERN)].length;
    for (const text of [key, `"${key}"`, `=${key};`, `:${key}\n`, `(${key})`]) expect(found(text)).toBe(1);
    for (const text of [`a${key}`, `${key}a`, `_${key}`]) expect(found(text)).toBe(0);
  });
});

const ESCAPED = [...['\\n', '\\t', '\\u000a', '\\x0A', '%3D', '%3d', '%253D'].map((escaped) => `key:${escaped}`)];

describe('a key after an escaped character', () => {
  const key = mintKey('secret', 'live');

  it.each(ESCAPED)('is found: %s', (before) => {
    expect([...`${before}${key}\\n`.matchAll(KEY_PATTERN)].map(([text]) => text)).toEqual([key]);
  });

  it.each(['gitleaks', 'trufflehog'] as const)('is found by %s', (scanner) => {
    const source = /'(\(\?:.+\\b)'/.exec(patternsFor(scanner))?.[1] ?? 'none';
    // Go (RE2) has neither lookahead nor lookbehind.
    expect(source).not.toMatch(/\(\?[=!<]/);
    for (const before of [...ESCAPED, '', '"', '=']) {
      expect(new RegExp(source).exec(`${before}${key}"`)?.[1]).toBe(key);
    }
    for (const before of ['a', '_']) expect(new RegExp(source).test(`${before}${key}`)).toBe(false);
  });
});

describe('keyward keys scan', () => {
  const secret = mintKey('secret', 'sandbox');
  const open = mintKey('public', 'live');
  mkdirSync(join(folder, 'src/deep'), { recursive: true });
  mkdirSync(join(folder, 'node_modules'));
  writeFileSync(join(folder, 'src/config.js'), `// keys\nconst key = '${secret}';\n`);
  writeFileSync(join(folder, 'src/deep/page.html'), `<body data-key="${open}">`);
  writeFileSync(join(folder, 'src/near.txt'), `${mistyped(secret)} sk_short ${'x'.repeat(1_000)}`);
  writeFileSync(join(folder, 'node_modules/theirs.js'), secret);
  symlinkSync(folder, join(folder, 'src/circle'));
  symlinkSync(join(folder, 'src'), join(folder, 'linked'));

  it('follows a link that is named, and no link in it', async () => {
    for (const path of ['linked', 'src']) {
      const { code, out } = await keyward.run('keys', 'scan', join(folder, path));
      expect([code, out.split('\n').length]).toEqual([1, 3]);
    }
  });

  it('reports each file or folder that cannot be read, and goes on', async () => {
    const guarded = mkdtempSync(join(tmpdir(), 'keyward-unreadable-'));
    chmodSync(guarded, 0o755);
    for (const name of ['a', 'c']) mkdirSync(join(guarded, name));
    // Its names can be read, but not its files.
    writeFileSync(join(guarded, 'c/f'), '');
    for (const [name, mode] of [['a', 0] as const, ['c', 0o444] as const]) chmodSync(join(guarded, name), mode);
    writeFileSync(join(guarded, 'b'), '', { mode: 0 });
    writeFileSync(join(guarded, 'd'), secret);
    const [found, unreadable]: [string[], string[]] = [[], []];
    await asNobody(async () => {
      const onUnreadable = ({ message }: Error) => void unreadable.push(message);
      for await (const { file } of scanFolder(guarded, KEY_PATTERN, onUnreadable)) found.push(file);
    });
    expect(found).toEqual(['d']);
    expect(unreadable).toEqual(['a', 'b', 'c/f'].map((name) => expect.stringMatching(`EACCES: .*/${name}'$`)));
    chmodSync(join(guarded, 'c'), 0o755);
    rmSync(guarded, { recursive: true });
  });

  it('finds planted keys with file, line and column, and prints none of them', async () => {
    const { code, out, err } = await keyward.run('keys', 'scan', folder, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(out).found).toEqual([
      {
        ...{ file: 'src/config.js', line: 2, column: 14, kind: 'secret', environment: 'sandbox' },
        hint: `sk_sbox_\u2026${secret.slice(-4)}`,
      },
      {
        ...{ file: 'src/deep/page.html', line: 1, column: 17, kind: 'public', environment: 'live' },
        hint: `pk_\u2026${open.slice(-4)}`,
      },
    ]);
    expect(err).toBe(`${JSON.stringify({ error: { code: 'refused', message: FOUND_TWO, exitCode: 1 } })}\n`);
    for (const key of [secret, open]) expect(out + err).not.toContain(key.slice(4, 20));
    const printed = await keyward.run('keys', 'scan', join(folder, 'src'));
    expect(printed.out.split('\n')[0]).toMatch(/^config\.js:2:14 {2}secret key, sandbox {2}sk_sbox_\u2026/);
  });

  it('prints the hint by which the store finds the key', async () => {
    const database = { url: `file:${join(mkdtempSync(join(tmpdir(), 'keyward-hint-')), 'keyward.db')}` };
    const stored = commandLine(database);
    await stored.json('accounts', 'put', 'acme', '--api', 'payments');
    const create = ['keys', 'create', '--account', 'acme', '--kind', 'secret', '--api', 'payments'];
    const { key, record } = await stored.json<{ key: string; record: { id: string } }>(
      ...[...create, '--environment', 'sandbox'],
    );
    const path = join(mkdtempSync(join(folder, 'hint-')), 'file');
    writeFileSync(path, key);
    const [{ hint }] = JSON.parse((await keyward.run('keys', 'scan', path, '--json')).out).found;
    rmSync(join(path, '..'), { recursive: true });
    const { keys } = await stored.json<{ keys: { id: string }[] }>('keys', 'list', '--account', 'acme', '--text', hint);
    expect(keys.map(({ id }) => id)).toEqual([record.id]);
    rmSync(join(database.url.slice('file:'.length), '..'), { recursive: true });
  });

  it.each([
    ['UTF-8', Buffer.from(`mot cl\u00e9 = "\u00e9" ${secret}`), 15],
    ['UTF-8 with a mark', Buffer.from(`\ufeffkey=${secret}`), 5],
    ['UTF-16', Buffer.from(`\ufeffcl\u00e9 = ${secret}`, 'utf16le'), 7],
    ['UTF-16, big endian', Buffer.from(`\ufeffcl\u00e9 = ${secret}`, 'utf16le').swap16(), 7],
    ['bytes that are no text', Buffer.concat([Buffer.of(0xff, 0xc3), Buffer.from(`=${secret}`)]), 4],
  ])('counts the characters of a line: %s', async (_name, bytes, column) => {
    const path = join(mkdtempSync(join(folder, 'encoded-')), 'file');
    writeFileSync(path, bytes);
    const { out } = await keyward.run('keys', 'scan', path, '--json');
    rmSync(join(path, '..'), { recursive: true });
    expect(JSON.parse(out).found).toMatchObject([{ line: 1, column, environment: 'sandbox' }]);
  });

  it('skips the folder of git, and files of more than 10 MB', async () => {
    const large = mkdtempSync(join(tmpdir(), 'keyward-large-'));
    mkdirSync(join(large, '.git'));
    mkdirSync(join(large, 'a.git'));
    for (const name of ['.git/config', 'a.git/config']) writeFileSync(join(large, name), secret);
    const padding = 10_000_000 - secret.length - 1;
    writeFileSync(join(large, 'largest'), `${secret}\n${'x'.repeat(padding)}`);
    writeFileSync(join(large, 'too-large'), `${secret}\n${'x'.repeat(padding + 1)}`);
    const { out } = await keyward.run('keys', 'scan', large, '--json');
    rmSync(large, { recursive: true });
    expect(JSON.parse(out).found.map(({ file }: { file: string }) => file)).toEqual(['a.git/config', 'largest']);
  });

  it('does not say that a large file that it was given has no keys', async () => {
    const large = join(mkdtempSync(join(folder, 'large-')), 'app.log');
    writeFileSync(large, `${secret}\n${'x'.repeat(10_000_000 - secret.length)}`);
    const { code, out, err } = await keyward.run('keys', 'scan', large);
    rmSync(join(large, '..'), { recursive: true });
    expect([code, out]).toEqual([2, '']);
    expect(err).toBe(
      `warning: ${large} is larger than 10 MB, so it was not searched; split it into smaller files\n1 file or folder could not be searched\n`,
    );
  });

  it('ends with 0 if there are none, and with 2 if the folder does not exist', async () => {
    expect(await keyward.run('keys', 'scan', join(folder, 'src/near.txt'))).toMatchObject({
      ...{ code: 0, out: 'No keys were found.\n' },
    });
    expect((await keyward.run('keys', 'scan', join(folder, 'none'))).code).toBe(2);
  });

  it('reads a pipe that was named', async () => {
    const pipe = join(folder, 'log.pipe');
    execFileSync('mkfifo', [pipe]);
    const [key, other] = [mintKey('secret', 'live'), mintKey('public', 'live')];
    const writing = writeFile(pipe, `first\nkey=${key} ${other}\n`);
    const { code, out } = await keyward.run('keys', 'scan', pipe);
    await writing;
    rmSync(pipe);
    expect([code, out.match(/pipe:\d+:\d+/g)]).toEqual([1, ['pipe:2:5', 'pipe:2:36']]);
  });

  it('takes linear time in a file with many keys', async () => {
    const path = join(folder, 'many.txt');
    writeFileSync(path, `${mintKey('secret', 'live')}\n`.repeat(50_000));
    const start = performance.now();
    const { out } = await keyward.run('keys', 'scan', path, '--json');
    rmSync(path);
    expect(JSON.parse(out).found.at(-1)).toMatchObject({ line: 50_000, column: 1 });
    expect(performance.now() - start).toBeLessThan(20_000);
  });
});
