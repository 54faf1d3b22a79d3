import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import { type Limited, startLimited } from '../support/rate-limited.js';
import { POSTGRES } from '../support/test-stores.js';

const REDIS = process.env.KEYWARD_TEST_REDIS;
const PROCESSES = 4;
const REQUESTS = 40;
/**
 * A guard counts a request in both windows at the same time, so the windows may see the requests in different orders. A
 * request that the first window lets pass must not be over the limit of the second one, whenever that one counts it.
 */
const LIMITS = [
  { requests: 50, seconds: 3_600 },
  { requests: PROCESSES * REQUESTS, seconds: 7_200 },
];

let processes: readonly Limited[] = [];
afterEach(() => Promise.all(processes.map((limited) => limited.close())));

/** Sends the requests of each process, all processes at the same time; how many passed in total. */
async function passed(url: string, run: string): Promise<number> {
  processes = await Promise.all(Array.from({ length: PROCESSES }, () => startLimited(url, run, LIMITS)));
  const found = await Promise.all(processes.map((limited) => limited.ask(REQUESTS)));
  return found.reduce((sum, count) => sum + count, 0);
}

(REDIS === undefined ? describe.skip : describe)('Redis', () => {
  it('G16 4 processes on one Redis let exactly N requests pass', async () => {
    expect(await passed(String(REDIS), `test-${randomBytes(6).toString('hex')}`)).toBe(50);
  });
});

(POSTGRES === undefined ? describe.skip : describe)('PostgreSQL', () => {
  it('G16 4 processes on one PostgreSQL let exactly N requests pass', async () => {
    const tableName = `limits_${randomBytes(6).toString('hex')}`;
    const storeClient = new pg.Pool({ connectionString: POSTGRES });
    await new Promise<void>((resolve, reject) => {
      const options = { storeClient, tableName, points: 1, duration: 1, clearExpiredByTimeout: false };
      new RateLimiterPostgres(options, (error) => (error === undefined ? resolve() : reject(error)));
    });
    try {
      expect(await passed(String(POSTGRES), tableName)).toBe(50);
    } finally {
      await storeClient.query(`drop table "${tableName}"`);
      await storeClient.end();
    }
  });
});
