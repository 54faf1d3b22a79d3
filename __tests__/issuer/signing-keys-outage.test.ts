import { describe, expect, it } from '@jest/globals';
import { ANNOUNCED_FOR, KEPT_FOR, ROTATE_AFTER } from '../../lib/issuer/key-schedule.js';
import { memorySigningKeys } from '../../lib/issuer/memory-signing-keys.js';
import { SigningKeys } from '../../lib/issuer/signing-keys.js';
import { createManualClock } from '../support/manual-clock.js';

const READ_EVERY = 60_000;
const ASK_AGAIN_AFTER = 5_000;
const PATIENCE = 5;

const kidsOf = ({ keys }: { keys: readonly { kid?: string | undefined }[] }) => keys.map(({ kid }) => kid);

/** A store that stops answering, and keys that were read from it before. */
async function keysOfHangingStore() {
  const clock = createManualClock();
  const kept = memorySigningKeys();
  const store = { ...kept };
  const keys = new SigningKeys(store, 'ES256', clock, PATIENCE);
  const { kid } = await keys.current();
  const asked: (() => Promise<void>)[] = [];
  store.listSigningKeys = () =>
    new Promise((resolve) => {
      asked.push(async () => resolve(await kept.listSigningKeys()));
    });
  clock.advance(READ_EVERY);
  /** It answers again, with another key that a second instance has made since. */
  const recover = async () => {
    const first = await kept.listSigningKeys();
    const second = first.map((key) => ({ ...key, kid: 'second', createdAt: new Date(clock.now()) }));
    store.listSigningKeys = () => [...first, ...second];
    clock.advance(ASK_AGAIN_AFTER);
  };
  return { keys, kid, asked, recover };
}

describe('while the store of signing keys does not answer', () => {
  it('the keys that were read go on', async () => {
    const { keys, kid } = await keysOfHangingStore();
    expect((await keys.current()).kid).toBe(kid);
  });

  it('it is not asked for every token', async () => {
    const { keys, asked } = await keysOfHangingStore();
    await keys.current();
    await keys.current();
    expect(asked).toHaveLength(1);
  });

  it('it is asked again after a while', async () => {
    const { keys, kid, recover } = await keysOfHangingStore();
    await keys.current();
    await recover();
    expect(kidsOf(await keys.published())).toEqual([kid, 'second']);
  });

  it('what it says too late does not undo what it said since', async () => {
    const { keys, kid, asked, recover } = await keysOfHangingStore();
    await keys.current();
    await recover();
    await keys.current();
    for (const answerLate of asked) await answerLate();
    await new Promise(setImmediate);
    expect(kidsOf(await keys.published())).toEqual([kid, 'second']);
  });
});

it('a key that the store does not let go is not published any more', async () => {
  const clock = createManualClock();
  const store = {
    ...memorySigningKeys(),
    removeSigningKey: () => {
      throw new Error('not allowed');
    },
  };
  const keys = new SigningKeys(store, 'ES256', clock);
  const { kid } = await keys.current();
  clock.advance(ROTATE_AFTER);
  await keys.published();
  clock.advance(ANNOUNCED_FOR + KEPT_FOR);
  const published = kidsOf(await keys.published());
  expect(published).toHaveLength(1);
  expect(published).not.toContain(kid);
});
