import { afterAll, expect, it } from '@jest/globals';
import { makeStores } from '../support/store-places.js';
import { sharedEngines } from '../support/test-stores.js';

// The soak has no types. It sends 10,000 proofs.
const { startProofFleet } = await import(`../../soak/${'proof-fleet.js'}`);
const HOOKS = new URL('../support/run-typescript.js', import.meta.url).href;
const REDIS = process.env.KEYWARD_TEST_REDIS;
const PROOFS = 200;
const TIMEOUT_MS = 60_000;

const fleet = startProofFleet(['--import', HOOKS]);
afterAll(() => fleet.close());

async function assertOnce(url: string): Promise<void> {
  const { never, once, twice, others } = await fleet.sendTwice(url, PROOFS);
  expect(twice).toBe(0);
  // On a machine that stands still for a second, the replay cache is given up: 503 for a proof that is used up.
  expect(never).toBeLessThanOrEqual(others);
  expect(once).toBeGreaterThan(PROOFS * 0.9);
}

it.each(sharedEngines)(
  `D17 with one store in %s, of ${PROOFS} proofs that 2 of 4 processes get at once each passes exactly once`,
  async (engine) => {
    const stores = await makeStores(engine);
    try {
      // The tables are there before the processes look.
      await stores.open();
      await assertOnce(stores.url);
    } finally {
      await stores.close();
    }
  },
  TIMEOUT_MS,
);

(REDIS === undefined ? it.skip : it)(
  `D17 with one Redis, of ${PROOFS} proofs that 2 of 4 processes get at once each passes exactly once`,
  () => assertOnce(String(REDIS)),
  TIMEOUT_MS,
);
