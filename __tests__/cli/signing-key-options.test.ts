import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openStore } from 'keyward/store';
import { encryptionKeysFrom, readEncryptionKeys } from '../../lib/cli/encryption-key-file.js';
import type { Io } from '../../lib/cli/io.js';
import { runCli } from '../../lib/cli/program.js';
import { makeSigningKey } from '../../lib/issuer/signing-keys/signing-key.js';
import { outputInto } from '../support/command-line.js';
import { onDatabase } from '../support/store-database.js';
import { placesOf, type TestPlace } from '../support/test-stores.js';

const [ONE, TWO] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64url')) as [string, string];

let place: TestPlace;
let folder: string;
let env: Record<string, string>;

beforeEach(async () => {
  place = await placesOf.SQLite();
  folder = mkdtempSync(join(tmpdir(), 'keyward-signing-options-'));
  env = { KEYWARD_DATABASE: place.url, KEYWARD_ENCRYPTION_KEY: ONE };
});

afterEach(async () => {
  await place.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function run(...args: string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const io = { stdin: Readable.from([]), stdout: outputInto(out), stderr: outputInto(err), env };
  const code = await runCli(args, io);
  return { code, out: out.join(''), err: err.join('') };
}

const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).out);
const algorithms = async () =>
  ((await json('signing-keys', 'list')).signingKeys as { alg: string }[]).map(({ alg }) => alg);

/** Adds signing keys past the command line. */
async function addKeys(...traits: readonly { readonly alg: 'RS256' | 'ES256'; readonly age: number }[]) {
  const store = await openStore(place.url, { encryptionKey: ONE });
  const kids: string[] = [];
  for (const { alg, age } of traits) {
    const key = await makeSigningKey(alg, Date.now() - age);
    await store.addSigningKey(key, kids.at(-1));
    kids.push(key.kid);
  }
  await store.close();
  return kids;
}

describe('keyward signing-keys rotate', () => {
  it('makes an RS256 key first, then keys of the algorithm of the newest one, or of --algorithm', async () => {
    expect((await run('signing-keys', 'rotate')).out).toMatch(
      / within about a minute, because it is the only one\.\n$/,
    );
    expect(await algorithms()).toEqual(['RS256']);
    await run('signing-keys', 'rotate', '--algorithm', 'ES256');
    expect(await algorithms()).toEqual(['RS256', 'ES256']);
    const { code, out } = await run('signing-keys', 'rotate');
    expect([code, await algorithms()]).toEqual([0, ['RS256', 'ES256', 'ES256']]);
    expect(out).toMatch(/^Signing key \S+ was created\. .* after 24 hours\.\n$/);
    expect((await run('signing-keys', 'rotate', '--now')).out).toMatch(/ within about 7 minutes\.\n$/);
    expect((await run('signing-keys', 'rotate', '--algorithm', 'HS256')).code).toBe(2);
  });

  it('makes no more than 20 keys', async () => {
    await addKeys(...Array.from({ length: 19 }, () => ({ alg: 'ES256', age: 0 }) as const));
    expect((await run('signing-keys', 'rotate')).code).toBe(0);
    const { code, out, err } = await run('signing-keys', 'rotate');
    expect([code, out, err]).toEqual([1, '', expect.stringContaining('there are 20 signing keys')]);
    expect(await algorithms()).toHaveLength(20);
  });
});

describe('keyward signing-keys list', () => {
  it('says which key signs, for each algorithm', async () => {
    const day = 86_400_000;
    const kids = await addKeys(
      ...[{ alg: 'RS256', age: 9 * day } as const, { alg: 'RS256', age: 3 * day } as const],
      ...[{ alg: 'ES256', age: 3 * day } as const, { alg: 'ES256', age: 0 } as const],
    );
    await onDatabase(place.url, `update signing_keys set retired_at = 1 where kid = '${kids[0]}'`);
    const { out } = await run('signing-keys', 'list');
    expect(out).toMatch(/^KID +ALGORITHM +STATE +CREATED +RETIRED\n/);
    const states = kids.map((kid) => new RegExp(`^${kid} +\\w+ +(\\w+) .* (\\S+)$`, 'm').exec(out)?.slice(1));
    expect(states).toEqual([
      ['retired', '00:00:00Z'],
      ['signing', '-'],
      ['signing', '-'],
      ['announced', '-'],
    ]);
  });

  it('says that the first key of a new algorithm is announced, while issuers sign with the former one', async () => {
    const [former] = await addKeys({ alg: 'RS256', age: 3 * 86_400_000 });
    const { kid } = await json('signing-keys', 'rotate', '--algorithm', 'ES256');
    const { out } = await run('signing-keys', 'list');
    expect(out).toMatch(new RegExp(`^${former} +RS256 +signing `, 'm'));
    expect(out).toMatch(new RegExp(`^${kid} +ES256 +announced `, 'm'));
  });

  it('as JSON has the public data of each key only', async () => {
    const [kid] = await addKeys({ alg: 'ES256', age: 0 });
    expect(await json('signing-keys', 'list')).toEqual({
      signingKeys: [{ kid, alg: 'ES256', createdAt: expect.any(String), retiredAt: null }],
    });
    expect(await json('signing-keys', 'revoke', kid ?? '')).toEqual({ kid });
    expect(await json('signing-keys', 'list')).toEqual({ signingKeys: [] });
  });
});

describe('the encryption key in KEYWARD_ENCRYPTION_KEY', () => {
  it('is rotated on the terminal: no file is read or written', async () => {
    const file = ['--encryption-key-file', join(folder, 'none.key')];
    const { code, out } = await run('encryption-key', 'rotate', ...file);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^KEYWARD_ENCRYPTION_KEY=[\w-]{43},[\w-]{43}\nSet this variable/),
    ]);
    const [first, second] = /=(\S+),(\S+)/.exec(out)?.slice(1) ?? [];
    expect([first === ONE, second]).toEqual([false, ONE]);
    const { encryptionKey } = await json('encryption-key', 'rotate', ...file);
    expect(encryptionKey).toMatch(new RegExp(`^[\\w-]{43},${ONE}$`));
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is finished there, with what the operator has to do', async () => {
    await addKeys({ alg: 'ES256', age: 0 }, { alg: 'ES256', age: 0 });
    env.KEYWARD_ENCRYPTION_KEY = `${TWO}, ${ONE}`;
    const { code, out } = await run('encryption-key', 'finish');
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^2 signing keys were encrypted with the new key\.\nNow remove the old key from KEYWARD/),
    ]);
    expect(await json('encryption-key', 'finish')).toEqual({ signingKeys: 2 });
    env.KEYWARD_ENCRYPTION_KEY = TWO;
    expect((await run('signing-keys', 'rotate')).code).toBe(0);
    env.KEYWARD_ENCRYPTION_KEY = ONE;
    const wrong = await run('signing-keys', 'rotate');
    expect([wrong.code, wrong.err]).toEqual([
      3,
      expect.stringMatching(/^no key in KEYWARD_ENCRYPTION_KEY can decrypt/),
    ]);
  });

  it('comes before the file, and an empty one is none', () => {
    const path = join(folder, 'keyward.key');
    writeFileSync(path, `${ONE}\n${TWO}\n`, { mode: 0o600 });
    const keysOf = (value: string) =>
      readEncryptionKeys({ env: { KEYWARD_ENCRYPTION_KEY: value } } as unknown as Io, path);
    expect(keysOf(` ${TWO} ,${ONE}`)).toEqual({ texts: [TWO, ONE], source: 'KEYWARD_ENCRYPTION_KEY', file: false });
    expect(keysOf('')).toEqual({ texts: [ONE, TWO], source: path, file: true });
  });
});

it('the file is named if it is a folder', async () => {
  env.KEYWARD_ENCRYPTION_KEY = '';
  const { code, err } = await run('signing-keys', 'rotate', '--encryption-key-file', folder);
  const message = `the encryption key file ${folder} is a folder; expected a file`;
  expect([code, err]).toEqual([2, `${message}\n`]);
});

it('a new file has a key of 32 random bytes, and an existing one stays', () => {
  const [path, other] = [join(folder, 'keyward.key'), join(folder, 'other.key')];
  const said: string[] = [];
  const io = { env: {}, stderr: outputInto(said) } as Pick<Io, 'env' | 'stderr'> as Io;
  const { texts, file, source } = encryptionKeysFrom(io, path);
  expect([texts.map((text) => Buffer.from(text, 'base64url').length), file, source]).toEqual([[32], true, path]);
  expect(encryptionKeysFrom(io, path).texts).toEqual(texts);
  expect(encryptionKeysFrom(io, other).texts).not.toEqual(texts);
  expect(readdirSync(folder).sort()).toEqual(['keyward.key', 'other.key']);
  expect(said.map((text) => /file (\S+) was created/.exec(text)?.[1])).toEqual([path, other]);
});
