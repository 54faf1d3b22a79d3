import { beforeEach, describe, expect, it } from '@jest/globals';
import { Interner } from '../../lib/credentials/interner.js';

describe('Interner', () => {
  let facts: Interner<object>;
  beforeEach(() => {
    facts = new Interner();
  });

  const make = () => ({});
  const unmade = () => {
    throw new Error('made again');
  };
  const keep = (many: number) => Array.from({ length: many }, (_, index) => facts.intern(`fact ${index}`, make));

  it('creates the value of a name once', () => {
    const fact = facts.intern('one', make);
    expect(facts.intern('one', unmade)).toBe(fact);
  });

  it('has another value for another name', () => {
    expect(facts.intern('two', make)).not.toBe(facts.intern('one', make));
  });

  it('shares a thousand values, and creates each further one again', () => {
    const kept = keep(1_000);
    const beyond = facts.intern('one more', make);
    expect(facts.intern('one more', make)).not.toBe(beyond);
    expect(kept.every((fact, index) => facts.intern(`fact ${index}`, unmade) === fact)).toBe(true);
  });
});
