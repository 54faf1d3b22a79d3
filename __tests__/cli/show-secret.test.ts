import { describe, expect, it } from '@jest/globals';
import type { Io } from '../../lib/cli/io.js';
import { showSecret } from '../../lib/cli/show-secret.js';
import type { CreatedKey } from '../../lib/management/keys/key-service.js';
import { outputInto } from '../support/command-line.js';

const KEY = {
  ...{ id: 'key_1', account: 'acme', environment: 'live', name: null, apis: ['payments'], scopes: null },
  ...{ defaultScopes: null, channels: 'all', platform: null, metadata: null, allowedAddresses: null, limits: null },
  ...{ state: 'active', createdAt: new Date(0), createdBy: 'ada', expiresAt: null, revokedAt: null, disabledAt: null },
  ...{
    version: 1,
    hint: '',
    publicKey: null,
    secrets: [],
    publicKeys: [],
    requireConfirmation: null,
    lastUsedAt: null,
  },
};
const created = (kind: 'secret' | 'public' | 'access') =>
  ({ key: { ...KEY, kind }, secret: 'the text' }) as unknown as CreatedKey;

/** What is printed, and the error if the output is lost. */
async function shown(
  kind: 'secret' | 'public' | 'access',
  json: boolean,
  takeBack?: () => Promise<string>,
  remedy?: string,
) {
  const parts: string[] = [];
  const stdout = {
    ...outputInto(parts),
    flush: async () => {
      if (takeBack !== undefined) throw new Error('no space left');
    },
  };
  const taken = takeBack ?? (async () => 'never');
  const error: unknown = await showSecret({ stdout } as unknown as Io, { json }, created(kind), taken, remedy).catch(
    (failure: unknown) => failure,
  );
  return { text: parts.join(''), error };
}

describe('a new secret', () => {
  const SAVE = 'Save this value now. It is shown only once.\n';

  it.each([
    ['secret', `\nKey         the text\n${SAVE}`],
    ['public', '\nKey         the text\n'],
    ['access', `\nClient ID      key_1\nClient secret  the text\n${SAVE}`],
  ] as const)('of a key of the kind %s is printed below the key', async (kind, end) => {
    const { text, error } = await shown(kind, false);
    expect(error).toBeUndefined();
    expect(text).toMatch(/^id +key_1\n/);
    expect(text.endsWith(end)).toBe(true);
  });

  it.each([
    ['secret', { key: 'the text' }],
    ['public', { key: 'the text' }],
    ['access', { id: 'key_1', secret: 'the text' }],
  ] as const)('of a key of the kind %s is printed as JSON', async (kind, expected) => {
    const { text } = await shown(kind, true);
    const { record, ...rest } = JSON.parse(text);
    expect(rest).toEqual(expected);
    expect(record).toMatchObject({ id: 'key_1', kind });
  });

  it('that cannot be printed is taken back', async () => {
    const { error } = await shown('secret', true, async () => 'the key was revoked');
    expect(error).toMatchObject({
      name: 'CliError',
      message: 'the output could not be written: no space left; the key was revoked',
      exitCode: 4,
    });
  });

  const LOST =
    'the output could not be written: no space left; the new key or secret could not be shown, and revoking it failed';
  it.each([
    ['secret', undefined, 'to revoke the key, run: keyward keys revoke key_1'],
    ['access', undefined, 'to revoke the key, run: keyward access-keys revoke key_1'],
    ['access', 'rotate it again', 'rotate it again'],
  ] as const)('of the kind %s that cannot be taken back may still be accepted (%s)', async (kind, remedy, expected) => {
    const refuse = async () => Promise.reject(new Error('no connection'));
    const { error } = await shown(kind, false, refuse, remedy);
    expect(error).toMatchObject({
      message: `${LOST} (Error: no connection), so it may still be accepted; ${expected}`,
    });
  });

  it('that cannot be taken back names an error of the system by its message', async () => {
    const refuse = async () => Promise.reject(Object.assign(new Error('busy'), { code: 'EBUSY' }));
    expect((await shown('secret', false, refuse)).error).toMatchObject({
      message: expect.stringContaining('revoking it failed (busy), so'),
    });
  });
});
