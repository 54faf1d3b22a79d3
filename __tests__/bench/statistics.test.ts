import { describe, expect, it } from '@jest/globals';

// The bench has no types.
const bench = (file: string) => import(`../../bench/${file}`);

const { atLeast, atMost, missedOf, once } = await bench('measure/bounds.js');
const { inRounds } = await bench('measure/rounds.js');
const { median, quantile, ratioOf } = await bench('measure/statistics.js');
const { barChart } = await bench('report/chart.js');
const { digits, table } = await bench('report/text.js');

describe('statistics', () => {
  it('computes the median', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    expect(quantile([10, 20, 30, 40, 50], 0.25)).toBe(20);
    expect(median([])).toBeNaN();
  });

  it('divides round by round, so that a slow round of both has no effect', () => {
    expect(ratioOf([2, 200, 2], [1, 100, 1])).toEqual({ median: 2, low: 2, high: 2 });
  });
});

describe('rounds', () => {
  it('run each subject in turn, every other round backwards, without warm-up rounds', async () => {
    const order: string[] = [];
    const measured = await inRounds(
      [{ name: 'a' }, { name: 'b' }],
      { rounds: 2, warmUp: 1 },
      async ({ name }: { name: string }, round: number) => {
        order.push(name + round);
        return round;
      },
    );
    expect(order).toEqual(['a0', 'b0', 'b1', 'a1', 'a2', 'b2']);
    expect(measured).toEqual({ a: [1, 2], b: [1, 2] });
  });
});

describe('bounds', () => {
  it('hold up to their limit, and violations are found', () => {
    const held = [atMost('a', once(2), 2), atLeast('b', once(2), 2)];
    const missed = [atMost('c', once(2.01), 2), atLeast('d', once(Number.NaN), 2)];
    expect(missedOf([{ bounds: [...held, ...missed] }]).map(({ claim }: { claim: string }) => claim)).toEqual([
      'c',
      'd',
    ]);
  });
});

describe('output', () => {
  it('has three significant digits', () => {
    expect([1234.5, 12.345, 0.98765, 2].map(digits)).toEqual(['1,235', '12.3', '0.988', '2']);
    expect(table(['', 'ns'], [['one', '1']])).toBe('|  | ns |\n| --- | ---: |\n| one | 1 |');
  });

  it('draws a bar as long as its value, and escapes its label', () => {
    const bars = [
      { label: 'a < b', value: 1 },
      { label: 'twice', value: 2 },
    ];
    const chart = barChart({ title: 'x & y', unit: '', bars });
    const [one, two] = [...chart.matchAll(/width="([\d.]+)" height="18"/g)].map(([, width]) => Number(width));
    expect(two).toBeCloseTo(2 * (one ?? 0), 0);
    expect(chart).toContain('a &lt; b');
    expect(chart).toContain('x &amp; y');
  });
});
