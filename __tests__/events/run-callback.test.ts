import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Change, FeedListener } from 'keyward';
import { handleRejection, ignoreRejection, runCallback } from '../../lib/events/run-callback.js';
import { Feed } from '../../lib/store/change-feed.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';

describe('a listener of the feed of the store', () => {
  let events: Eavesdropper;
  beforeEach(() => {
    events = eavesdrop();
  });
  afterEach(() => events.stop());

  it.each([
    [
      'throws',
      'threw',
      () => {
        throw new RangeError('full');
      },
    ],
    ['rejects', 'rejected', () => Promise.reject(new RangeError('full'))],
  ])('N04 that %s does not affect the others', async (_name, reason, fail) => {
    const feed = new Feed({} as never);
    const heard: Change[] = [];
    const listener: FeedListener = { onChange: fail as never, onCaughtUp: () => {}, onGap: () => {} };
    feed.watch(listener);
    feed.watch({ ...listener, onChange: (change) => void heard.push(change) });
    feed.notify({ key: 'key_1' });
    expect(heard).toEqual([{ key: 'key_1' }]);
    await Promise.resolve();
    expect(events.heard('keyward:callback-failure')).toEqual([
      expect.objectContaining({ of: 'store', callback: 'listener', reason, detail: 'RangeError' }),
    ]);
  });
});

describe('runCallback', () => {
  it('makes no event without subscribers, and throws nothing', () => {
    expect(() => runCallback({ of: 'apiKeys', callback: 'recordUse' }, () => JSON.parse('{'))).not.toThrow();
  });

  it.each([undefined, null, 1, 'text', {}])('ignores a result that is not a promise: %p', (result) => {
    expect(() => handleRejection({ of: 'apiKeys', callback: 'watch' }, result)).not.toThrow();
  });
});

describe('ignoreRejection', () => {
  it('handles the rejection of a promise', () => {
    const then = jest.fn();
    ignoreRejection(Object.assign(Promise.resolve(), { then }));
    expect(then).toHaveBeenCalledWith(undefined, expect.any(Function));
  });

  it('does nothing with another value', () => {
    const then = jest.fn();
    ignoreRejection({ then });
    expect(then).not.toHaveBeenCalled();
    expect(() => ignoreRejection(undefined)).not.toThrow();
  });
});
