import { expect, it } from '@jest/globals';
import { createTestKit } from 'keyward/testing';

it('the clock of the kit moves both times, and only when it is told', async () => {
  const { clock } = createTestKit();
  const [now, monotonic] = [clock.now(), clock.monotonic()];
  clock.advance(90_000);
  expect([clock.now() - now, clock.monotonic() - monotonic]).toEqual([90_000, 90_000]);
  clock.advance(1);
  expect([clock.now() - now, clock.monotonic() - monotonic]).toEqual([90_001, 90_001]);
});
