import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { digestOf } from '../../lib/credentials/digest.js';
import { managed, OPERATOR } from '../support/managed.js';
import { onDatabase } from '../support/store-database.js';
import { sharedEngines } from '../support/test-stores.js';

describe.each(sharedEngines)('further effects of management in the store, on %s', (engine) => {
  const at = managed(engine);

  const changesOf = async () =>
    (await onDatabase(at.url, 'select member, subject from changes order by position')).map(
      ({ member, subject }) => [member, subject] as const,
    );

  it('a new key is announced to other processes, which may have cached that it is unknown', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    expect((await changesOf()).at(-1)).toEqual(['key', key.id]);
    const accessKey = await holder.accessKey();
    expect((await changesOf()).at(-1)).toEqual(['accessKey', accessKey.key.id]);
  });

  it('keys that are imported are announced too', async () => {
    const holder = await at.account();
    const before = (await changesOf()).length;
    const given = { digest: digestOf(`sk_${randomBytes(16).toString('hex')}`), kind: 'secret' as const };
    await at.management.keys.import(OPERATOR, holder.id, [{ ...given, apis: ['payments'] }]);
    expect((await changesOf()).length).toBeGreaterThan(before);
  });

  it('lists the secrets of a key newest first, even if they were created in the same millisecond', async () => {
    const holder = await at.account();
    for (let i = 0; i < 12; i += 1) {
      const { key } = await holder.key();
      const { key: rotated } = await at.management.keys.rotate(holder.owner, key.id, 3_600);
      expect(rotated.secrets.map(({ state }) => state)).toEqual(['current', 'grace_period']);
    }
  });
});
