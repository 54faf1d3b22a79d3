import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Decision, defineGuard, type GuardDefinition, type Principal, requireBearer } from 'keyward';
import { setPrincipal } from '../../../lib/express/gate/request-principal.js';
import { guardMetadataOf } from '../../../lib/express/guards/guard.js';
import { type Eavesdropper, eavesdrop } from '../../support/eavesdrop.js';
import { bearing, pass, requestOf } from '../../support/passage.js';
import { keyPrincipal, tokenPrincipal } from '../../support/principals.js';
import { acceptingVerifier, DECLINING } from '../../support/stub-verifier.js';

const principal = keyPrincipal();
const gate = requireBearer({ accept: [acceptingVerifier(principal)], realm: 'pay' });
const guardThat = (check: unknown) => defineGuard({ name: 'rule', check: check as GuardDefinition['check'] });
const judgedBy = (check: unknown) => pass(bearing('abc'), gate, guardThat(check));
const throwing = (thrown: unknown) => () => {
  throw thrown;
};

const CHALLENGE =
  'Bearer realm="pay", error="insufficient_scope", error_description="The credential does not give access to this resource"';

let events: Eavesdropper;
beforeEach(() => {
  events = eavesdrop();
});
afterEach(() => events.stop());
const refusals = () => events.heard<Decision>().filter(({ outcome }) => outcome === 'refused');

describe('defineGuard', () => {
  const check = () => true;

  it.each([
    ['no definition', undefined, 'defineGuard: expected an options object, got undefined'],
    ['no name', { check }, 'defineGuard: option "name" must be a non-empty string, got undefined'],
    [
      'an empty name',
      { name: '', check },
      'defineGuard: option "name" must be a non-empty string, got an empty string',
    ],
    ['no check', { name: 'rule' }, 'defineGuard: option "check" must be a function, got undefined'],
    [
      'a check that is none',
      { name: 'rule', check: true },
      'defineGuard: option "check" must be a function, got a boolean',
    ],
    ['no kinds', { name: 'rule', check, kinds: [] }, 'defineGuard: option "kinds": expected one or more values'],
    [
      'kinds of null',
      { name: 'rule', check, kinds: null },
      "defineGuard: option \"kinds\" must be a list of one or more of 'secret', 'public' and 'access', got null",
    ],
    [
      'an unknown kind',
      { name: 'rule', check, kinds: ['secret', 'admin'] },
      "defineGuard: option \"kinds\": each value must be 'secret', 'public' or 'access', got an invalid string",
    ],
    [
      'an unknown option',
      { name: 'rule', check, scope: [] },
      'defineGuard: unknown option "scope"; the options are name, check, kinds, scopes, scopesOf',
    ],
    [
      'scopes that are none',
      { name: 'rule', check, scopes: [] },
      'defineGuard: option "scopes" must be a list of one or more scopes that consist of ASCII characters other than spaces, double quotes and backslashes (RFC 6749 section 3.3), got an empty array',
    ],
    [
      'two scopes, one of them with a space',
      { name: 'rule', check, scopes: ['payments', 'a b'] },
      'defineGuard: option "scopes" must be a list of one or more scopes that consist of ASCII characters other than spaces, double quotes and backslashes (RFC 6749 section 3.3), got an invalid list',
    ],
  ])('throws at start: %s', (_name, definition, message) => {
    expect(() => defineGuard(definition as GuardDefinition)).toThrow(TypeError);
    expect(() => defineGuard(definition as GuardDefinition)).toThrow(new TypeError(message));
  });

  it('makes a function with its name, a mark and its check, which can be extended', () => {
    const guard = defineGuard({ name: 'rule', check, kinds: ['secret'] });
    expect([guard.name, guard.check, Object.isExtensible(guard)]).toEqual(['rule', check, true]);
    expect(guardMetadataOf(guard)).toEqual({ name: 'rule', kinds: ['secret'] });
    expect(Object.isFrozen(guardMetadataOf(guard))).toBe(true);
    expect(guardMetadataOf(defineGuard({ name: 'rule', check }))).toEqual({ name: 'rule', kinds: undefined });
  });
});

describe('guardMetadataOf does not accept as a guard', () => {
  it('a wrapper with copied properties', () => {
    const wrapper = Object.assign(
      () => {},
      guardThat(() => true),
    );
    expect(guardMetadataOf(wrapper)).toBeUndefined();
  });
});

describe('guardMetadataOf finds none on', () => {
  it.each([
    ['undefined', undefined],
    ['null', null],
    ['an object', {}],
    ['a function', () => {}],
  ])('%s', (_name, handle) => {
    expect(guardMetadataOf(handle)).toBeUndefined();
  });
});

describe('a guard behind a gate', () => {
  it('passes the principal and the request to its check', async () => {
    const seen: unknown[] = [];
    const { req } = await judgedBy((...shown: unknown[]) => {
      seen.push(...shown);
      return true;
    });
    expect(seen).toEqual([principal, req]);
    expect(seen[0]).toBe(principal);
    expect(seen[1]).toBe(req);
  });

  it('lets a request pass if its check returns true, without an event', async () => {
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
  ])('refuses with 403 if its check returns %s', async (_name, verdict) => {
    const { error, res } = await judgedBy(() => verdict);
    expect(error).toMatchObject({ code: 'insufficient_scope', status: 403, scopes: undefined });
    expect(res.getHeader('www-authenticate')).toBe(CHALLENGE);
    expect(refusals()).toMatchObject([{ by: 'rule', code: 'insufficient_scope', reason: 'guard', keyId: 'key_1' }]);
  });

  it('names the scopes of a refusal in the challenge, and the reason only in the event', async () => {
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
  ])('accepts as scopes of a refusal no %s', async (_name, scopes) => {
    const { error } = await judgedBy(() => ({ scopes }));
    const message =
      'keyward: rule returned invalid scopes; expected a list of one or more scopes that consist of ASCII characters other than spaces, double quotes and backslashes (RFC 6749 section 3.3)';
    expect(error).toEqual(new TypeError(message));
    expect(error).toBeInstanceOf(TypeError);
    expect(refusals()).toEqual([]);
  });

  it.each([
    ['an unknown method', ['bearer'], "keyward: rule: each value must be 'dpop' or 'mtls', got an invalid string"],
    ['no method', [], 'keyward: rule: expected one or more values'],
  ])('accepts as confirmation of a refusal no %s', async (_name, confirmation, message) => {
    expect((await judgedBy(() => ({ confirmation }))).error).toEqual(new TypeError(message));
  });

  it('accepts no authenticationContext that requires nothing', async () => {
    const message =
      'keyward: rule returned an invalid authenticationContext; expected "acr" (a list of strings that consist of ASCII characters other than spaces, double quotes and backslashes), "maxAge" (whole seconds, at least 1) or both';
    expect((await judgedBy(() => ({ authenticationContext: {} }))).error).toEqual(new TypeError(message));
  });

  it.each(['Bearer', 'DPoP'] as const)(
    'names the error in the challenge of the scheme %s, if it was presented',
    async (scheme) => {
      const confirmation = { dpop: { algorithms: ['ES256'], required: false } };
      const presented = scheme === 'DPoP' ? tokenPrincipal({ confirmation: 'dpop' }) : tokenPrincipal();
      const both = requireBearer({ accept: [acceptingVerifier(presented, { confirmation })], realm: 'pay' });
      const req = requestOf({ headers: { authorization: `${scheme} abc` } });
      const { res } = await pass(
        req,
        both,
        guardThat(() => false),
      );
      const challenge = CHALLENGE.replace('Bearer', scheme);
      expect(res.getHeader('www-authenticate')).toBe(scheme === 'DPoP' ? `${challenge}, algs="ES256"` : challenge);
    },
  );

  it('passes errors of its check on', async () => {
    const thrown = new RangeError('no such shop');
    expect((await judgedBy(throwing(thrown))).error).toBe(thrown);
    expect(refusals()).toEqual([]);
  });

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['an empty string', ''],
    ["'route'", 'route'],
  ])('does not let a request pass after a thrown %s', async (_name, thrown) => {
    expect((await judgedBy(throwing(thrown))).error).toBeInstanceOf(Error);
  });

  const trap = (thrown: unknown) => ({ get: throwing(thrown) });
  it.each<[string, () => unknown]>([
    ['a verdict', () => new Proxy({}, trap('route'))],
    ['the scopes of a verdict', () => ({ scopes: new Proxy(['payments'], trap('route')) })],
    ['a promise', () => Object.assign(Promise.resolve(true), { catch: throwing('route') })],
  ])('ends the request if the getter %s throws: next("route") would skip the guard', async (_name, judge) => {
    const { passed, error } = await judgedBy(judge);
    expect([passed, error]).toEqual([false, expect.any(Error)]);
    expect(refusals()).toEqual([]);
  });

  it.each([true, false])('ends the request if the principal cannot be read (the check returns %p)', async (verdict) => {
    const principal = Object.defineProperty({ ...keyPrincipal() }, 'confirmation', trap(undefined)) as Principal;
    const req = requestOf();
    setPrincipal(req, requireBearer({ accept: [DECLINING] })['keyward.gate'], principal);
    const { passed, error } = await pass(
      req,
      guardThat(() => verdict),
    );
    expect([passed, error]).toEqual([false, expect.any(Error)]);
  });

  it('reads the scopes of a verdict once, so that the challenge has the checked value', async () => {
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
  ])('refuses a promise of %s', async (_name, check) => {
    const { error } = await judgedBy(check);
    expect(error).toEqual(
      new TypeError('keyward: rule returned a promise from its check; return the result synchronously'),
    );
    expect(error).toBeInstanceOf(TypeError);
  });

  it('a rejected promise ends the request, not the process', async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', listen);
    expect((await judgedBy(async () => throwing(new Error('x'))())).error).toBeInstanceOf(TypeError);
    await new Promise(setImmediate);
    process.off('unhandledRejection', listen);
    expect(unhandled).toEqual([]);
  });
});

describe('a guard without a principal', () => {
  it('without a gate before it: 500 with a message for the developer, and its check is not called', async () => {
    const { error, passed } = await pass(bearing('abc'), guardThat(throwing(new Error('asked'))));
    expect(passed).toBe(false);
    expect(error).toEqual(
      new Error(
        'keyward: rule ran before requireBearer accepted the request; mount requireBearer before rule on this route',
      ),
    );
    expect(error).not.toHaveProperty('status');
  });

  it('behind an optional gate without a credential: 401 and a challenge without an error', async () => {
    const optional = requireBearer({ accept: [acceptingVerifier(principal)], realm: 'pay', optional: true });
    const { error, res } = await pass(requestOf(), optional, guardThat(throwing(new Error('asked'))));
    expect(error).toMatchObject({ code: 'credential_missing', status: 401 });
    expect(res.getHeader('www-authenticate')).toBe('Bearer realm="pay"');
    expect(refusals()).toMatchObject([{ by: 'rule', code: 'credential_missing', reason: 'nothing_presented' }]);
  });
});
