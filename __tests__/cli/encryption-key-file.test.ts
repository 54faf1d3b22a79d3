import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import {
  encryptionKeysFrom,
  makeEncryptionKey,
  readEncryptionKeys,
  withKeyFile,
  writeKeyFile,
} from '../../lib/cli/encryption-key-file.js';
import type { Io } from '../../lib/cli/io.js';
import { outputInto } from '../support/command-line.js';
import { onLinux } from '../support/on-linux.js';
import { openFiles } from '../support/open-files.js';

const KEY = /^[\w-]{43}$/;
let folder: string;
let path: string;
let warned: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyward-key-file-'));
  path = join(folder, 'keyward.key');
  warned = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ioWith = (key?: string): Io => ({
  ...{ stdin: process.stdin, stdout: outputInto([]), stderr: outputInto(warned) },
  env: key === undefined ? {} : { KEYWARD_ENCRYPTION_KEY: key },
});
const usage = (message: string) => expect.objectContaining({ message, exitCode: 2 });

describe('the keys of the environment variable', () => {
  it.each([
    ['a', ['a']],
    ['a,b', ['a', 'b']],
    [' a , b ', ['a', 'b']],
  ])('%j are used, and no file is read or created', (given, texts) => {
    const expected = { texts, source: 'KEYWARD_ENCRYPTION_KEY', file: false };
    expect(encryptionKeysFrom(ioWith(given), path)).toEqual(expected);
    expect(readEncryptionKeys(ioWith(given), path)).toEqual(expected);
    expect(readdirSync(folder)).toEqual([]);
    expect(warned).toEqual([]);
  });
});

describe('the file of the keys', () => {
  const CREATED = () =>
    `the encryption key file ${path} was created; without it, the signing keys in the database cannot be decrypted; back it up, or put its content into the environment variable KEYWARD_ENCRYPTION_KEY`;

  it.each([undefined, ''])('is created once, for its owner only, if the variable is %j', (given) => {
    const { texts, source, file } = encryptionKeysFrom(ioWith(given), relative('', path));
    expect([texts.length, source, file]).toEqual([1, relative('', path), true]);
    expect(texts[0]).toMatch(KEY);
    expect(readFileSync(path, 'utf8')).toBe(`${texts[0]}\n`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['keyward.key']);
    expect(warned).toEqual([`warning: ${CREATED()}\n`]);
    warned = [];
    expect(encryptionKeysFrom(ioWith(given), path).texts).toEqual(texts);
    expect(warned).toEqual([]);
  });

  it('is named by a warning as JSON', () => {
    encryptionKeysFrom(ioWith(), path, true);
    expect(JSON.parse(warned.join(''))).toEqual({ warning: { message: CREATED() } });
  });

  it.each([
    ['a\nb\n', ['a', 'b']],
    ['  a  \n\n b', ['a', 'b']],
  ])('%j has several keys', (content, texts) => {
    writeFileSync(path, content, { mode: 0o600 });
    expect(readEncryptionKeys(ioWith(), path)).toEqual({ texts, source: path, file: true });
  });

  it('is not created for an existing database', () => {
    expect(() => readEncryptionKeys(ioWith(), path)).toThrow(
      usage(
        `the encryption key file ${path} does not exist; pass the path of the existing file with --encryption-key-file, or set KEYWARD_ENCRYPTION_KEY to the key`,
      ),
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([0o640, 0o604, 0o610, 0o601, 0o620])('is refused with the mode %o', (mode) => {
    writeFileSync(path, 'a\n');
    chmodSync(path, mode);
    expect(() => readEncryptionKeys(ioWith(), path)).toThrow(
      usage(`other users have access to the encryption key file ${path}; run: chmod 600 ${path}`),
    );
  });

  it('is refused if it is a folder', () => {
    chmodSync(folder, 0o700);
    expect(() => readEncryptionKeys(ioWith(), folder)).toThrow(
      usage(`the encryption key file ${folder} is a folder; expected a file`),
    );
  });

  it('is not replaced if it appears in the meantime, like a link to nothing', () => {
    symlinkSync(join(folder, 'nothing'), path);
    expect(() => encryptionKeysFrom(ioWith(), path)).toThrow(/^the encryption key file .* does not exist; /);
    expect(warned).toEqual([]);
    expect(readdirSync(folder)).toEqual(['keyward.key']);
  });

  it('cannot be created in a folder that does not exist', () => {
    const lost = join(folder, 'lost', 'keyward.key');
    expect(() => encryptionKeysFrom(ioWith(), lost)).toThrow(
      usage(
        `cannot create the encryption key file ${lost} (ENOENT); choose a path in a writable folder with --encryption-key-file, or set KEYWARD_ENCRYPTION_KEY`,
      ),
    );
    expect(warned).toEqual([]);
  });
});

describe('new keys', () => {
  it('replace those of the file that a link names', () => {
    writeFileSync(path, 'old\n', { mode: 0o600 });
    const link = join(folder, 'link');
    symlinkSync(path, link);
    writeKeyFile(link, ['new', 'old']);
    expect(readFileSync(path, 'utf8')).toBe('new\nold\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).sort()).toEqual(['keyward.key', 'link']);
    expect(readEncryptionKeys(ioWith(), link).texts).toEqual(['new', 'old']);
  });

  it('that cannot be moved to their place leave nothing behind', () => {
    expect(() => writeKeyFile(folder, ['new'])).toThrow(
      usage(
        `cannot replace the encryption key file ${folder} (EISDIR), so it was not changed; make sure that its folder is writable and has free space, and run the command again`,
      ),
    );
    expect(readdirSync(join(folder, '..')).filter((name) => name.includes(`${folder.slice(-6)}.`))).toEqual([]);
  });

  it('are random, with 256 bits', () => {
    const keys = [makeEncryptionKey(), makeEncryptionKey()];
    expect(keys[0]).toMatch(KEY);
    expect(keys[0]).not.toBe(keys[1]);
  });
});

it('the option for the file has a default', () => {
  const [option] = withKeyFile(new Command()).options;
  expect(option).toMatchObject({
    flags: '--encryption-key-file <path>',
    defaultValue: './keyward.key',
    description:
      'the file with the key that encrypts the signing keys; this option is ignored if KEYWARD_ENCRYPTION_KEY is set',
  });
});

onLinux('no file stays open after a key file is created', () => {
  encryptionKeysFrom(ioWith(), path);
  expect(openFiles(folder)).toEqual([]);
});
