import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Decision, defineGuard, type GuardDefinition, requireBearer } from 'keyward';
import { guardFactsOf } from '../../lib/express/guard.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { bearing, pass, requestOf } from '../support/passage.js';
import { keyPrincipal } from '../support/principals.js';
import { admitting } from '../support/stub-verifier.js';

const principal = keyPrincipal();
const gate = requireBearer({ accept: [admitting(principal)], realm: 'pay' });
const guardThat = (check: unknown) => defineGuard({ name: 'rule', check: check as GuardDefinition['check'] });
const judgedBy = (check: unknown) => pass(bearing('abc'), gate, guardThat(check));
const throwing = (thrown: unknown) => () => {
  throw thrown;
};

const CHALLENGE =
  'Bearer realm="pay", error="insufficient_scope", error_description="The credential does not reach this resource"';

let events: Eavesdropper;
beforeEach(() => {
  events = eavesdrop();
});
afterEach(() => events.stop());
const refusals = () => events.heard<Decision>().filter(({ outcome }) => outcome === 'refused');

describe('defineGuard', () => {
  const check = () => true;

  it.each([
    ['no definition', undefined, 'defineGuard: expected an object of options, got undefined'],
    ['no name', { check }, 'defineGuard: option "name" must be a text that is not empty, got undefined'],
    [
      'an empty name',
      { name: '', check },
      'defineGuard: option "name" must be a text that is not empty, got an empty text',
    ],
    ['no check', { name: 'rule' }, 'defineGuard: option "check" must be a function, got undefined'],
    [
      'a check that is none',
      { name: 'rule', check: true },
      'defineGuard: option "check" must be a function, got boolean',
    ],
    ['no kinds', { name: 'rule', check, kinds: [] }, 'defineGuard: option "kinds": expected one name or more'],
    ['kinds of null', { name: 'rule', check, kinds: null }, 'defineGuard: option "kinds": expected one name or more'],
    [
      'an unknown kind',
      { name: 'rule', check, kinds: ['secret', 'admin'] },
      "defineGuard: option \"kinds\": each name must be 'secret' or 'public' or 'access', got string",
    ],
    [
      'an unknown option',
      { name: 'rule', check, scopes: [] },
      'defineGuard: unknown option "scopes"; there are name, check, kinds',
    ],
  ])('throws at start: %s', (_name, definition, message) => {
    expect(() => defineGuard(definition as GuardDefinition)).toThrow(TypeError);
    expect(() => defineGuard(definition as GuardDefinition)).toThrow(new TypeError(message));
  });

  it('makes a function of its name, frozen, that says what it is and holds its check', () => {
    const guard = defineGuard({ name: 'rule', check, kinds: ['secret'] });
    expect([guard.name, guard.check, Object.isFrozen(guard)]).toEqual(['rule', check, true]);
    expect(guardFactsOf(guard)).toEqual({ name: 'rule', kinds: ['secret'] });
    expect(Object.isFrozen(guardFactsOf(guard))).toBe(true);
    expect(guardFactsOf(defineGuard({ name: 'rule', check }))).toEqual({ name: 'rule', kinds: undefined });
  });
});

describe('guardFactsOf does not take for a guard', () => {
  it('a wrapper onto which the properties of one were copied', () => {
    const wrapper = Object.assign(
      () => {},
      guardThat(() => true),
    );
    expect(guardFactsOf(wrapper)).toBeUndefined();
  });
});

describe('guardFactsOf finds none on', () => {
  it.each([
    ['undefined', undefined],
    ['null', null],
    ['an object', {}],
    ['a function', () => {}],
  ])('%s', (_name, handle) => {
    expect(guardFactsOf(handle)).toBeUndefined();
  });
});

describe('a guard behind a gate', () => {
  it('shows its check the principal and the request', async () => {
    const seen: unknown[] = [];
    const { req } = await judgedBy((...shown: unknown[]) => {
      seen.push(...shown);
      return true;
    });
    expect(seen).toEqual([principal, req]);
    expect(seen[0]).toBe(principal);
    expect(seen[1]).toBe(req);
  });

  it('lets pass what its check judges true, and says nothing of it', async () => {
    expect((await judgedBy(() => true)).passed).toBe(true);
    expect(events.heard<Decision>().map(({ outcome }) => outcome)).toEqual(['accepted']);
  });

  it.each([
    ['false', false],
    ['undefined', undefined],
    ['null', null],
    ['0', 0],
    ['1', 1],
    ['a text', 'yes'],
    ['an empty object', {}],
    ['a list', [true]],
    ['an object that looks like a promise', { catch: () => {} }],
  ])('refuses with 403 where its check judges %s', async (_name, verdict) => {
    const { error, res } = await judgedBy(() => verdict);
    expect(error).toMatchObject({ code: 'insufficient_scope', status: 403, scopes: undefined });
    expect(res.getHeader('www-authenticate')).toBe(CHALLENGE);
    expect(refusals()).toMatchObject([{ by: 'rule', code: 'insufficient_scope', reason: 'guard', keyId: 'key_1' }]);
  });

  it('names the scopes of a refusal in the challenge, and keeps the reason to the operator', async () => {
    const { error, res } = await judgedBy(() => ({ scopes: ['a', 'b:c'], reason: 'closed on Sundays' }));
    expect(error).toMatchObject({ code: 'insufficient_scope', scopes: ['a', 'b:c'] });
    expect(JSON.stringify([error, res.getHeaders()])).not.toContain('Sundays');
    expect(res.getHeader('www-authenticate')).toBe(`${CHALLENGE}, scope="a b:c"`);
    expect(refusals()).toMatchObject([{ reason: 'closed on Sundays' }]);
  });

  it.each([
    ['a text', 'payments:refund'],
    ['an empty list', []],
    ['two scopes in one', ['payments disputes']],
    ['quote, in one of several', ['payments', 'a"b', 'disputes']],
    ['a line break', ['payments\n']],
    ['a number', [1]],
  ])('takes for the scopes of a refusal no %s', async (_name, scopes) => {
    const { error } = await judgedBy(() => ({ scopes }));
    const message = 'keyward: rule must name scopes that are scope-tokens (RFC 6749 section 3.3)';
    expect(error).toEqual(new TypeError(message));
    expect(error).toBeInstanceOf(TypeError);
    expect(refusals()).toEqual([]);
  });

  it('passes on what its check throws', async () => {
    const thrown = new RangeError('no such shop');
    expect((await judgedBy(throwing(thrown))).error).toBe(thrown);
    expect(refusals()).toEqual([]);
  });

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['an empty text', ''],
    ["'route'", 'route'],
  ])('does not take a thrown %s for leave to go on', async (_name, thrown) => {
    expect((await judgedBy(throwing(thrown))).error).toBeInstanceOf(Error);
  });

  const trap = (thrown: unknown) => ({ get: throwing(thrown) });
  it.each<[string, () => unknown]>([
    ['a verdict', () => new Proxy({}, trap('route'))],
    ['the scopes of a verdict', () => ({ scopes: new Proxy(['payments'], trap('route')) })],
    ['a promise', () => Object.assign(Promise.resolve(true), { catch: throwing('route') })],
  ])('ends the request where %s throws as it is read: next("route") would skip the guard', async (_name, judge) => {
    const { passed, error } = await judgedBy(judge);
    expect([passed, error]).toEqual([false, expect.any(Error)]);
    expect(refusals()).toEqual([]);
  });

  it('reads the scopes of a verdict once, so that what was checked is what the challenge says', async () => {
    const scopes = ['payments'];
    let reads = 0;
    const changing = new Proxy(scopes, {
      get: (target, key, receiver) => {
        if (key === '0') reads += 1;
        return key === '0' && reads > 1 ? 'a"b' : Reflect.get(target, key, receiver);
      },
    });
    const { res } = await judgedBy(() => ({ scopes: changing }));
    expect(res.getHeader('www-authenticate')).toBe(`${CHALLENGE}, scope="payments"`);
  });

  it.each([
    ['true', async () => true],
    ['nothing', async () => {}],
  ])('takes no promise, be it of %s', async (_name, check) => {
    const { error } = await judgedBy(check);
    expect(error).toEqual(new TypeError('keyward: rule must judge at once, and its check returned a promise'));
    expect(error).toBeInstanceOf(TypeError);
  });

  it('a promise that rejects ends the request, not the process', async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', listen);
    expect((await judgedBy(async () => throwing(new Error('x'))())).error).toBeInstanceOf(TypeError);
    await new Promise(setImmediate);
    process.off('unhandledRejection', listen);
    expect(unhandled).toEqual([]);
  });
});

describe('a guard to which no principal comes', () => {
  it('with no gate before it: 500 with a sentence for the developer, and its check is not asked', async () => {
    const { error, passed } = await pass(bearing('abc'), guardThat(throwing(new Error('asked'))));
    expect(passed).toBe(false);
    expect(error).toEqual(new Error('keyward: rule needs a requireBearer before it on this route, and none ran'));
    expect(error).not.toHaveProperty('status');
  });

  it('behind an optional gate to which nothing was presented: 401 and the bare challenge', async () => {
    const optional = requireBearer({ accept: [admitting(principal)], realm: 'pay', optional: true });
    const { error, res } = await pass(requestOf(), optional, guardThat(throwing(new Error('asked'))));
    expect(error).toMatchObject({ code: 'credential_missing', status: 401 });
    expect(res.getHeader('www-authenticate')).toBe('Bearer realm="pay"');
    expect(refusals()).toMatchObject([{ by: 'rule', code: 'credential_missing', reason: 'nothing_presented' }]);
  });
});
