import { beforeEach, describe, expect, it } from '@jest/globals';
import { RepeatedFacts } from '../../lib/verify/repeated-facts.js';

describe('RepeatedFacts', () => {
  let facts: RepeatedFacts<object>;
  beforeEach(() => {
    facts = new RepeatedFacts();
  });

  const make = () => ({});
  const unmade = () => {
    throw new Error('made again');
  };
  const keep = (many: number) => Array.from({ length: many }, (_, index) => facts.once(`fact ${index}`, make));

  it('makes the fact of a name once', () => {
    const fact = facts.once('one', make);
    expect(facts.once('one', unmade)).toBe(fact);
  });

  it('has another for another name', () => {
    expect(facts.once('two', make)).not.toBe(facts.once('one', make));
  });

  it('keeps a thousand, and makes each beyond them anew', () => {
    const kept = keep(1_000);
    const beyond = facts.once('one more', make);
    expect(facts.once('one more', make)).not.toBe(beyond);
    expect(kept.every((fact, index) => facts.once(`fact ${index}`, unmade) === fact)).toBe(true);
  });
});
