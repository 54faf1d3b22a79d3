import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type CommandLine, commandLine } from '../support/command-line.js';
import { placesOf, sharedEngines, type TestPlace } from '../support/test-stores.js';

interface Shown {
  readonly record: {
    readonly version: number;
    readonly publicKeys: readonly { readonly kid: string; readonly jwk: object }[];
  };
}

const folder = mkdtempSync(join(tmpdir(), 'keyward-public-keys-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a file, and returns its path. */
function fileOf(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const { kty, crv, x, y } = publicKey.export({ format: 'jwk' });
const pem = (key: KeyObject, type: 'spki' | 'pkcs8') => key.export({ type, format: 'pem' } as never).toString();

describe.each(sharedEngines)('keyward access-keys on %s', (engine) => {
  let place: TestPlace;
  let keyward: CommandLine;
  let id: string;

  beforeEach(async () => {
    place = await placesOf[engine]();
    keyward = commandLine(place);
    await keyward.json('accounts', 'put', 'acme', '--scope', 'payments');
    ({ id } = await keyward.json<{ id: string }>('access-keys', 'create', '--account', 'acme', '--scope', 'payments'));
  });
  afterEach(() => place.remove());

  const add = (path: string) => keyward.json<Shown>('access-keys', 'add-public-key', id, path);
  const view = async () => (await keyward.json<Shown>('access-keys', 'view', id)).record;

  it.each([
    ['PEM', 'client.pem', pem(publicKey, 'spki'), expect.stringMatching(/^[\w-]{43}$/)],
    ['a JWK', 'client.json', JSON.stringify({ kty, crv, x, y, kid: '2026-11' }), '2026-11'],
    ['a JWK Set of one', 'set.json', JSON.stringify({ keys: [{ kty, crv, x, y, kid: '2026-11' }] }), '2026-11'],
  ])('add-public-key stores %s as a JWK', async (_form, name, text, kid) => {
    const { record } = await add(fileOf(name, text));
    expect(record).toMatchObject({ version: 2, publicKeys: [{ kid, jwk: { kty, crv, x, y } }] });
    expect((await view()).publicKeys).toEqual(record.publicKeys);
  });

  it('view shows its kid, and audit who added it', async () => {
    await add(fileOf('named.json', JSON.stringify({ kty, crv, x, y, kid: '2026-11' })));
    const { out } = await keyward.run('access-keys', 'view', id);
    expect(out).toMatch(/KID[\s\S]*2026-11/);
    const { out: trail } = await keyward.run('audit', '--account', 'acme');
    expect(trail).toMatch(/public.?key/i);
  });

  it.each([
    ['a private key in PEM', 'private.pem', pem(privateKey, 'pkcs8'), /private/],
    ['a private JWK', 'private.json', JSON.stringify(privateKey.export({ format: 'jwk' })), /private/],
    ['what is no key', 'notes.txt', 'no key', /public key/],
    ['a file of 17 KB', 'large.pem', 'x'.repeat(17_000), /is too large for a public key; expected at most 16384 bytes/],
  ])('add-public-key refuses %s, and stores nothing', async (_what, name, text, message) => {
    const { code, out, err } = await keyward.run('access-keys', 'add-public-key', id, fileOf(name, text));
    expect([code === 0, out]).toEqual([false, '']);
    expect(err).toMatch(message);
    const { d } = privateKey.export({ format: 'jwk' });
    expect(err).not.toContain(String(d));
    expect(await view()).toMatchObject({ version: 1, publicKeys: [] });
  });

  it('add-public-key reads a file of 16,384 bytes, and no longer one', async () => {
    const text = pem(publicKey, 'spki');
    const long = await keyward.run('access-keys', 'add-public-key', id, fileOf('long.pem', text.padEnd(16_385)));
    expect([long.code, long.err]).toEqual([2, expect.stringMatching(/too large/)]);
    expect((await add(fileOf('largest.pem', text.padEnd(16_384)))).record.publicKeys).toHaveLength(1);
  });

  it('add-public-key says that there is no such file', async () => {
    const { code, out, err } = await keyward.run('access-keys', 'add-public-key', id, join(folder, 'none.pem'));
    expect([code === 0, out]).toEqual([false, '']);
    expect(err).toContain('none.pem');
    expect(err).not.toMatch(/\n +at /);
  });

  it('add-public-key names a folder that is given for a file', async () => {
    const { code, err } = await keyward.run('access-keys', 'add-public-key', id, folder);
    expect([code, err]).toEqual([2, `${folder} is a folder; expected a file\n`]);
  });

  it('add-public-key refuses an access key that does not exist, and a second key of one kid', async () => {
    const path = fileOf('again.json', JSON.stringify({ kty, crv, x, y, kid: '2026-11' }));
    expect((await keyward.run('access-keys', 'add-public-key', 'ack_none', path)).code).not.toBe(0);
    await add(path);
    expect((await keyward.run('access-keys', 'add-public-key', id, path)).code).not.toBe(0);
    expect((await view()).publicKeys).toHaveLength(1);
  });

  it('remove-public-key removes the key of the kid, and no other', async () => {
    await add(fileOf('named.json', JSON.stringify({ kty, crv, x, y, kid: '2026-11' })));
    const other = generateKeyPairSync('ed25519').publicKey;
    const { record } = await add(fileOf('other.pem', pem(other, 'spki')));
    expect(record.publicKeys).toHaveLength(2);
    const removed = await keyward.json<Shown>('access-keys', 'remove-public-key', id, '2026-11', '--yes');
    expect(removed.record.publicKeys).toEqual(record.publicKeys.filter(({ kid }) => kid !== '2026-11'));
    expect((await view()).version).toBe(4);
  });

  it('remove-public-key refuses a kid that the key has not', async () => {
    const { code, out, err } = await keyward.run('access-keys', 'remove-public-key', id, 'none', '--yes');
    expect([code === 0, out]).toEqual([false, '']);
    expect(err).toMatch(/public key/);
    expect((await view()).version).toBe(1);
  });
});
