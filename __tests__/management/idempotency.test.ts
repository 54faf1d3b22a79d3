import { describe, expect, it } from '@jest/globals';
import { createManagement, type KeySettings } from 'keyward/management';
import { hostile, managed, refusalOf, refusing } from '../support/managed.js';
import { engines, sharedEngines } from '../support/test-stores.js';

const SETTINGS = { kind: 'secret', apis: ['payments'] } as const satisfies KeySettings;
const DAY = 24 * 3_600_000;
/** A request is outdated only if it is by both clocks: the earlier one decides, here that of the test. */
const BEHIND_THE_DATABASE = 1_600_000_000_000;

describe.each(engines)('on %s', (engine) => {
  const at = managed(engine);

  it('M38 a creation sent twice makes one key, and the second response has no secret', async () => {
    const holder = await at.account();
    const first = await at.management.keys.create(holder.developer, SETTINGS, 'once');
    const second = await at.management.keys.create(holder.developer, SETTINGS, 'once');
    expect(first.secret).toEqual(expect.any(String));
    expect(second).toEqual({ key: first.key, secret: undefined, doneAt: first.doneAt });
    expect((await at.management.keys.list(holder.owner)).items).toEqual([first.key]);
    expect((await holder.story()).map(({ action, subject }) => [action, subject])).toEqual([
      ['key.create', first.key.id],
    ]);
  });

  it('M38 the same for an access key', async () => {
    const holder = await at.account();
    const create = () => at.management.accessKeys.create(holder.developer, { scopes: ['payments'] }, 'once');
    const { key, doneAt } = await create();
    expect(await create()).toEqual({ key, secret: undefined, doneAt });
    expect((await at.management.accessKeys.list(holder.owner)).items).toEqual([key]);
  });

  it('M38 a repeated request returns the current state of the key', async () => {
    const holder = await at.account();
    const { key, doneAt } = await at.management.keys.create(holder.developer, SETTINGS, 'once');
    at.clock.advance(1_000);
    const deleted = await at.management.keys.revoke(holder.owner, key.id);
    const again = await at.management.keys.create(holder.developer, SETTINGS, 'once');
    expect(again).toEqual({ key: deleted, secret: undefined, doneAt });
  });

  it('M38 20 concurrent requests with one idempotency key make one key', async () => {
    const holder = await at.account();
    const made = await Promise.all(
      Array.from({ length: 20 }, () => at.management.keys.create(holder.developer, SETTINGS, 'once')),
    );
    const { items } = await at.management.keys.list(holder.owner);
    expect(items).toHaveLength(1);
    expect(made.map(({ key }) => key)).toEqual(made.map(() => items[0]));
    expect(made.filter(({ secret: text }) => text !== undefined)).toHaveLength(1);
    expect((await holder.story()).map(({ outcome, subject }) => [outcome, subject])).toEqual([['done', items[0]?.id]]);
  });

  it('without an idempotency key each request makes its own key', async () => {
    const holder = await at.account();
    const made = [await holder.key(), await holder.key()];
    expect(new Set(made.map(({ text }) => text)).size).toBe(2);
  });

  it('is separate for each account', async () => {
    const [one, other] = [await at.account(), await at.account()];
    const { key } = await at.management.keys.create(one.developer, SETTINGS, 'once');
    const { key: others, secret: text } = await at.management.keys.create(other.developer, SETTINGS, 'once');
    expect(others.id).not.toBe(key.id);
    expect(text).toEqual(expect.any(String));
  });

  it.each<[string, KeySettings]>([
    ['another kind', { ...SETTINGS, kind: 'public' }],
    ['other APIs', { ...SETTINGS, apis: ['disputes'] }],
    ['one field more', { ...SETTINGS, name: 'Till' }],
  ])('the same idempotency key for %s is a conflict', async (_what, settings) => {
    const holder = await at.account();
    const { key } = await at.management.keys.create(holder.developer, SETTINGS, 'once');
    const doing = at.management.keys.create(holder.developer, settings, 'once');
    expect(await refusalOf(doing)).toEqual(refusing(409, 'idempotency_conflict'));
    expect((await at.management.keys.list(holder.owner)).items).toEqual([key]);
  });

  it('an API key and an access key are different requests', async () => {
    const holder = await at.account();
    await at.management.keys.create(holder.developer, SETTINGS, 'once');
    const doing = at.management.accessKeys.create(holder.developer, hostile(SETTINGS), 'once');
    expect(await refusalOf(doing)).toEqual(refusing(409, 'idempotency_conflict'));
  });

  it('is stored for 24 hours by the clock of the database, if the clock of one machine is ahead', async () => {
    at.clock.setWall(Date.now() - at.clock.now());
    const holder = await at.account();
    const { key } = await at.management.keys.create(holder.developer, SETTINGS, 'once');
    const clock = { now: () => Date.now() + 2 * DAY, monotonic: () => at.clock.monotonic() };
    const ahead = createManagement({ store: at.store, clock });
    await ahead.keys.create(holder.developer, SETTINGS, 'another');
    expect((await ahead.keys.create(holder.developer, SETTINGS, 'once')).key.id).toBe(key.id);
    expect((await at.management.keys.create(holder.developer, SETTINGS, 'once')).key.id).toBe(key.id);
  });

  it('is stored for 24 hours', async () => {
    at.clock.setWall(BEHIND_THE_DATABASE - at.clock.now());
    const holder = await at.account();
    const { key } = await at.management.keys.create(holder.developer, SETTINGS, 'once');
    at.clock.advance(DAY);
    expect((await at.management.keys.create(holder.developer, SETTINGS, 'once')).key).toEqual(key);
    at.clock.advance(1);
    const later = await at.management.keys.create(holder.developer, SETTINGS, 'once');
    expect(later.secret).toEqual(expect.any(String));
    expect((await at.management.keys.create(holder.developer, SETTINGS, 'once')).key).toEqual(later.key);
    expect((await at.management.keys.list(holder.owner)).items).toHaveLength(2);
  });

  it('can be used again after 24 hours, however many older ones are stored', async () => {
    at.clock.setWall(BEHIND_THE_DATABASE - at.clock.now());
    const holder = await at.account();
    const create = (idempotencyKey: string) => at.management.keys.create(holder.developer, SETTINGS, idempotencyKey);
    for (let i = 0; i < 110; i += 1) await create(`older-${i}`);
    at.clock.advance(1);
    const { key } = await create('once');
    at.clock.advance(DAY + 1);
    const later = await create('once');
    expect([later.key.id === key.id, later.secret]).toEqual([false, expect.any(String)]);
    expect((await create('once')).key).toEqual(later.key);
  });

  it('is not used up by a creation that failed', async () => {
    const holder = await at.account();
    const wrong = { ...SETTINGS, apis: ['reports'] };
    await refusalOf(at.management.keys.create(holder.developer, wrong, 'once'));
    expect(await at.management.keys.create(holder.developer, SETTINGS, 'once')).toMatchObject({
      secret: expect.any(String),
    });
  });

  it.each(['!', '~', 'x'.repeat(256)])('accepts the key %j', async (given) => {
    const holder = await at.account();
    const create = () => at.management.keys.create(holder.developer, SETTINGS, given);
    const { key } = await create();
    expect((await create()).key.id).toBe(key.id);
  });

  it.each(['', ' ', 'a b', 'é', 'a\n', 'x'.repeat(257), 7, null, ['once'], {}])('refuses the key %j', async (given) => {
    const holder = await at.account();
    const doing = at.management.keys.create(holder.developer, SETTINGS, hostile<string>(given));
    expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', 'idempotencyKey'));
  });

  it('tells the member what is wrong', async () => {
    const holder = await at.account();
    const messageOf = async (settings: unknown, key: string) =>
      (await refusalOf(at.management.keys.create(holder.developer, hostile(settings), key))).message;
    await at.management.keys.create(holder.developer, SETTINGS, 'once');
    expect([
      await messageOf(SETTINGS, 'a b'),
      await messageOf({ ...SETTINGS, name: 'Till' }, 'once'),
      await messageOf({ ...SETTINGS, name: 10n }, 'another'),
    ]).toEqual([
      'idempotencyKey: expected 1 to 256 printable ASCII characters without spaces',
      'this idempotency key was already used for a different request; use a new idempotency key',
      'request: expected values that JSON can represent',
    ]);
  });
});

describe.each(sharedEngines)('on %s, from two processes', (engine) => {
  const at = managed(engine);

  it('M38 20 concurrent requests with one idempotency key make one key', async () => {
    const holder = await at.account();
    const other = createManagement({ store: await at.another(), clock: at.clock });
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 === 0 ? at.management : other).keys.create(holder.developer, SETTINGS, 'once'),
      ),
    );
    expect(new Set(made.map(({ key }) => key.id)).size).toBe(1);
    expect(made.filter(({ secret: text }) => text !== undefined)).toHaveLength(1);
  });

  it('20 concurrent puts of one account succeed', async () => {
    const other = createManagement({ store: await at.another(), clock: at.clock });
    const ends = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 === 0 ? at.management : other).accounts.put('operator', 'acc_new', { apis: ['payments'] }),
      ),
    );
    // A caller that sees a changed version gets a conflict, and no error of the database.
    for (const end of ends) {
      if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'version_conflict' });
    }
    expect(ends.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
    expect(await at.management.accounts.view('acc_new')).toMatchObject({ apis: ['payments'] });
  });
});
