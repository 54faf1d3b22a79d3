import { afterEach, describe, expect, it } from '@jest/globals';
import { KeywardError } from '../../lib/errors/keyward-error.js';
import { RefusalError } from '../../lib/errors/refusal-error.js';

class Refusal extends RefusalError {
  constructor() {
    super('no', 'not today', { status: 401 });
  }
}

describe('RefusalError', () => {
  const { stackTraceLimit } = Error;
  const original = Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit');

  afterEach(() => {
    Object.defineProperty(Error, 'stackTraceLimit', { ...original, value: stackTraceLimit });
  });

  it('has a message and no frames', () => {
    const { stack } = new Refusal();
    expect(stack).toContain('not today');
    expect(stack).not.toContain('\n');
  });

  it('is a KeywardError with its code and status', () => {
    expect(new Refusal()).toBeInstanceOf(KeywardError);
    expect(new Refusal()).toMatchObject({ code: 'no', status: 401, message: 'not today' });
  });

  it.each([0, 3, 50])('leaves the limit of %i frames as it was', (limit) => {
    Error.stackTraceLimit = limit;
    new Refusal();
    expect(Error.stackTraceLimit).toBe(limit);
  });

  it('is created if the limit cannot be changed, as with --frozen-intrinsics', () => {
    Object.defineProperty(Error, 'stackTraceLimit', { value: 5, writable: false });
    expect(new Refusal().message).toBe('not today');
  });
});
