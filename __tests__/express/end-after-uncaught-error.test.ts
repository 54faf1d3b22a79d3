import { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CallbackFailure } from 'keyward';
import { BearerError } from '../../lib/express/bearer-error.js';
import { endAfterUncaughtError } from '../../lib/express/end-after-uncaught-error.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { requestOf } from '../support/passage.js';

let events: Eavesdropper;
beforeEach(() => {
  events = eavesdrop();
});
afterEach(() => events.stop());

/** Ends a response, as the app has left it. */
function ended(thrown: unknown, prepare: (res: ServerResponse) => void = () => {}): ServerResponse {
  const res = new ServerResponse(requestOf());
  prepare(res);
  endAfterUncaughtError('aGate', res, thrown);
  return res;
}

describe('after an error that nobody caught', () => {
  it.each([
    ['a refusal', new BearerError('insufficient_scope', {}, undefined), 403],
    ['another error', new RangeError('x'), 500],
    ['no error', undefined, 500],
  ])('the response has the status of %s', (_name, thrown, status) => {
    const res = ended(thrown);
    expect([res.statusCode, res.writableEnded, res.destroyed]).toEqual([status, true, false]);
  });

  it('a response that has started is cut off', () => {
    const res = ended(new Error('x'), (started) => started.writeHead(202));
    expect([res.statusCode, res.writableEnded, res.destroyed]).toEqual([202, false, true]);
  });

  it('a response that has ended stays as it is', () => {
    const res = ended(new Error('x'), (done) => done.writeHead(202).end());
    expect([res.statusCode, res.destroyed]).toEqual([202, false]);
  });

  it('an event describes the error without its message', () => {
    ended(Object.assign(new RangeError('a secret'), { code: 'E_BROKEN' }));
    expect(events.heard<CallbackFailure>('keyward:callback-failure')).toEqual([
      { of: 'aGate', callback: 'next', reason: 'threw', detail: 'RangeError E_BROKEN', where: expect.any(Array) },
    ]);
  });

  it('the error is not described without subscribers', () => {
    events.stop();
    let reads = 0;
    const error = Object.defineProperty(new Error('x'), 'cause', { get: () => ++reads });
    expect([ended(error).statusCode, reads]).toEqual([500, 0]);
  });
});
