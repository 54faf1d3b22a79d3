import { describe, expect, it } from '@jest/globals';
import { readGrace } from '../../lib/management/keys/secrets.js';
import { managed, refusalOf, refusing } from '../support/managed.js';
import { isAccepted } from '../support/managed-text.js';
import { engines } from '../support/test-stores.js';

const MONTH = 30 * 86_400;

describe('a grace period', () => {
  it.each([
    [undefined, 0],
    [0, 0],
    [1, 1_000],
    [1.001, 1_001],
    [0.0004, 0],
    [MONTH, MONTH * 1_000],
  ])('%p seconds are %p ms', (given, milliseconds) => expect(readGrace(given)).toBe(milliseconds));

  it.each([-1, MONTH + 1, Number.NaN, Number.POSITIVE_INFINITY, '60', null, [60], new Date(0)])(
    'refuses %p',
    (given) => {
      expect(() => readGrace(given)).toThrow(refusing(400, 'invalid', 'grace'));
    },
  );
});

describe.each(engines)('on %s, the grace period of a key', (engine) => {
  const at = managed(engine);

  it('can be ended early', async () => {
    const holder = await at.account();
    const { key, text } = await holder.key();
    const rotated = await at.management.keys.rotate(holder.owner, key.id, 3_600);
    at.clock.advance(1_000);
    const ended = await at.management.keys.endGrace(holder.owner, key.id);
    expect([await isAccepted(at, text), await isAccepted(at, rotated.secret)]).toEqual([false, true]);
    expect(ended.secrets.at(-1)?.acceptedUntil).toEqual(new Date(at.clock.now()));
    expect(ended.version).toBe(3);
  });

  it.each(['never rotated', 'rotated without a grace', 'ended already'])(
    'cannot be ended if there is none: %s',
    async (what) => {
      const holder = await at.account();
      const { key } = await holder.key();
      const grace = what === 'rotated without a grace' ? 0 : 60;
      if (what !== 'never rotated') await at.management.keys.rotate(holder.owner, key.id, grace);
      if (what === 'ended already') await at.management.keys.endGrace(holder.owner, key.id);
      const before = await at.management.keys.view(holder.owner, key.id);
      const doing = at.management.keys.endGrace(holder.owner, key.id);
      expect(await refusalOf(doing)).toMatchObject({
        status: 404,
        message: 'the key has no old secret in a grace period',
      });
      expect(await at.management.keys.view(holder.owner, key.id)).toEqual(before);
    },
  );
});
