import { expect, it } from '@jest/globals';
import { choiceField } from '../../../lib/dashboard/forms/choice-field.js';

/** A list that counts the entries that `includes` may have to compare. Lists that are made of it count too. */
class CountingList extends Array<string> {
  static compared = 0;

  override includes(name: string): boolean {
    CountingList.compared += this.length;
    return super.includes(name);
  }
}

it('a choice of many values is shown without a search of the list for each of them, and with at most 100 unknown ones', () => {
  const names = CountingList.from(Array.from({ length: 1_000 }, (_, i) => `api_${i}`));
  names.includes('api_0');
  expect(CountingList.compared).toBe(1_000);
  const choice = { of: 'some', names } as const;
  const field = { name: 'apis', legend: 'APIs', noun: 'APIs', options: ['api_0', 'other'], choice, error: undefined };
  const { text } = choiceField(field);
  expect(text.match(/ checked/g)).toHaveLength(101);
  expect(text.match(/no longer available/g)).toHaveLength(100);
  expect(CountingList.compared).toBe(1_000);
});
