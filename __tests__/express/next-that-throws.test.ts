import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  apiKeys,
  type CallbackFailure,
  type KeyRecord,
  requireBearer,
  requireKeyKind,
  requireRateLimit,
} from 'keyward';
import { mintKey } from '../../lib/credentials/keyward-format.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { getRaw, type Served, serve } from '../support/raw-http.js';

const KEY = mintKey('secret', 'live');
const RECORD: KeyRecord = { id: 'key_1', kind: 'secret', account: 'acme', environment: 'live', apis: 'all' };

let events: Eavesdropper;
let faults: unknown[];
let server: Served;
const note = (error: unknown) => void faults.push(error);

beforeEach(() => {
  events = eavesdrop();
  faults = [];
  process.on('uncaughtException', note).on('unhandledRejection', note);
});
afterEach(async () => {
  await server.close();
  process.off('uncaughtException', note).off('unhandledRejection', note);
  events.stop();
});

type Next = (res: ServerResponse, error?: unknown) => void;

/** Serves a gate without Express; its lookup ends later. */
async function serveGate(found: KeyRecord | undefined, next: Next, cache?: false): Promise<void> {
  const resolver = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return found;
  };
  const gate = requireBearer({ accept: [apiKeys({ resolver, kinds: ['secret'], environment: 'live', cache })] });
  const guard = requireKeyKind('public');
  server = await serve((req: IncomingMessage, res) => {
    gate(req, res, (error) => {
      if (req.url === '/guarded') guard(req, res, (refusal) => next(res, refusal));
      else next(res, error);
    });
  });
}

/** The status, `undefined` where the connection was cut; and what was reported. */
async function ask(path = '/') {
  const { status, text, headers } = await getRaw(server.port, [`Authorization: Bearer ${KEY}`], path);
  await new Promise((resolve) => setImmediate(resolve));
  const failures = events.heard<CallbackFailure>('keyward:callback-failure');
  return { status: text === '' ? undefined : status, headers, failures };
}

const FAILURE = { of: 'requireBearer', callback: 'next', reason: 'threw' };
const REPORTED = { ...FAILURE, detail: 'RangeError E_BROKEN', where: expect.arrayContaining([expect.any(String)]) };
const broken = (..._given: unknown[]): never => {
  throw Object.assign(new RangeError(`broken by ${KEY}`), { code: 'E_BROKEN' });
};

describe('next throws outside Express after a lookup', () => {
  it('N19 of an accepted request: 500, reported, and no unhandled rejection', async () => {
    await serveGate(RECORD, broken, false);
    for (let request = 1; request <= 2; request += 1) {
      const { status, failures } = await ask();
      expect([status, failures]).toEqual([500, Array(request).fill(REPORTED)]);
    }
    expect(JSON.stringify(events.heard())).not.toContain(KEY);
    expect(faults).toEqual([]);
  });

  it('N19 of a refused request: 500, reported, and no unhandled rejection', async () => {
    await serveGate(undefined, broken);
    expect(await ask()).toMatchObject({ status: 500, failures: [REPORTED] });
    expect(faults).toEqual([]);
  });

  it('N19 with the refusal itself: the refusal is sent', async () => {
    const rethrow: Next = (_res, error) => {
      throw error;
    };
    await serveGate(undefined, rethrow);
    const { status, headers, failures } = await ask();
    expect([status, headers['www-authenticate'], failures.length]).toEqual([
      401,
      expect.stringContaining('error="invalid_token"'),
      1,
    ]);
    expect(faults).toEqual([]);
  });

  it('N19 behind a guard: 500, reported, and no unhandled rejection', async () => {
    await serveGate(RECORD, broken, false);
    expect(await ask('/guarded')).toMatchObject({ status: 500, failures: [REPORTED] });
    expect(faults).toEqual([]);
  });

  it('N19 behind requireRateLimit: 500, reported, and no unhandled rejection', async () => {
    const consume = async () => ({ remainingPoints: 1, msBeforeNext: 1_000 });
    const limit = requireRateLimit({
      counter: () => ({ consume }),
      default: [{ requests: 1, seconds: 1 }],
      onOutage: 'refuse',
    });
    await serveGate(RECORD, (res) => limit(res.req, res, broken));
    const { status, failures } = await ask();
    expect([status, failures]).toEqual([500, [{ ...REPORTED, of: 'requireRateLimit' }]]);
    expect(faults).toEqual([]);
  });

  it.each<[string, Next, number | undefined]>([
    ['after it answered', (res) => broken(void res.writeHead(202).end('done')), 202],
    ['in the middle of its answer', (res) => broken(void res.writeHead(202).write('half')), undefined],
  ])('N19 %s: nothing is sent twice', async (_when, next, status) => {
    await serveGate(RECORD, next, false);
    expect(await ask()).toMatchObject({ status, failures: [REPORTED] });
    expect(faults).toEqual([]);
  });

  it.each(['text', undefined, null])('N19 %j: it is still an error', async (thrown) => {
    await serveGate(RECORD, () => {
      throw thrown;
    });
    const detail = `a thrown value of type ${typeof thrown}`;
    expect(await ask()).toMatchObject({ status: 500, failures: [{ ...FAILURE, detail, where: [] }] });
    expect(faults).toEqual([]);
  });
});
