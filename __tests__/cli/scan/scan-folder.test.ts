import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { KEY_PATTERN } from '../../../lib/cli/scan/key-patterns.js';
import { scanFolder } from '../../../lib/cli/scan/scan-folder.js';
import { mintKey } from '../../../lib/credentials/keyward-format.js';
import { onLinux } from '../../support/on-linux.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyward-scan-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const [secret, shop] = [mintKey('secret', 'live'), mintKey('public', 'sandbox')];
const write = (name: string, content: string | Buffer) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

/** The places of the keys that are found, and the messages about what cannot be read. */
async function found(path = folder) {
  const messages: string[] = [];
  const onUnreadable = (error: Error) => void messages.push(error.message) as undefined;
  const keys = [];
  for await (const key of scanFolder(path, KEY_PATTERN, onUnreadable)) keys.push(key);
  return { places: keys.map(({ file, line, column }) => `${file}:${line}:${column}`), keys, messages };
}

describe('a scan', () => {
  it('finds each key with its line and column, and shows its hint only', async () => {
    write('a.txt', `${secret}\n\n x ${shop} ${secret}\r\n${secret}`);
    const { keys, places, messages } = await found();
    expect(places).toEqual(['a.txt:1:1', 'a.txt:3:4', `a.txt:3:${5 + shop.length}`, 'a.txt:4:1']);
    expect(keys[0]).toEqual({
      ...{ file: 'a.txt', line: 1, column: 1, kind: 'secret', environment: 'live' },
      hint: `sk_…${secret.slice(-4)}`,
    });
    expect(keys[1]).toMatchObject({ kind: 'public', environment: 'sandbox' });
    expect(messages).toEqual([]);
  });

  it('reads the files of folders by name, but not those of Git and npm', async () => {
    for (const name of ['src', 'src/deep', 'node_modules', '.git', 'src/.git']) mkdirSync(join(folder, name));
    for (const name of ['z.txt', 'src/deep/b.txt', 'src/a.txt', 'node_modules/a', '.git/a', 'src/.git/a'])
      write(name, secret);
    expect((await found()).places).toEqual(['src/a.txt:1:1', 'src/deep/b.txt:1:1', 'z.txt:1:1']);
  });

  it('has the order of the names, however the file system orders them', async () => {
    const names = ['e.txt', 'b.txt', 'd.txt', 'a.txt', 'c.txt'];
    for (const name of names) write(name, secret);
    expect((await found()).places).toEqual(names.sort().map((name) => `${name}:1:1`));
  });

  it('reads a file that is named, and names it so', async () => {
    const path = write('a.txt', secret);
    expect((await found(path)).places).toEqual([`${path}:1:1`]);
  });

  it('follows a link that is named, and no other', async () => {
    mkdirSync(join(folder, 'src'));
    write('src/a.txt', secret);
    symlinkSync(join(folder, 'src'), join(folder, 'link'));
    symlinkSync(join(folder, 'src/a.txt'), join(folder, 'file'));
    expect((await found()).places).toEqual(['src/a.txt:1:1']);
    expect((await found(join(folder, 'link'))).places).toEqual(['a.txt:1:1']);
    expect((await found(join(folder, 'file'))).places).toEqual([`${join(folder, 'file')}:1:1`]);
  });

  it.each([
    ['UTF-8', (text: string) => Buffer.from(text)],
    ['UTF-8 with a mark', (text: string) => Buffer.from(`\uFEFF${text}`)],
    ['UTF-16, little endian', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['UTF-16, big endian', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
    ['Latin-1', (text: string) => Buffer.from(text, 'latin1')],
  ])('reads %s', async (_name, encode) => {
    write('a.txt', encode(`é\né ${secret}`));
    expect((await found()).places).toEqual(['a.txt:2:3']);
  });

  it('leaves out a file of more than 10 MB, and says so if it is named', async () => {
    const path = write('a.txt', secret);
    truncateSync(path, 10_000_000);
    expect((await found()).places).toEqual(['a.txt:1:1']);
    truncateSync(path, 10_000_001);
    expect(await found()).toMatchObject({ places: [], messages: [] });
    expect(await found(path)).toMatchObject({
      places: [],
      messages: [`${path} is larger than 10 MB, so it was not searched; split it into smaller files`],
    });
  });

  it('reads a device that is named, and does not wait for a pipe in a folder', async () => {
    expect(await found('/dev/null')).toMatchObject({ places: [], messages: [] });
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    write('z.txt', secret);
    expect((await found()).places).toEqual(['z.txt:1:1']);
  });

  onLinux('reads the start of a device that has no end, and says so', async () => {
    expect(await found('/dev/zero')).toMatchObject({
      ...{ places: [], messages: ['only the first 200 MB of /dev/zero were searched; split it'] },
    });
  });

  it('names what it cannot read, and goes on', async () => {
    write('z.txt', secret);
    const vanished = scanFolder(folder, KEY_PATTERN, () => undefined);
    rmSync(join(folder, 'z.txt'));
    expect((await vanished.next()).done).toBe(true);
    if (process.getuid?.() === 0) return;
    chmodSync(write('a.txt', secret), 0);
    expect(await found()).toMatchObject({ places: ['z.txt:1:1'], messages: [expect.stringContaining('a.txt')] });
  });

  it('ends if the path that is named does not exist', async () => {
    const lost = join(folder, 'lost');
    await expect(found(lost)).rejects.toMatchObject({
      message: `${lost} does not exist or cannot be read`,
      exitCode: 2,
    });
  });
});
