import { describe, expect, it } from '@jest/globals';
import type { KeySettings } from 'keyward/management';
import { type Holder, hostile, managed, refusalOf, refusing } from '../support/managed.js';
import { isAccepted, recordOf } from '../support/managed-text.js';
import { engines } from '../support/test-stores.js';

const HOUR = 3_600;
const MONTH = 30 * 86_400;

describe.each(engines)('on %s', (engine) => {
  const at = managed(engine);
  const rotate = (holder: Holder, id: string, grace?: number) => at.management.keys.rotate(holder.owner, id, grace);
  const areAccepted = (...texts: readonly (string | undefined)[]) =>
    Promise.all(texts.map((text) => isAccepted(at, text)));

  it('gives a new secret; the old one is refused from then on', async () => {
    const holder = await at.account();
    const { key, text } = await holder.key();
    at.clock.advance(1_000);
    const rotated = await rotate(holder, key.id);
    expect(rotated.secret).toMatch(/^sk_[a-z2-7]{27}$/);
    expect(rotated.secret).not.toBe(text);
    expect(await areAccepted(text, rotated.secret)).toEqual([false, true]);
    expect(rotated.key).toMatchObject({
      id: key.id,
      version: 2,
      hint: `sk_…${rotated.secret?.slice(-4)}`,
      state: 'active',
    });
    expect(rotated.key.secrets.map(({ hint, acceptedUntil }) => ({ hint, acceptedUntil }))).toEqual([
      { hint: rotated.key.hint, acceptedUntil: null },
      { hint: key.hint, acceptedUntil: new Date(at.clock.now()) },
    ]);
    expect(await at.management.keys.view(holder.owner, key.id)).toEqual(rotated.key);
  });

  it('both are accepted during the grace period, and not longer', async () => {
    const holder = await at.account();
    const { key, text } = await holder.key();
    const rotated = await rotate(holder, key.id, HOUR);
    at.clock.advance(HOUR * 1_000 - 1);
    expect(await areAccepted(text, rotated.secret)).toEqual([true, true]);
    at.clock.advance(1);
    expect(await areAccepted(text, rotated.secret)).toEqual([false, true]);
  });

  it('keeps all settings', async () => {
    const holder = await at.account();
    const expiresAt = new Date(at.clock.now() + 10 ** 9);
    const settings: Partial<KeySettings> = {
      ...{ kind: 'public', environment: 'sandbox', name: 'Till', apis: ['payments'], scopes: ['payments'] },
      ...{ channels: ['pc_1'], platform: 'shop', expiresAt },
    };
    const { key, text } = await holder.key(settings);
    const rotated = await rotate(holder, key.id, HOUR);
    const { secrets, hint, publicKey, version, ...same } = key;
    expect(rotated.key).toMatchObject(same);
    expect(rotated.key.publicKey).toBe(rotated.secret);
    const [old, young] = [await recordOf(at, text), await recordOf(at, String(rotated.secret))];
    expect(young).toEqual({ ...old, acceptedUntil: null });
    expect(old).toMatchObject({ acceptedUntil: new Date(at.clock.now() + HOUR * 1_000), expiresAt });
  });

  it('keeps a key disabled', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    await at.management.keys.edit(holder.owner, key.id, { version: 1, disabled: true });
    const rotated = await rotate(holder, key.id);
    expect(rotated.key.state).toBe('disabled');
    expect(await isAccepted(at, rotated.secret)).toBe(false);
  });

  it.each([
    ['sooner than the grace', 60],
    ['later than the grace', 2 * HOUR],
  ])('never extends the validity: an expiry %s', async (_what, seconds) => {
    const holder = await at.account();
    const expiresAt = new Date(at.clock.now() + seconds * 1_000);
    const { key, text } = await holder.key({ expiresAt });
    const rotated = await rotate(holder, key.id, HOUR);
    const end = Math.min(seconds, HOUR) * 1_000;
    at.clock.advance(end - 1);
    expect(await isAccepted(at, text)).toBe(true);
    at.clock.advance(1);
    expect(await isAccepted(at, text)).toBe(false);
    expect((await recordOf(at, String(rotated.secret)))?.expiresAt).toEqual(expiresAt);
  });

  it('twice within a grace period: the oldest secret ends immediately, the previous one has its own grace period', async () => {
    const holder = await at.account();
    const { key, text: first } = await holder.key();
    const { secret: second } = await rotate(holder, key.id, HOUR);
    at.clock.advance(60_000);
    const { key: view, secret: third } = await rotate(holder, key.id, HOUR);
    const texts = [first, String(second), String(third)];
    expect(await areAccepted(...texts)).toEqual([false, true, true]);
    const now = at.clock.now();
    expect(view.secrets.map(({ acceptedUntil }) => acceptedUntil && acceptedUntil.getTime() - now)).toEqual([
      null,
      HOUR * 1_000,
      0,
    ]);
    at.clock.advance(HOUR * 1_000);
    expect(await areAccepted(...texts)).toEqual([false, false, true]);
  });

  it('a second rotation never extends the grace period of the first', async () => {
    const holder = await at.account();
    const { key, text: first } = await holder.key();
    await rotate(holder, key.id, 60);
    at.clock.advance(60_000);
    const { key: view } = await rotate(holder, key.id, MONTH);
    expect(await isAccepted(at, first)).toBe(false);
    expect(view.secrets.at(-1)?.acceptedUntil).toEqual(new Date(at.clock.now()));
  });

  it('without a grace period, ends a secret in its grace period', async () => {
    const holder = await at.account();
    const { key, text: first } = await holder.key();
    const { secret: second } = await rotate(holder, key.id, HOUR);
    const { secret: third } = await rotate(holder, key.id);
    const texts = [first, String(second), String(third)];
    expect(await areAccepted(...texts)).toEqual([false, false, true]);
  });

  it('stores only the last secrets, to distinguish their use from guesses', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    const texts: string[] = [];
    for (let i = 0; i < 8; i += 1) {
      at.clock.advance(1_000);
      texts.push(String((await rotate(holder, key.id)).secret));
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

  it('the newest secret is the current one, whatever the clock does', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    let text: string | undefined;
    for (const step of [0, 0, -60_000, 0]) {
      at.clock.setWall(step);
      ({ secret: text } = await rotate(holder, key.id));
    }
    const view = await at.management.keys.view(holder.owner, key.id);
    expect(view.hint).toBe(`sk_…${text?.slice(-4)}`);
    expect(await isAccepted(at, text)).toBe(true);
    at.clock.setWall(60_000);
  });

  it('by two Owners concurrently: one succeeds, and one new secret is accepted', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    const ends = await Promise.allSettled([1, 2].map(() => rotate(holder, key.id)));
    for (const end of ends) {
      if (end.status === 'rejected') expect(end.reason).toMatchObject({ status: 409, code: 'version_conflict' });
    }
    const texts = ends.flatMap((end) => (end.status === 'fulfilled' ? [String(end.value.secret)] : []));
    expect((await areAccepted(...texts)).filter(Boolean)).toHaveLength(1);
  });

  it.each([-1, Number.NaN, '60'])('refuses a grace period of %p, and rotates nothing', async (grace) => {
    const holder = await at.account();
    const { key } = await holder.key();
    expect(await refusalOf(rotate(holder, key.id, hostile<number>(grace)))).toEqual(refusing(400, 'invalid', 'grace'));
    expect(await at.management.keys.view(holder.owner, key.id)).toEqual(key);
  });
});
