import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  apiKeys,
  BearerError,
  type CredentialVerifier,
  type LookUpFailure,
  type Principal,
  requireBearer,
} from 'keyward';
import { askVerifiers, recallerOf, recallPrincipal } from '../../lib/express/ask-verifiers.js';
import { PresentedCredential } from '../../lib/verify/presented-credential.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { bearing, pass } from '../support/passage.js';
import { keyPrincipal, tokenPrincipal } from '../support/principals.js';
import { admitting, answering, DECLINING } from '../support/stub-verifier.js';

const CREDENTIAL = 'a-credential-that-nobody-may-see';
const ask = (...accept: CredentialVerifier[]) => askVerifiers(accept, new PresentedCredential(CREDENTIAL));
const throwing = (thrown: unknown) => () => {
  throw thrown;
};

let events: Eavesdropper;
beforeEach(() => {
  events = eavesdrop();
});
afterEach(() => events.stop());
const failures = () => events.heard<LookUpFailure>('keyward:look-up-failure');

describe('askVerifiers answers at once where the verifiers do', () => {
  it.each([
    ['accepted', admitting(keyPrincipal())],
    ['refused', answering({ outcome: 'refused', reason: 'no' })],
    ['unavailable', answering({ outcome: 'unavailable', reason: 'down' })],
  ])('%s', (outcome, verifier) => {
    expect(ask(DECLINING, verifier)).toMatchObject({ outcome });
  });
});

describe('askVerifiers says why nobody claimed', () => {
  const declining = (reason?: string) => answering({ outcome: 'declined', reason });
  it.each([
    ['the last reason that was given', [declining('first'), declining('second'), declining()], 'second'],
    ['a reason given by the last', [declining(), declining('last')], 'last'],
    ['where none was given', [declining()], 'unclaimed'],
  ])('%s', (_name, accept, reason) => {
    expect(ask(...accept)).toEqual({ outcome: 'refused', reason });
  });

  it('likewise where the answers come later', async () => {
    const later = (reason: string): CredentialVerifier => ({ verify: async () => ({ outcome: 'declined', reason }) });
    expect(await ask(later('first'), later('second'))).toEqual({ outcome: 'refused', reason: 'second' });
  });
});

const UNAVAILABLE = { outcome: 'unavailable', reason: 'verifier_threw' };
const withThen = (object: object, then: unknown) => Object.defineProperty(object, 'then', { value: then });
const thenable = (then: unknown) => withThen({}, then);

describe('a verifier that breaks the contract makes the credential unavailable, and the next one is not asked', () => {
  it.each<[string, CredentialVerifier['verify'] | (() => unknown)]>([
    ['throws', throwing(new Error('x'))],
    ['throws undefined', throwing(undefined)],
    ['throws a text', throwing('x')],
    ['rejects', () => Promise.reject(new Error('x'))],
    ['rejects with undefined', () => Promise.reject()],
    ['returns undefined', () => undefined],
    ['returns null', () => null],
    ['returns true', () => true],
    ['returns a text', () => 'accepted'],
    ['returns a list', () => []],
    ['returns an empty object', () => ({})],
    ['returns an outcome that is none', () => ({ outcome: 'admin' })],
    ['returns an outcome named as a method of Object', () => ({ outcome: 'constructor' })],
    ['resolves to nothing', async () => undefined],
    ['resolves to an outcome that is none', async () => ({ outcome: true })],
    ['accepts nobody', () => ({ outcome: 'accepted' })],
    ['accepts null', () => ({ outcome: 'accepted', principal: null })],
    ['accepts a text', () => ({ outcome: 'accepted', principal: 'root' })],
    ['returns an object whose then throws', () => thenable(throwing(new Error('x')))],
    ['returns an object whose then cannot be read', () => Object.defineProperty({}, 'then', { get: throwing('x') })],
    ['returns a promise whose then throws', () => withThen(Promise.resolve(), throwing('x'))],
    ['returns a revoked Proxy', () => revokedProxy()],
  ])('%s', async (_name, verify) => {
    const verifier = { verify } as CredentialVerifier;
    expect(await ask(verifier, admitting(keyPrincipal()))).toEqual(UNAVAILABLE);
    expect(failures()).toMatchObject([{ of: 'verifier', reason: 'threw' }]);
    const { error } = await pass(bearing(CREDENTIAL), requireBearer({ accept: [verifier] }));
    expect(error).toMatchObject({ code: 'temporarily_unavailable', status: 503 });
  });

  it('an object that resolves as a promise does is one', async () => {
    const outcome = { outcome: 'accepted', principal: keyPrincipal() };
    const once = thenable((resolve: (value: unknown) => void, reject: (error: unknown) => void) => {
      resolve(outcome);
      reject(new Error('too late'));
      resolve({ outcome: 'refused', reason: 'too late' });
    });
    expect(await ask({ verify: () => once as never })).toBe(outcome);
  });

  it('one that never answers holds up nobody else', async () => {
    const never: CredentialVerifier = { verify: () => thenable(() => {}) as never };
    const gate = requireBearer({ accept: [{ verify: (c) => (c.reveal() === 'hang' ? never : DECLINING).verify(c) }] });
    let settled = false;
    void pass(bearing('hang'), gate).then(() => {
      settled = true;
    });
    expect((await pass(bearing('abc'), gate)).error).toBeInstanceOf(BearerError);
    expect(settled).toBe(false);
  });
});

describe('what a broken verifier did', () => {
  it.each([
    ['an error', new RangeError(`no row for ${CREDENTIAL}`), 'RangeError: no row for [credential]'],
    ['undefined', undefined, 'a thrown undefined'],
    ['a text', CREDENTIAL, 'a thrown string'],
    ['an object', { credential: CREDENTIAL }, 'a thrown object'],
  ])('is told without the credential: %s', (_name, thrown, detail) => {
    expect(ask({ verify: throwing(thrown) })).toEqual(UNAVAILABLE);
    expect(failures()).toEqual([{ of: 'verifier', reason: 'threw', detail }]);
  });

  const accepting = (traits: object) => ({ outcome: 'accepted', principal: { ...keyPrincipal(), ...traits } });
  it.each([
    ['no outcome', { outcome: 'admin' }, 'an outcome that is none'],
    ['a principal of no kind', accepting({ kind: 'admin' }), 'a principal of another kind'],
    [
      'a principal whose apis are a text',
      accepting({ apis: 'payments' }),
      "a principal whose apis, scopes or channels are neither 'all' nor a list",
    ],
  ])('is told in words where it answers %s', (_name, answer, detail) => {
    ask(answering(answer));
    expect(failures()).toEqual([{ of: 'verifier', reason: 'threw', detail: `TypeError: ${detail}` }]);
  });

  it('is not even put into words while nobody listens', () => {
    events.stop();
    const error = new Error('x');
    let reads = 0;
    Object.defineProperty(error, 'message', { get: () => `read ${++reads} times` });
    expect(ask({ verify: throwing(error) })).toEqual(UNAVAILABLE);
    expect(reads).toBe(0);
  });
});

const UNSOUND: [string, object][] = [
  ['of a kind that there is not', { ...keyPrincipal(), kind: 'admin' }],
  ['whose apis are a text', { ...keyPrincipal(), apis: 'payments' }],
  ['whose scopes are a text', { ...tokenPrincipal(), scopes: 'payments:refund payments' }],
  ['whose channels are a text', { ...keyPrincipal(), channels: 'pc_1' }],
  ['without apis', { ...keyPrincipal(), apis: undefined }],
];

describe('what askVerifiers lets in is a principal', () => {
  it.each(UNSOUND)('none %s', (_name, principal) => {
    expect(ask(admitting(principal as Principal))).toEqual(UNAVAILABLE);
  });

  it('none of a kind that the verifier did not say it brings', () => {
    const kinds = ['access', 'public'] as const;
    expect(ask(admitting(keyPrincipal(), { kinds }))).toEqual(UNAVAILABLE);
    expect(ask(admitting(tokenPrincipal(), { kinds }))).toMatchObject({ outcome: 'accepted' });
  });

  it('none of another kind that a copy of our verifier brings, or one that inherits from it', () => {
    const ours = apiKeys({ resolver: async () => undefined, kinds: ['public'], environment: 'live' });
    const { verify } = admitting(keyPrincipal());
    expect(ask({ ...ours, verify })).toEqual(UNAVAILABLE);
    expect(ask(Object.create(ours, { verify: { value: verify } }))).toEqual(UNAVAILABLE);
  });

  it('one that is not frozen is frozen, its lists too', () => {
    const principal = keyPrincipal({ apis: ['payments'], scopes: ['payments'], channels: ['pc_1'] });
    ask(admitting(principal));
    for (const part of [principal, principal.apis, principal.scopes, principal.channels]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it.each([['apis'], ['scopes'], ['channels']] as const)(
    'one that is frozen, but not its %s, is the same and frozen',
    (list) => {
      const names = ['payments'];
      const principal = Object.freeze(keyPrincipal({ [list]: names }));
      expect(ask(admitting(principal))).toMatchObject({ principal });
      expect(Object.isFrozen(names)).toBe(true);
    },
  );
});

describe('recallPrincipal', () => {
  const remembering = (recall: () => unknown): CredentialVerifier => ({
    ...DECLINING,
    recall: recall as () => undefined,
  });
  const recall = (...recallers: CredentialVerifier[]) =>
    recallPrincipal(recallers.map(recallerOf), new PresentedCredential(CREDENTIAL));
  const known = Object.freeze(keyPrincipal());

  it('brings what the first that remembers does', () => {
    const blank = remembering(() => undefined);
    expect(
      recall(
        blank,
        remembering(() => known),
        remembering(throwing('not asked')),
      ),
    ).toBe(known);
  });

  it('leaves it to the next where one has no memory', () => {
    expect(
      recall(
        DECLINING,
        remembering(() => known),
      ),
    ).toBe(known);
    expect(failures()).toEqual([]);
  });

  it('null is nothing remembered', () => {
    expect(recall(remembering(() => null))).toBeUndefined();
    expect(
      recall(
        remembering(() => null),
        remembering(() => known),
      ),
    ).toBe(known);
    expect(failures()).toEqual([]);
  });

  it.each([
    ...UNSOUND.map(([name, principal]): [string, () => unknown] => [`brings one ${name}`, () => principal]),
    ['brings a promise', async () => known],
    ['brings true', () => true],
    ['throws', throwing(new Error('x'))],
  ])('where one %s nothing counts as remembered, of those behind it neither', (_name, broken) => {
    expect(
      recall(
        remembering(broken),
        remembering(() => known),
      ),
    ).toBeUndefined();
    expect(failures()).toHaveLength(1);
  });

  it('a principal of another kind than the verifier brings is none', () => {
    expect(recall({ ...remembering(() => known), kinds: ['access'] })).toBeUndefined();
  });

  it('what is remembered by mistake lets nobody in: the verifiers decide', async () => {
    const accept = [remembering(async () => known)];
    expect((await pass(bearing('abc'), requireBearer({ accept }))).error).toMatchObject({ code: 'invalid_token' });
  });

  it('freezes what is not', () => {
    const principal = keyPrincipal();
    expect(Object.isFrozen(recall(remembering(() => principal)))).toBe(true);
  });
});

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
