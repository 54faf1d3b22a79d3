import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { build } from '../examples/built-service.js';
import { startProgram } from '../support/built-cli.js';
import { canariesOf } from '../support/canaries.js';
import { onDatabase } from '../support/store-database.js';
import { eventually } from '../support/store-wait.js';

const PASSWORD = `password${randomBytes(12).toString('hex')}`;
const AWAY = `postgres://ada:${PASSWORD}@127.0.0.1:1/keys`;
const SERVE = ['serve', '--audience', 'https://api.test', '--port', '0'];

describe('the start-up banner of keyward serve', () => {
  let folder: string;

  beforeAll(build);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keyward-banner-'));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Everything that it says until it is ended. */
  async function saidBy(env: NodeJS.ProcessEnv, more: readonly string[] = []): Promise<string> {
    const program = startProgram([...SERVE, ...more], env, folder);
    const first = await program.firstLine;
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(first)?.[0] ?? '';
    await eventually(async () => (await fetch(`${url}/.well-known/jwks.json`)).status > 0, 20_000);
    program.child.kill('SIGTERM');
    const { code, out, err } = await program.ended;
    expect({ code, hasIssuer: out.includes(url) }).toEqual({ code: 143, hasIssuer: true });
    return out + err;
  }

  it.each([
    ['as lines', []],
    ['as JSON', ['--json']],
  ])('L11 %s: no password of the database URL, and no encryption key', async (_how, more) => {
    const key = randomBytes(32).toString('base64url');
    const said = await saidBy({ KEYWARD_DATABASE: AWAY, KEYWARD_ENCRYPTION_KEY: key }, more);
    expect(canariesOf([PASSWORD, key]).heardIn(said)).toEqual([]);
  });

  it('L11 of a first start: neither the new encryption key nor a signing key', async () => {
    const file = join(folder, 'keyward.db');
    const said = await saidBy({ KEYWARD_DATABASE: `file:${file}` });
    const [stored] = await onDatabase(`file:${file}`, 'select jwe from signing_keys');
    const key = readFileSync(join(folder, 'keyward.key'), 'utf8').trim();
    expect(canariesOf([key, String(stored?.jwe)]).heardIn(said)).toEqual([]);
  });
});
