import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { build } from '../examples/built-service.js';
import { onDatabase, type RawRow, schemaOf } from '../support/store-database.js';
import { makeStores, type Stores } from '../support/store-places.js';
import { eventually, pause } from '../support/store-wait.js';
import { sharedEngines } from '../support/test-stores.js';

// The soak kills a thousand writers on each engine; here are a few of the same, judged the same way.
const WRITER = fileURLToPath(new URL('../../soak/store-writer.js', import.meta.url));
const MODEL = new URL('../../soak/store-row-model.js', import.meta.url).href;
const ROUNDS = 3;
const AT_ONCE = 4;
/** What a writer says before its end, in lines, at most: of an operation two, however long it takes here. */
const MAX_LINES = 80;
/** Milliseconds from the last line that is heard to the end, at most. */
const KILL_WITHIN = 20;

type Select = (text: string, ...parameters: readonly string[]) => Promise<readonly RawRow[]>;

interface RowModel {
  /** What must stand in the database after these operations of an account, as a text. */
  expectedAfter(operations: readonly Operation[]): string;
  actualOf(select: Select, account: string): Promise<string>;
  isWholeFeed(select: Select): Promise<boolean>;
}

interface Operation {
  readonly id: string;
  readonly what: string;
  readonly key?: string;
}

/** What a writer said of one account: the operations that were acknowledged, and the one that was begun. */
interface Lane {
  readonly done: Operation[];
  begun: Operation | undefined;
}

/** Starts a writer, and kills it at a random point of its work. */
async function writeAndDie(url: string, run: string): Promise<ReadonlyMap<string, Lane>> {
  const writer = spawn(process.execPath, [WRITER, url, run], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(writer, 'exit');
  const lines = createInterface({ input: writer.stdout });
  const closed = once(lines, 'close');
  const lanes = new Map<string, Lane>();
  let left = Math.ceil(Math.random() * MAX_LINES);
  const heardEnough = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      hear(lanes, line);
      left -= 1;
      if (left === 0) resolve();
    });
  });
  await Promise.race([heardEnough, exited]);
  await pause(Math.random() * KILL_WITHIN);
  writer.kill('SIGKILL');
  expect(await exited).toEqual([null, 'SIGKILL']);
  await closed;
  return lanes;
}

function hear(lanes: Map<string, Lane>, line: string): void {
  // Of the last line, only a part may have been written.
  if (!line.endsWith('}')) return;
  const { account, done, ...operation } = JSON.parse(line) as Operation & { account: string; done?: string };
  const lane = lanes.get(account) ?? { done: [], begun: undefined };
  lanes.set(account, lane);
  if (done !== undefined && lane.begun !== undefined) lane.done.push(lane.begun);
  lane.begun = done === undefined ? operation : undefined;
}

describe.each(sharedEngines)('writers that are killed, in %s', (engine) => {
  let stores: Stores;
  let model: RowModel;

  beforeAll(async () => {
    await build();
    model = (await import(MODEL)) as RowModel;
  });

  beforeEach(async () => {
    stores = await makeStores(engine);
    await (await stores.open()).close();
  });

  afterEach(() => stores.close());

  const COUNTS = ['head', 'first', 'last', 'count'];
  const select: Select = async (text, ...parameters) => {
    let at = 0;
    const whole = text.replaceAll('?', () => `'${parameters[at++]}'`);
    const rows = await onDatabase(stores.url, whole);
    const asNumber = ([name, value]: [string, unknown]) => [name, COUNTS.includes(name) ? Number(value) : value];
    return rows.map((row) => Object.fromEntries(Object.entries(row).map(asNumber)));
  };

  /** The server may be at a commit yet, whose asker is gone. */
  async function nothingIsPending(): Promise<void> {
    if (engine !== 'PostgreSQL') return;
    const backends = `select pid from pg_stat_activity where query like '%"${schemaOf(stores.url)}"%' and pid <> pg_backend_pid()`;
    await eventually(async () => (await onDatabase(stores.url, backends)).length === 0);
  }

  it('F13 kill -9 at 12 points of create, edit, rotate and revoke: each complete or absent, and acknowledged changes are stored', async () => {
    const seen = { acknowledged: 0, cutOff: 0 };
    const revoked: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const writers = Array.from({ length: AT_ONCE }, (_, at) => writeAndDie(stores.url, `${round}_${at}`));
      const lanes = (await Promise.all(writers)).flatMap((accounts) => [...accounts]);
      await nothingIsPending();
      // It opens as after a crash: nobody else has it open.
      await (await stores.open()).close();
      expect(await model.isWholeFeed(select)).toBe(true);
      for (const [account, { done, begun }] of lanes) {
        const wholes = [done, ...(begun === undefined ? [] : [[...done, begun]])].map(model.expectedAfter);
        expect(wholes).toContain(await model.actualOf(select, account));
        seen.acknowledged += done.length;
        if (begun !== undefined) seen.cutOff += 1;
        revoked.push(...done.filter(({ what }) => what === 'revoke').map(({ key = '' }) => key));
      }
    }
    const live = new Set((await select('select id from keys where revoked_at is null')).map(({ id }) => id));
    expect(revoked.filter((key) => live.has(key))).toEqual([]);
    for (const count of [seen.acknowledged, seen.cutOff, revoked.length]) expect(count).toBeGreaterThan(0);
  });
});
