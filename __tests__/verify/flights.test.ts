import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { type Flight, Flights } from '../../lib/verify/flights.js';
import { deferred } from '../support/deferred.js';

const flight = (): Flight => ({
  ...{ sequence: 1, departed: { wall: 0, monotonic: 0 }, changes: [], abandoned: false, place: undefined },
});
const late = () => 'late';

let flights: Flights<string>;
beforeEach(() => {
  flights = new Flights({ timeout: 60_000, max: 2 });
});

const landings: Array<() => void> = [];
afterEach(() => {
  for (const land of landings.splice(0)) land();
});

/** Begins one that lands when the test ends. */
function begin(key: string | undefined): Flight {
  const [begun, landing] = [flight(), deferred<string>()];
  landings.push(() => landing.resolve('landed'));
  void flights.begin(key, begun, () => landing.promise, late);
  return begun;
}

it('a look-up can be joined by its key until it has ended', () => {
  const begun = begin('one');
  expect([flights.joined('one'), flights.joined('two')]).toEqual([expect.any(Promise), undefined]);
  flights.end('one', begun);
  expect(flights.joined('one')).toBeUndefined();
});

it('one that ends in the turn in which it begins can be joined by nobody', async () => {
  const begun = flight();
  const fly = async () => {
    flights.end('one', begun);
    return 'landed';
  };
  const landing = flights.begin('one', begun, fly, late);
  expect(flights.joined('one')).toBeUndefined();
  expect([await landing, flights.areFull]).toEqual(['landed', false]);
});

it('one without a key takes its place, hears of changes, and can be joined by nobody', () => {
  const begun = [begin(undefined), begin(undefined)];
  expect(flights.areFull).toBe(true);
  flights.tell('everything');
  expect(begun.map(({ changes }) => changes)).toEqual([['everything'], ['everything']]);
  expect(flights.joined('')).toBeUndefined();
});

it('one without a key is answered when it takes too long', async () => {
  jest.useFakeTimers();
  const arrival = flights.begin(undefined, flight(), () => deferred<string>().promise, late);
  jest.advanceTimersByTime(60_000);
  expect(await arrival).toBe('late');
  jest.useRealTimers();
});

it('one that has ended hears of nothing more, and the others do, in whatever order they end', () => {
  flights = new Flights({ timeout: 60_000, max: 3 });
  const [first, second, third] = [begin('1'), begin('2'), begin('3')];
  const heard = () => [first, second, third].map(({ changes }) => changes.length);
  flights.end('1', first);
  flights.end('1', first);
  flights.tell('everything');
  expect([heard(), flights.areFull]).toEqual([[0, 1, 1], false]);
  flights.end('2', second);
  flights.tell('everything');
  expect(heard()).toEqual([0, 1, 2]);
  flights.end('3', third);
  const fourth = begin('4');
  flights.tell('everything');
  expect([...heard(), fourth.changes.length]).toEqual([0, 1, 2, 1]);
});

it('the end of one leaves another of the same key to be joined', () => {
  const first = begin('one');
  flights.end('one', first);
  begin('one');
  flights.end('one', first);
  expect(flights.joined('one')).toBeDefined();
});
