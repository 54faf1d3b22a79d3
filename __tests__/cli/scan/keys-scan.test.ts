import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { mintKey } from '../../../lib/credentials/keyward-format.js';
import { fixClock, type Transcript, transcriptOn } from '../../support/transcript.js';

let folder: string;
let keyward: Transcript;

beforeEach(() => {
  fixClock();
  folder = mkdtempSync(join(tmpdir(), 'keyward-scan-'));
  keyward = transcriptOn({}, { [folder]: 'FOLDER' });
});

afterEach(() => {
  jest.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

const [secret, shop] = [mintKey('secret', 'live'), mintKey('public', 'sandbox')];
const mistyped = secret.slice(0, -1) + (secret.endsWith('a') ? 'b' : 'a');

function file(name: string, content: string | Buffer): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

describe('the whole output of keyward keys scan', () => {
  it('for a folder with a key of each kind and environment, on one line and on several', async () => {
    for (const name of ['src', 'src/deep', 'node_modules', '.git']) mkdirSync(join(folder, name));
    file('.env', `KEY=${secret}\nOTHER=${shop} # ${secret}\n\n\n  ${mintKey('secret', 'sandbox')}`);
    file('src/deep/page.html', `<body>\r\n<p data-key="${mintKey('public', 'live')}">`);
    file('src/near.txt', `${mistyped} ${secret.toUpperCase()} x${secret} ${secret}x`);
    for (const name of ['node_modules/theirs.js', '.git/config']) file(name, secret);
    expect(await keyward.both('keys', 'scan', folder)).toMatchSnapshot();
  });

  it('for a file, with UTF-8, UTF-16 and a byte order mark', async () => {
    expect(await keyward.run('keys', 'scan', file('a.txt', `\u00e9\n\u00e9 ${secret}`))).toMatchSnapshot();
    for (const [name, order] of [
      ['little.txt', false],
      ['big.txt', true],
    ] as const) {
      const text = Buffer.from(`\uFEFF\n ${shop}`, 'utf16le');
      const path = file(name, order ? text.swap16() : text);
      expect(await keyward.both('keys', 'scan', path)).toMatchSnapshot();
    }
  });

  it('that finds nothing', async () => {
    expect(await keyward.both('keys', 'scan', folder)).toMatchSnapshot();
    expect(await keyward.both('keys', 'scan', file('a.txt', mistyped))).toMatchSnapshot();
    expect(await keyward.both('keys', 'scan', '/dev/null')).toMatchSnapshot();
  });

  it('for a path that does not exist, and a file that is too large', async () => {
    expect(await keyward.both('keys', 'scan', join(folder, 'none'))).toMatchSnapshot();
    const large = (bytes: number) => file('large.txt', Buffer.alloc(bytes, `${secret}\n`).fill(' ', 40));
    expect(await keyward.both('keys', 'scan', large(10_000_001))).toMatchSnapshot();
    expect(await keyward.run('keys', 'scan', large(10_000_000))).toMatchSnapshot();
    // A large file in a folder is left out.
    large(10_000_001);
    expect(await keyward.run('keys', 'scan', folder)).toMatchSnapshot();
  });
});

it('the whole output of keyward keys patterns', async () => {
  expect(await keyward.run('keys', 'patterns')).toMatchSnapshot();
});

it('the whole output of keyward keys inspect', async () => {
  expect(await keyward.both('keys', 'inspect', secret)).toMatchSnapshot();
  expect(await keyward.runWith(`${shop}\n`, ['keys', 'inspect', '-'])).toMatchSnapshot();
  expect(await keyward.both('keys', 'inspect', 'sk_live_1')).toMatchSnapshot();
  expect(await keyward.both('keys', 'inspect', 'AKIA')).toMatchSnapshot();
  expect(await keyward.runWith('', ['keys', 'inspect', '-'])).toMatchSnapshot();
});
