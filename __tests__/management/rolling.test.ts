import { describe, expect, it } from '@jest/globals';
import type { KeySettings } from 'keyward/management';
import { type Holder, hostile, managed, refusalOf, refusing } from '../support/managed.js';
import { isTaken, recordOf } from '../support/managed-text.js';
import { engines } from '../support/test-stores.js';

const HOUR = 3_600;
const MONTH = 30 * 86_400;

describe.each(engines)('on %s', (engine) => {
  const at = managed(engine);
  const roll = (holder: Holder, id: string, grace?: number) => at.management.keys.roll(holder.owner, id, grace);
  const areTaken = (...texts: readonly (string | undefined)[]) => Promise.all(texts.map((text) => isTaken(at, text)));

  it('gives a new text; the old one is refused from then on', async () => {
    const holder = await at.account();
    const { key, text } = await holder.key();
    at.clock.advance(1_000);
    const rolled = await roll(holder, key.id);
    expect(rolled.text).toMatch(/^sk_[a-z2-7]{27}$/);
    expect(rolled.text).not.toBe(text);
    expect(await areTaken(text, rolled.text)).toEqual([false, true]);
    expect(rolled.key).toMatchObject({
      id: key.id,
      version: 2,
      hint: `sk_…${rolled.text?.slice(-4)}`,
      state: 'active',
    });
    expect(rolled.key.secrets.map(({ hint, retiresAt }) => ({ hint, retiresAt }))).toEqual([
      { hint: rolled.key.hint, retiresAt: null },
      { hint: key.hint, retiresAt: new Date(at.clock.now()) },
    ]);
    expect(await at.management.keys.view(holder.owner, key.id)).toEqual(rolled.key);
  });

  it('takes both for as long as the grace lasts, and not an instant longer', async () => {
    const holder = await at.account();
    const { key, text } = await holder.key();
    const rolled = await roll(holder, key.id, HOUR);
    at.clock.advance(HOUR * 1_000 - 1);
    expect(await areTaken(text, rolled.text)).toEqual([true, true]);
    at.clock.advance(1);
    expect(await areTaken(text, rolled.text)).toEqual([false, true]);
  });

  it('inherits everything', async () => {
    const holder = await at.account();
    const expiresAt = new Date(at.clock.now() + 10 ** 9);
    const settings: Partial<KeySettings> = {
      ...{ kind: 'public', environment: 'sandbox', name: 'Till', apis: ['payments'], scopes: ['payments'] },
      ...{ channels: ['pc_1'], platform: 'shop', expiresAt },
    };
    const { key, text } = await holder.key(settings);
    const rolled = await roll(holder, key.id, HOUR);
    const { secrets, hint, publicText, version, ...same } = key;
    expect(rolled.key).toMatchObject(same);
    expect(rolled.key.publicText).toBe(rolled.text);
    const [old, young] = [await recordOf(at, text), await recordOf(at, String(rolled.text))];
    expect(young).toEqual({ ...old, retiresAt: null });
    expect(old).toMatchObject({ retiresAt: new Date(at.clock.now() + HOUR * 1_000), expiresAt });
  });

  it('inherits that it is disabled', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    await at.management.keys.edit(holder.owner, key.id, { version: 1, disabled: true });
    const rolled = await roll(holder, key.id);
    expect(rolled.key.state).toBe('disabled');
    expect(await isTaken(at, rolled.text)).toBe(false);
  });

  it.each([
    ['sooner than the grace', 60],
    ['later than the grace', 2 * HOUR],
  ])('never lengthens a life: an expiry %s', async (_what, seconds) => {
    const holder = await at.account();
    const expiresAt = new Date(at.clock.now() + seconds * 1_000);
    const { key, text } = await holder.key({ expiresAt });
    const rolled = await roll(holder, key.id, HOUR);
    const end = Math.min(seconds, HOUR) * 1_000;
    at.clock.advance(end - 1);
    expect(await isTaken(at, text)).toBe(true);
    at.clock.advance(1);
    expect(await isTaken(at, text)).toBe(false);
    expect((await recordOf(at, String(rolled.text)))?.expiresAt).toEqual(expiresAt);
  });

  it('twice within a grace: the oldest ends at once, the one before the new has its own grace', async () => {
    const holder = await at.account();
    const { key, text: first } = await holder.key();
    const { text: second } = await roll(holder, key.id, HOUR);
    at.clock.advance(60_000);
    const { key: view, text: third } = await roll(holder, key.id, HOUR);
    const texts = [first, String(second), String(third)];
    expect(await areTaken(...texts)).toEqual([false, true, true]);
    const now = at.clock.now();
    expect(view.secrets.map(({ retiresAt }) => retiresAt && retiresAt.getTime() - now)).toEqual([
      null,
      HOUR * 1_000,
      0,
    ]);
    at.clock.advance(HOUR * 1_000);
    expect(await areTaken(...texts)).toEqual([false, false, true]);
  });

  it('a second roll never lengthens the grace of the first', async () => {
    const holder = await at.account();
    const { key, text: first } = await holder.key();
    await roll(holder, key.id, 60);
    at.clock.advance(60_000);
    const { key: view } = await roll(holder, key.id, MONTH);
    expect(await isTaken(at, first)).toBe(false);
    expect(view.secrets.at(-1)?.retiresAt).toEqual(new Date(at.clock.now()));
  });

  it('without a grace, ends one that is in its grace', async () => {
    const holder = await at.account();
    const { key, text: first } = await holder.key();
    const { text: second } = await roll(holder, key.id, HOUR);
    const { text: third } = await roll(holder, key.id);
    const texts = [first, String(second), String(third)];
    expect(await areTaken(...texts)).toEqual([false, false, true]);
  });

  it('keeps the last texts, so that their use is told from a stranger’s, and no more', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    const texts: string[] = [];
    for (let i = 0; i < 8; i += 1) {
      at.clock.advance(1_000);
      texts.push(String((await roll(holder, key.id)).text));
    }
    const { secrets, hint } = await at.management.keys.view(holder.owner, key.id);
    expect(secrets.map(({ hint: of }) => of)).toEqual(
      texts
        .slice(-5)
        .reverse()
        .map((text) => `sk_…${text.slice(-4)}`),
    );
    expect(secrets[0]?.hint).toBe(hint);
  });

  it('has the newest text as its own, whatever the clock does', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    let text: string | undefined;
    for (const step of [0, 0, -60_000, 0]) {
      at.clock.setWall(step);
      ({ text } = await roll(holder, key.id));
    }
    const view = await at.management.keys.view(holder.owner, key.id);
    expect(view.hint).toBe(`sk_…${text?.slice(-4)}`);
    expect(await isTaken(at, text)).toBe(true);
    at.clock.setWall(60_000);
  });

  it('by two Owners at once: one wins, and one new text is taken', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    const ends = await Promise.allSettled([1, 2].map(() => roll(holder, key.id)));
    for (const end of ends) {
      if (end.status === 'rejected') expect(end.reason).toMatchObject({ status: 409, code: 'version_conflict' });
    }
    const texts = ends.flatMap((end) => (end.status === 'fulfilled' ? [String(end.value.text)] : []));
    expect((await areTaken(...texts)).filter(Boolean)).toHaveLength(1);
  });

  it.each([-1, Number.NaN, '60'])('is refused for a grace of %p, and nothing is rolled', async (grace) => {
    const holder = await at.account();
    const { key } = await holder.key();
    expect(await refusalOf(roll(holder, key.id, hostile<number>(grace)))).toEqual(refusing(400, 'invalid', 'grace'));
    expect(await at.management.keys.view(holder.owner, key.id)).toEqual(key);
  });
});
