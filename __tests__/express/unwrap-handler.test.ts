import { describe, expect, it } from '@jest/globals';
import { bearerErrors, requireApi, requireBearer } from 'keyward';
import { mark, ownEndpoint } from '../../lib/express/route-metadata.js';
import { type Handler, isSameHandler, readHandler } from '../../lib/express/unwrap-handler.js';
import { DECLINING } from '../support/stub-verifier.js';

const gate = requireBearer({ accept: [DECLINING] });
const guard = requireApi('payments');
const handler = (_req: unknown, _res: unknown) => {};

/** A layer of Express without instrumentation. */
const layerOf = (handle: unknown, name = '') => ({ handle, name });

/** A layer as express-async-errors leaves it: the setter on its prototype wraps the function. */
class WrappingLayer {
  #handle: unknown;
  readonly name: string;

  constructor(handle: object, name = 'mounted') {
    this.name = name;
    this.handle = handle;
  }

  get handle(): unknown {
    return this.#handle;
  }

  set handle(handle: unknown) {
    const wrapper = Object.assign(() => {}, handle);
    this.#handle = Object.defineProperty(wrapper, 'length', { value: (handle as { length: number }).length });
  }
}

/** Wraps a function as OpenTelemetry does. */
const wrapped = (original: unknown): (() => void) => Object.assign(() => {}, { __original: original });
const wrappedTimes = (times: number) =>
  Array.from({ length: times }).reduce<unknown>((inner) => wrapped(inner), handler);

const NO_MARKS = {
  gate: undefined,
  guard: undefined,
  isBearerErrors: false,
  isResourceMetadata: false,
  isOwnEndpoint: false,
};

describe('readHandler', () => {
  it('reads a function of the app', () => {
    expect(readHandler(layerOf(handler, 'before'))).toEqual({
      ...NO_MARKS,
      handle: handler,
      name: 'handler',
      length: 2,
      isCopy: false,
    });
  });

  it.each([
    ['undefined', undefined],
    ['an object', { __original: handler }],
  ])('reads a layer whose handle is %s', (_name, handle) => {
    const read = { ...NO_MARKS, handle, name: '', length: 0, isCopy: false };
    expect(readHandler(layerOf(handle, 'before'))).toEqual(read);
  });

  it('reads a layer without a prototype', () => {
    const layer = Object.assign(Object.create(null), layerOf(gate));
    expect(readHandler(layer)).toMatchObject({ handle: gate, isCopy: false });
  });

  const metadata = mark(() => {}, 'keyward.resourceMetadata', {});
  const MARKED: [string, () => unknown, Partial<Handler>][] = [
    ['a gate', () => gate, { gate: gate['keyward.gate'] }],
    ['a guard', () => guard, { guard: expect.objectContaining({ name: 'requireApi(payments)' }) as never }],
    ['bearerErrors', () => bearerErrors(), { isBearerErrors: true }],
    ['resource metadata', () => metadata, { isResourceMetadata: true }],
    ['an endpoint of keyward', () => ownEndpoint(() => {}), { isOwnEndpoint: true }],
  ];

  it.each(MARKED)('reads the mark of %s', (_name, make, read) => {
    expect(readHandler(layerOf(make()))).toMatchObject({ ...NO_MARKS, ...read });
    expect(readHandler(layerOf(wrapped(make())))).toMatchObject({ ...NO_MARKS, ...read });
  });

  it.each(MARKED)('reads the copied mark of %s only in a wrapper of express-async-errors', (_name, make, read) => {
    const made = make() as () => void;
    const { length } = made;
    expect(readHandler(new WrappingLayer(made))).toMatchObject({
      ...{ ...NO_MARKS, ...read },
      ...{ name: 'mounted', length, isCopy: true },
    });
    expect(readHandler(layerOf(Object.assign(() => {}, made)))).toMatchObject(NO_MARKS);
  });

  it.each([
    ['that is not a function', wrapped(7)],
    ['of its prototype', Object.setPrototypeOf(() => {}, { __original: handler })],
  ])('ignores an __original %s', (_name, handle) => {
    expect(readHandler(layerOf(handle)).handle).toBe(handle);
  });

  it('unwraps 16 wrappers at most', () => {
    const tooMany = wrappedTimes(17);
    expect([0, 1, 16].map((times) => readHandler(layerOf(wrappedTimes(times))).handle)).toEqual(Array(3).fill(handler));
    expect(readHandler(layerOf(tooMany)).handle).not.toBe(handler);
    expect(readHandler(layerOf(tooMany)).handle).toHaveProperty('__original', handler);
  });

  it('ends at a function that is its own original', () => {
    const circular: { (): void; __original?: unknown } = () => {};
    circular.__original = circular;
    expect(readHandler(layerOf(circular)).handle).toBe(circular);
  });
});

describe('isSameHandler', () => {
  const plain = readHandler(layerOf(handler));
  const copy = readHandler(new WrappingLayer(gate));
  const again = readHandler(new WrappingLayer(gate));

  it('compares functions, if they are not wrapped', () => {
    expect(isSameHandler(plain, readHandler(layerOf(handler)))).toBe(true);
    expect(isSameHandler(plain, { ...plain, handle: () => {} })).toBe(false);
  });

  it('is false without another handler', () => {
    expect([isSameHandler(plain, undefined), isSameHandler(copy, undefined)]).toEqual([false, false]);
  });

  it('compares the wrappers of express-async-errors by what they wrap', () => {
    expect(again.handle).not.toBe(copy.handle);
    expect(isSameHandler(copy, again)).toBe(true);
  });

  it.each<[string, Partial<Handler>]>([
    ['gate', { gate: requireBearer({ accept: [DECLINING] })['keyward.gate'] }],
    ['guard', { guard: readHandler(layerOf(guard)).guard }],
    ['isBearerErrors', { isBearerErrors: true }],
    ['isOwnEndpoint', { isOwnEndpoint: true }],
    ['name', { name: 'other' }],
    ['length', { length: 4 }],
  ])('is false if only the %s of such wrappers differs', (_name, other) => {
    expect(isSameHandler(copy, { ...again, ...other })).toBe(false);
  });
});
