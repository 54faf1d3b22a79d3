import { describe, expect, it } from '@jest/globals';
import { listenForInterruption } from '../../../lib/cli/terminal/interruption.js';

const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;
const listeners = () => SIGNALS.map((name) => process.listenerCount(name));

describe('listenForInterruption', () => {
  it.each([
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('reports the first %s, and leaves the next signal to end the process', async (name, exitCode) => {
    const before = listeners();
    const interruption = listenForInterruption();
    expect([listeners(), interruption.signal]).toEqual([before.map((count) => count + 1), undefined]);
    process.emit(name, name);
    expect(await interruption.received).toEqual({ name, exitCode });
    expect(interruption.signal).toEqual({ name, exitCode });
    // Without a listener, Node ends the process.
    expect(listeners()).toEqual(before);
  });

  it('stops to listen when told', () => {
    const before = listeners();
    listenForInterruption().ignore();
    expect(listeners()).toEqual(before);
  });
});
