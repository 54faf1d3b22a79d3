import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openStore } from 'keyward/store';
import { nameOfDatabase } from '../../lib/cli/database-name.js';
import { makeSigningKey } from '../../lib/issuer/signing-keys/signing-key.js';
import { SigningKeys } from '../../lib/issuer/signing-keys/signing-keys.js';
import { type CommandLine, commandLine } from '../support/command-line.js';
import { onFastClock } from '../support/fast-clock.js';
import { createManualClock } from '../support/manual-clock.js';
import { onDatabase } from '../support/store-database.js';
import { placesOf, sharedEngines, type TestPlace } from '../support/test-stores.js';

interface Listed {
  readonly signingKeys: readonly { kid: string; alg: string; retiredAt: string | null }[];
}

describe.each(sharedEngines)('on %s', (engine) => {
  let folder: string;
  let file: string[];
  let path: string;
  let place: TestPlace;
  let keyward: CommandLine;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'keyward-signing-keys-'));
    path = join(folder, 'keyward.key');
    file = ['--encryption-key-file', path];
    writeFileSync(path, `${Buffer.alloc(32, 1).toString('base64url')}\n`, { mode: 0o600 });
    place = await placesOf[engine]();
    keyward = commandLine(place);
  });

  afterEach(async () => {
    await place.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const keysIn = () => readFileSync(path, 'utf8').trim().split('\n');
  const list = async () => (await keyward.json<Listed>('signing-keys', 'list')).signingKeys;

  /** The key that an issuer signs with, which is started with what the file says. */
  async function signingKey(): Promise<string> {
    const store = await openStore(place.url, { encryptionKey: keysIn() });
    try {
      return (await new SigningKeys(store, 'RS256', createManualClock()).current()).kid;
    } finally {
      await store.close();
    }
  }

  it('retires every other key with --now, also one that was only announced', async () => {
    for (const _round of [1, 2]) await keyward.json('signing-keys', 'rotate', ...file);
    const { kid: newest } = await keyward.json<{ kid: string }>('signing-keys', 'rotate', '--now', ...file);
    const used = (await list()).filter(({ retiredAt }) => retiredAt === null);
    expect(used.map(({ kid }) => kid)).toEqual([newest]);
  });

  it('lists, rotates and revokes signing keys; the audit log has the actor', async () => {
    expect((await keyward.run('signing-keys', 'list')).out).toContain('There are no signing keys yet');
    const { kid: first } = await keyward.json<{ kid: string }>('signing-keys', 'rotate', ...file);
    const { kid: second } = await keyward.json<{ kid: string }>('signing-keys', 'rotate', ...file);
    expect((await list()).map(({ kid, alg, retiredAt }) => [kid, alg, retiredAt])).toEqual([
      [first, 'RS256', null],
      [second, 'RS256', null],
    ]);
    const { out } = await keyward.run('signing-keys', 'list');
    expect(out).toMatch(new RegExp(`${first} +RS256 +signing`));
    expect(out).toMatch(new RegExp(`${second} +RS256 +announced`));
    expect((await keyward.run('signing-keys', 'revoke', first)).out).toContain(`Signing key ${first} was revoked`);
    expect((await list()).map(({ kid }) => kid)).toEqual([second]);
    expect((await keyward.run('signing-keys', 'revoke', first)).err).toContain('there is no signing key');
    const { entries } = await keyward.json<{ entries: { action: string; subject: string; actor: string }[] }>(
      ...['audit', '--account', '-'],
    );
    expect(entries.map(({ action, subject }) => `${action} ${subject}`)).toEqual([
      `signing_key.revoke ${first}`,
      `signing_key.create ${second}`,
      `signing_key.create ${first}`,
    ]);
    expect(entries[0]?.actor).toMatch(/^cli:/);
  });

  it('revokes a signing key whose ID begins with a hyphen', async () => {
    const kids = ['-h', '-V', '--'].map((start) => start.padEnd(43, 'x'));
    const store = await openStore(place.url, { encryptionKey: keysIn() });
    let newest: string | undefined;
    for (const kid of kids) {
      await store.addSigningKey({ ...(await makeSigningKey('ES256', Date.now())), kid }, newest);
      newest = kid;
    }
    await store.close();
    for (const kid of kids) {
      const { out, err } = await keyward.run('signing-keys', 'revoke', kid, '--yes');
      expect([out, err]).toEqual([expect.stringContaining(`Signing key ${kid} was revoked`), '']);
    }
    expect(await list()).toEqual([]);
    const [, second = ''] = kids;
    const { entries } = await keyward.json<{ entries: { action: string }[] }>('audit', '--subject', second);
    expect(entries.map(({ action }) => action)).toContain('signing_key.revoke');
  });

  it('rotates now: the new key signs, and the old one stays published', async () => {
    const old = await signingKey();
    const { kid } = await keyward.json<{ kid: string }>('signing-keys', 'rotate', '--now', ...file);
    expect(await signingKey()).toBe(kid);
    expect((await list()).map((key) => [key.kid, key.retiredAt !== null])).toEqual([
      [old, true],
      [kid, false],
    ]);
  });

  it('needs the encryption key, and creates none', async () => {
    const none = join(folder, 'none.key');
    const missing = await keyward.run('signing-keys', 'rotate', '--encryption-key-file', none);
    expect(missing).toMatchObject({
      code: 2,
      err: expect.stringContaining(`the encryption key file ${none} does not exist`),
    });
    await signingKey();
    writeFileSync(path, `${Buffer.alloc(32, 2).toString('base64url')}\n`);
    const wrong = await keyward.run('signing-keys', 'rotate', ...file);
    expect(wrong).toMatchObject({
      code: 3,
      err: expect.stringContaining('keyward.key can decrypt the signing keys of this database'),
    });
    chmodSync(path, 0o644);
    expect((await keyward.run('signing-keys', 'rotate', ...file)).err).toContain(
      'other users have access to the encryption key file',
    );
  });

  it('rotates the encryption key: the signing keys stay, and the old key decrypts nothing', async () => {
    const kid = await signingKey();
    const [old] = keysIn();
    expect((await keyward.run('encryption-key', 'rotate', ...file)).code).toBe(0);
    const [fresh, second] = keysIn();
    expect([fresh === old, second]).toEqual([false, old]);
    expect((await keyward.run('encryption-key', 'rotate', ...file)).err).toContain(
      'a rotation of the encryption key is in progress',
    );
    expect(await signingKey()).toBe(kid);
    expect((await keyward.run('encryption-key', 'finish', ...file)).out).toContain('1 signing key');
    expect(keysIn()).toEqual([fresh]);
    expect(await signingKey()).toBe(kid);
    await expect(openStore(place.url, { encryptionKey: old })).rejects.toMatchObject({ code: 'encryption_key' });
  });

  it('rotates a file behind a symbolic link: the link and the owner of the file stay', async () => {
    mkdirSync(join(folder, 'secrets'));
    const target = join(folder, 'secrets/key');
    renameSync(path, target);
    symlinkSync(target, path);
    const owner = process.getuid?.() === 0 ? 12_345 : statSync(target).uid;
    chownSync(target, owner, statSync(target).gid);
    expect(await keyward.json('encryption-key', 'rotate', ...file)).toEqual({ file: path });
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, 'utf8').trim().split('\n')).toHaveLength(2);
    expect(statSync(target)).toMatchObject({ uid: owner, mode: 0o100600 });
  });

  it('does not rotate a file without an encryption key', async () => {
    for (const text of ['', 'something else', `${'a'.repeat(42)}\n`]) {
      writeFileSync(path, text);
      const { code, err } = await keyward.run('encryption-key', 'rotate', ...file);
      expect([code, err]).toEqual([2, expect.stringContaining(`${path} must contain only encryption keys`)]);
      expect(readFileSync(path, 'utf8')).toBe(text);
    }
  });

  it('keeps both encryption keys in the file if the database has no signing keys', async () => {
    await keyward.run('encryption-key', 'rotate', ...file);
    const both = keysIn();
    const wrong = await keyward.run('encryption-key', 'finish', ...file);
    expect(wrong).toMatchObject({ code: 1, out: '' });
    expect(wrong.err).toBe(
      `there are no signing keys in ${nameOfDatabase(place.url, 'KEYWARD_DATABASE', {})}, so the old encryption key was kept; if this is not the database of the issuer, add --database; if it is, remove the old key (the second one) from ${path}\n`,
    );
    expect(keysIn()).toEqual(both);
  });

  it('refuses to finish with one encryption key, because it would encrypt with the old one', async () => {
    await signingKey();
    const { code, out, err } = await keyward.run('encryption-key', 'finish', ...file);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toBe(
      `the rotation of the encryption key cannot be finished, because ${path} contains only one key; expected the new key and the old one; to start a rotation, run: keyward encryption-key rotate\n`,
    );
  });

  it('keeps both encryption keys in the file if the database fails while the rotation is finished', async () => {
    await signingKey();
    await keyward.run('encryption-key', 'rotate', ...file);
    const both = keysIn();
    await onDatabase(place.url, 'drop table encryption_check');
    const { code } = await onFastClock(() => keyward.run('encryption-key', 'finish', ...file));
    expect(code).not.toBe(0);
    expect(keysIn()).toEqual(both);
  });
});
