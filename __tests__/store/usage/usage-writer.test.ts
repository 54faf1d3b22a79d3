import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Engine } from '../../../lib/store/engine.js';
import { openSqlite } from '../../../lib/store/sqlite/engine.js';
import { StoreError } from '../../../lib/store/store-error.js';
import { createUsageWriter } from '../../../lib/store/usage/usage-writer.js';

let engine: Engine;
let warnings: unknown[];
const listener = (warning: unknown) => void warnings.push(warning);

beforeEach(async () => {
  engine = await openSqlite(':memory:');
  await engine.migrate();
  warnings = [];
  subscribe('keyward:store', listener);
});
afterEach(async () => {
  unsubscribe('keyward:store', listener);
  await engine.close();
});

const NOT_WRITTEN = [{ warning: 'usage_not_written', detail: 'the database refused the write' }];

it.each<[string, Error, readonly unknown[]]>([
  ['a missing right', storeError('42501'), NOT_WRITTEN],
  ['a missing table', storeError('42P01'), NOT_WRITTEN],
  ['a number that is too large', storeError('22042'), []],
  ['a network error', storeError('ECONNRESET'), []],
  ['an error without a code', storeError(''), []],
  ['an error that the store did not throw', Object.assign(new Error('away'), { driverCode: '42501' }), []],
])('%s: a warning is published only if the database refuses the write', async (_what, error, expected) => {
  const writer = createUsageWriter({ ...engine, transact: async () => Promise.reject(error) });
  writer.usageOf('key_1').accepted();
  await writer.flush();
  expect(warnings).toEqual(expected);
});

function storeError(driverCode: string): StoreError {
  return new StoreError('store_unavailable', 'the database refused the write', driverCode);
}
