import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CallbackCase, runCallback, startCallbacks } from '../support/callbacks.js';

const REJECTING = ['a promise that rejects', 'a promise that rejects later'] as const;
const failure = (of: string, callback: string, reason = 'rejected') =>
  expect.objectContaining({ of, callback, reason, detail: 'RangeError' });

describe('a callback whose result is not awaited', () => {
  let child: ChildProcess;
  beforeAll(() => {
    child = startCallbacks();
  });
  afterAll(async () => {
    child.kill();
    await once(child, 'exit');
  });

  it.each([
    ...REJECTING.map((returns) => ['recordUse of a key', returns, [failure('apiKeys', 'recordUse')]] as const),
    ['recordUse of a key', 'a promise that never settles', []],
    ['recordUse of a key', 'a thenable that throws', [failure('apiKeys', 'recordUse', 'threw')]],
    ['recordUse of a key', 'nothing', []],
    ...REJECTING.map((returns) => ['recordUse of an access key', returns, [failure('issuer', 'recordUse')]] as const),
    ['recordUse of an access key', 'a promise that never settles', []],
    ...REJECTING.map((returns) => ['watch of keys', returns, [failure('apiKeys', 'watch')]] as const),
    ['watch of keys', 'a promise that never settles', []],
    ...REJECTING.map((returns) => ['watch of access keys', returns, [failure('accessKeys', 'watch')]] as const),
  ] as const)('N04 %s: %s. The request gets 200, and the process lives', async (callback, returns, events) => {
    expect(await runCallback(child, { callback, returns } as CallbackCase)).toEqual({ status: 200, events });
  });

  it.each([...REJECTING, 'a promise that never settles'] as const)(
    'N04 select of a channel, which must be synchronous: %s. The request gets 500, and the process continues',
    async (returns) => {
      const answer = await runCallback(child, { callback: 'select of a channel', returns });
      expect(answer).toEqual({ status: 500, events: [] });
    },
  );
});

describe('a callback that must be synchronous, and returns a promise', () => {
  it.each([
    ['scopesOf of a guard', 403],
    ['certificateOf', 503],
  ] as const)('%s: the request gets %i, and the process continues', async (callback, status) => {
    for (const returns of REJECTING) {
      const child = startCallbacks();
      expect(await runCallback(child, { callback, returns })).toEqual({ status, events: [] });
      child.kill();
      await once(child, 'exit');
    }
  });
});
