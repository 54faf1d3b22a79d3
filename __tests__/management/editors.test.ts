import { describe, expect, it } from '@jest/globals';
import { createManagement, type KeyView, type Management, ManagementError, type Member } from 'keyward/management';
import { type Holder, managed, refusalOf } from '../support/managed.js';
import { isAccepted } from '../support/managed-text.js';
import { sharedEngines } from '../support/test-stores.js';

const EDITORS = 64;
const ROUNDS = 2;
const ROLLERS = 8;

describe.each(sharedEngines)('on %s, through two stores', (engine) => {
  const at = managed(engine);

  async function offices(): Promise<readonly [Management, Management]> {
    return [at.management, createManagement({ store: await at.another(), clock: at.clock })];
  }

  it('M37 64 concurrent editors of one key: one succeeds for each version, and the audit log is consistent', async () => {
    const services = await offices();
    const holder = await at.account();
    const { key } = await holder.key({ name: 'round 0' });
    const winners: KeyView[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      at.clock.advance(60_000);
      const ends = await Promise.all(
        Array.from({ length: EDITORS }, (_, i) => {
          const { keys } = services[i % 2 === 0 ? 0 : 1];
          const member = editor(holder, i);
          const edit = { version: round, name: `round ${round}, ${member.id}` };
          return settled(() => keys.edit(member, key.id, edit));
        }),
      );
      const won = ends.filter((end) => end !== 'version_conflict');
      expect(won).toHaveLength(1);
      winners.push(...won);
    }
    expect(winners.map(({ version }) => version)).toEqual([2, 3]);
    for (const { keys } of services) expect(await keys.view(holder.owner, key.id)).toEqual(winners.at(-1));

    const [made, ...entries] = await holder.story();
    expect(made).toMatchObject({ action: 'key.create', outcome: 'done' });
    const done = entries.filter(({ outcome }) => outcome === 'done');
    const names = ['round 0', ...winners.map(({ name }) => name)];
    expect(done.map(({ before, after }) => [before, after])).toEqual(
      winners.map((_, i) => [{ name: names[i] }, { name: names[i + 1] }]),
    );
    expect(done.map(({ actor, at: time }) => [actor, time])).toEqual(
      winners.map(({ name }, i) => [name?.split(', ')[1], new Date((made?.at.getTime() ?? 0) + (i + 1) * 60_000)]),
    );
    // Each of those who lost has left a word of it, too.
    const refused = entries.filter(({ outcome }) => outcome === 'refused');
    const actors = Array.from({ length: EDITORS }, (_, i) => editor(holder, i).id);
    expect([...done, ...refused].map(({ actor }) => actor).sort()).toEqual(
      actors.flatMap((actor) => Array.from({ length: ROUNDS }, () => actor)).sort(),
    );
    for (const entry of refused)
      expect(entry).toMatchObject({ after: { refused: 'version_conflict' }, subject: key.id });
  });

  it('concurrent rotations of one version: one succeeds, and the old secret keeps its grace period', async () => {
    const services = await offices();
    const holder = await at.account();
    const { key, text } = await holder.key();
    at.clock.advance(1_000);
    const ends = await Promise.all(
      Array.from({ length: ROLLERS }, (_, i) =>
        settled(
          async () => (await (services[i % 2] as Management).keys.rotate(holder.owner, key.id, 60, key.version)).key,
        ),
      ),
    );
    expect(ends.filter((end) => end !== 'version_conflict')).toHaveLength(1);
    expect(await isAccepted(at, text)).toBe(true);
    expect(await at.management.keys.view(holder.owner, key.id)).toMatchObject({ version: 2, secrets: { length: 2 } });
  });

  it('a client secret is added only to the version that was seen', async () => {
    const holder = await at.account();
    const { key } = await holder.accessKey();
    const adding = () => at.management.accessKeys.addSecret(holder.owner, key.id, key.version);
    expect((await adding()).key.version).toBe(2);
    expect(await refusalOf(adding())).toMatchObject({ status: 409, code: 'version_conflict' });
  });

  it.each<[string, unknown]>([
    ['an idempotency key', 'b1946ac9'],
    ['a number as text', '1'],
    ['0', 0],
    ['a fraction', 1.5],
    ['null', null],
  ])('a version that is %s is invalid in every change, and nothing is changed', async (_what, given) => {
    const version = given as number;
    const { keys, accessKeys } = at.management;
    const holder = await at.account();
    const [{ key, text }, { key: access }] = [await holder.key(), await holder.accessKey()];
    const { owner } = holder;
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };
    for (const change of [
      keys.rotate(owner, key.id, 0, version),
      keys.endGrace(owner, key.id, undefined, version),
      keys.revoke(owner, key.id, 'once', version),
      accessKeys.addSecret(owner, access.id, version),
      accessKeys.deleteSecret(owner, access.id, access.secrets[0]?.id ?? '', undefined, version),
      accessKeys.addPublicKey(owner, access.id, jwk, undefined, version),
      accessKeys.removePublicKey(owner, access.id, 'one', undefined, version),
    ]) {
      expect(await refusalOf(change)).toMatchObject({ status: 400, code: 'invalid', field: 'version' });
    }
    expect(await keys.view(owner, key.id)).toEqual(key);
    expect(await accessKeys.view(owner, access.id)).toEqual(access);
    expect(await isAccepted(at, text)).toBe(true);
  });
});

function editor(holder: Holder, i: number): Member {
  return { ...holder.owner, id: `editor ${i}` };
}

/** Tries again, as a member does, while the store is too busy to answer. */
async function settled(edit: () => Promise<KeyView>): Promise<KeyView | 'version_conflict'> {
  for (;;) {
    try {
      return await edit();
    } catch (error) {
      if (!(error instanceof ManagementError)) throw error;
      if (error.code === 'version_conflict') return error.code;
      if (error.code !== 'unavailable') throw error;
    }
  }
}
