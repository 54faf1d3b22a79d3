import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type CredentialStore, openStore } from 'keyward/store';
import { digestOf } from '../../lib/credentials/digest.js';
import { build, type RunningService, startService } from '../examples/built-service.js';
import { send } from '../support/busy-clients.js';
import { revoke } from '../support/store-places.js';
import { eventually, pause } from '../support/store-wait.js';
import { placesOf, sharedEngines, type TestPlace } from '../support/test-stores.js';

const INSTANCES = 3;
const CLIENTS = 8;
/** Milliseconds (design rule 6). */
const REFUSED_WITHIN = 5_000;
/** What a payment that is not there is answered with, to who may ask for it. */
const ACCEPTED = 404;
const REFUSED = 401;

interface Instance {
  readonly service: RunningService;
  readonly port: number;
  readonly keys: { readonly secretAll: string; readonly secretPayments: string };
}

// The one that instances on several machines share, where there is one; the soak restarts instances for longer.
describe.each(sharedEngines.slice(-1))(
  'three instances of the example, one after the other restarted, on %s',
  (engine) => {
    let folder: string;
    let place: TestPlace;
    let database: string | undefined;
    let instances: Instance[];
    let leaving: Instance | undefined;

    beforeAll(build);

    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'keyward-rolling-'));
      place = await placesOf[engine]();
      database = engine === 'SQLite' ? undefined : place.url;
      // The first makes the credentials, which all of them print.
      instances = [await start()];
      instances.push(...(await Promise.all(Array.from({ length: INSTANCES - 1 }, start))));
      leaving = undefined;
    });

    afterEach(async () => {
      await Promise.all(instances.map(({ service }) => service.end('SIGTERM')));
      await place.remove();
      rmSync(folder, { recursive: true, force: true });
    });

    async function start(): Promise<Instance> {
      const service = await startService({ args: ['--json'], folder, ...(database === undefined ? {} : { database }) });
      await service.until(/\n/);
      const { baseUrl, ...keys } = JSON.parse(service.printed());
      return { service, port: Number(new URL(baseUrl).port), keys };
    }

    /** As a balancer does: what is about to be restarted gets nothing, and what takes none is passed over. */
    async function ask(agent: Agent, key: string, turn: number): Promise<number | undefined> {
      const serving = instances.filter((instance) => instance !== leaving);
      for (let at = 0; at < serving.length; at += 1) {
        const port = serving[(turn + at) % serving.length]?.port ?? 0;
        const headers = { authorization: `Bearer ${key}` };
        const { status } = await send(agent, { port, path: '/payments/none', headers });
        if (status !== undefined) return status;
      }
      return undefined;
    }

    it('F17 every request gets a response, valid keys are always accepted, and a revoked key is refused by all', async () => {
      const [
        {
          keys: { secretAll: good, secretPayments: doomed },
        },
      ] = instances as [Instance];
      const agent = new Agent({ keepAlive: true });
      const seen = { good: new Map<unknown, number>(), doomed: new Map<unknown, number>(), late: 0 };
      let refusedFrom = Number.POSITIVE_INFINITY;
      let isOver = false;
      async function client(first: number): Promise<void> {
        for (let turn = first; !isOver; turn += 1) {
          const kind = turn % 4 === 0 ? 'doomed' : 'good';
          const asked = performance.now();
          const status = await ask(agent, kind === 'good' ? good : doomed, turn);
          seen[kind].set(status, (seen[kind].get(status) ?? 0) + 1);
          if (kind === 'doomed' && asked > refusedFrom && status !== REFUSED) seen.late += 1;
          await pause(20);
        }
      }
      const clients = Promise.all(Array.from({ length: CLIENTS }, (_, at) => client(at)));

      const store: CredentialStore = await openStore(database ?? `file:${join(folder, 'keyward.db')}`);
      const presented = {
        digest: digestOf(doomed),
        kind: 'secret',
        environment: 'live',
        reveal: () => doomed,
      } as const;
      await eventually(() => seen.doomed.has(ACCEPTED));
      await revoke(store, (await store.resolveKey(presented))?.id ?? '');
      refusedFrom = performance.now() + REFUSED_WITHIN;
      await store.close();

      for (let at = 0; at < INSTANCES; at += 1) {
        leaving = instances[at];
        expect(await leaving?.service.end('SIGTERM')).toBe(0);
        instances[at] = await start();
        leaving = undefined;
        await pause(200);
      }
      await eventually(() => performance.now() > refusedFrom + 500, REFUSED_WITHIN * 2);
      isOver = true;
      await clients;
      agent.destroy();

      expect([...seen.good.keys()]).toEqual([ACCEPTED]);
      expect(seen.good.get(ACCEPTED)).toBeGreaterThan(100);
      expect([...seen.doomed.keys()].sort()).toEqual([REFUSED, ACCEPTED]);
      expect(seen.late).toBe(0);
    });
  },
);
