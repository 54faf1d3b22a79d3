import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  apiKeys,
  BearerError,
  type CredentialVerifier,
  createKeyText,
  type KeyRecord,
  type LookupFailure,
  type Principal,
  requireBearer,
} from 'keyward';
import { builtIn, ENTRY, type OutcomeWithEntry } from '../../../lib/contracts/credential-verifier.js';
import { RATE_LIMITS_EXPECTED } from '../../../lib/credentials/rate-limit.js';
import { askVerifiers } from '../../../lib/express/gate/ask-verifiers.js';
import { PresentedCredential } from '../../../lib/http/presented-credential.js';
import { type Eavesdropper, eavesdrop } from '../../support/eavesdrop.js';
import { bearing, pass } from '../../support/passage.js';
import { keyPrincipal, tokenPrincipal } from '../../support/principals.js';
import { acceptingVerifier, answering, DECLINING } from '../../support/stub-verifier.js';

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
const failures = () => events.heard<LookupFailure>('keyward:lookup-failure');

describe('askVerifiers answers synchronously if the verifiers do', () => {
  it.each([
    ['accepted', acceptingVerifier(keyPrincipal())],
    ['refused', answering({ outcome: 'refused', reason: 'no' })],
    ['unavailable', answering({ outcome: 'unavailable', reason: 'down' })],
  ])('%s', (outcome, verifier) => {
    expect(ask(DECLINING, verifier)).toMatchObject({ outcome });
  });
});

describe('askVerifiers says why no verifier claimed a credential', () => {
  const declining = (reason?: string) => answering({ outcome: 'declined', reason });
  it.each([
    ['the last reason that was given', [declining('first'), declining('second'), declining()], 'second'],
    ['a reason given by the last', [declining(), declining('last')], 'last'],
    ['where none was given', [declining()], 'unclaimed'],
    [
      'more than that the kind is not accepted, in any order',
      [declining('other_environment'), declining('kind_not_accepted')],
      'other_environment',
    ],
    ['the same the other way round', [declining('kind_not_accepted'), declining('token_iss')], 'token_iss'],
    ['that the kind is not accepted, if it is all', [declining(), declining('kind_not_accepted')], 'kind_not_accepted'],
  ])('%s', (_name, accept, reason) => {
    expect(ask(...accept)).toEqual({ outcome: 'refused', reason });
  });

  it('the same with asynchronous answers', async () => {
    const later = (reason: string): CredentialVerifier => ({ verify: async () => ({ outcome: 'declined', reason }) });
    expect(await ask(later('first'), later('second'))).toEqual({ outcome: 'refused', reason: 'second' });
    expect(await ask(later('first'), later('kind_not_accepted'))).toEqual({ outcome: 'refused', reason: 'first' });
  });
});

describe('askVerifiers does not give a declined key to the verifier that claims the rest', () => {
  const declining = (reason: string) => answering({ outcome: 'declined', reason });
  const decliningLater = (reason: string): CredentialVerifier => ({
    verify: async () => ({ outcome: 'declined', reason }),
  });
  const rest = () => acceptingVerifier(tokenPrincipal(), { claimsRest: true });

  describe.each(['kind_not_accepted', 'other_environment'])('if it was declined as %s', (reason) => {
    it.each([
      ['synchronously', declining(reason)],
      ['asynchronously', decliningLater(reason)],
    ])('%s', async (_name, keys) => {
      expect(await ask(keys, rest())).toEqual({ outcome: 'refused', reason });
    });
  });

  it.each([
    ['after another reason', [declining('other'), declining('kind_not_accepted')], 'other'],
    ['before another reason', [declining('other_environment'), declining('other')], 'other'],
    ['before an asynchronous reason', [declining('other_environment'), decliningLater('other')], 'other'],
    ['asynchronously before another reason', [decliningLater('other_environment'), declining('other')], 'other'],
  ])('%s', async (_name, accept, reason) => {
    expect(await ask(...accept, rest())).toEqual({ outcome: 'refused', reason });
  });

  it('but to the other verifiers, and after any other reason', async () => {
    const accepting = acceptingVerifier(tokenPrincipal());
    expect(await ask(declining('kind_not_accepted'), accepting)).toMatchObject({ outcome: 'accepted' });
    expect(await ask(declining('token_iss'), DECLINING, rest())).toMatchObject({ outcome: 'accepted' });
    expect(await ask(decliningLater('token_iss'), rest())).toMatchObject({ outcome: 'accepted' });
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
    expect(await ask(verifier, acceptingVerifier(keyPrincipal()))).toEqual(UNAVAILABLE);
    expect(failures()).toMatchObject([{ of: 'verifier', reason: 'threw' }]);
    const { error } = await pass(bearing(CREDENTIAL), requireBearer({ accept: [verifier] }));
    expect(error).toMatchObject({ code: 'temporarily_unavailable', status: 503 });
  });

  it('a thenable is treated as a promise', async () => {
    const outcome = { outcome: 'accepted', principal: keyPrincipal() };
    const once = thenable((resolve: (value: unknown) => void, reject: (error: unknown) => void) => {
      resolve(outcome);
      reject(new Error('too late'));
      resolve({ outcome: 'refused', reason: 'too late' });
    });
    expect(await ask({ verify: () => once as never })).toEqual(outcome);
  });

  it('one that never answers does not block other requests', async () => {
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

describe('the fault of a broken verifier', () => {
  it.each([
    ['an error', new RangeError(`no row for ${CREDENTIAL}`), 'RangeError'],
    ['undefined', undefined, 'a thrown value of type undefined'],
    ['a text', CREDENTIAL, 'a thrown value of type string'],
    ['an object', { credential: CREDENTIAL }, 'a thrown value of type object'],
  ])('is reported without the credential: %s', (_name, thrown, detail) => {
    expect(ask({ verify: throwing(thrown) })).toEqual(UNAVAILABLE);
    expect(failures()).toEqual([{ of: 'verifier', reason: 'threw', detail, where: expect.any(Array) }]);
  });

  const accepting = (traits: object) => ({ outcome: 'accepted', principal: { ...keyPrincipal(), ...traits } });
  it.each([
    [
      'no outcome',
      { outcome: 'admin' },
      'the verifier returned a value with an invalid "outcome" property; expected "accepted", "declined", "refused" or "unavailable"',
    ],
    [
      'a principal of no kind',
      accepting({ kind: 'admin' }),
      'the verifier returned a principal with an unknown kind, or with a kind that is not in the "kinds" of the verifier',
    ],
    ...[undefined, '', 7].map(
      (keyId) =>
        [
          `a principal with the ID ${JSON.stringify(keyId)}`,
          accepting({ keyId }),
          'the verifier returned a principal whose "keyId" is not a non-empty string',
        ] as [string, unknown, string],
    ),
    [
      'a principal whose apis are a text',
      accepting({ apis: 'payments' }),
      'the verifier returned a principal whose "apis" is neither "all" nor a list',
    ],
    [
      'a principal whose scopes are undefined',
      accepting({ scopes: undefined as never }),
      'the verifier returned a principal whose "scopes" is neither "all" nor a list',
    ],
    [
      'a principal whose channels are a text',
      accepting({ channels: 'pc_1' }),
      'the verifier returned a principal whose "channels" is neither "all" nor a list',
    ],
    [
      'a principal whose listed scopes are a text',
      accepting({ listedScopes: 'keys:manage' }),
      'the verifier returned a principal whose "listedScopes" is not a list',
    ],
    ...['10.0.0.0/8', ['10.0.0.0/8', 'office'], { 0: '10.0.0.0/8' }, null].map(
      (allowedAddresses) =>
        [
          `a principal whose allowedAddresses are ${JSON.stringify(allowedAddresses)}`,
          accepting({ allowedAddresses }),
          'the verifier returned a principal whose "allowedAddresses" is not a list of IP addresses or networks in CIDR notation',
        ] as const,
    ),
    [
      'a principal whose limits are a number',
      accepting({ limits: 100 }),
      `the verifier returned a principal with invalid "limits"; expected ${RATE_LIMITS_EXPECTED}`,
    ],
    [
      'a principal with a confirmation that is none',
      accepting({ confirmation: 'tls' }),
      'the verifier returned a principal with an unknown confirmation method; expected "dpop", "mtls" or undefined',
    ],
    ...[null, { payments: ['payments'] }].map(
      (apiMap) =>
        [
          `a principal whose apiMap is ${JSON.stringify(apiMap)}`,
          accepting({ apiMap }),
          'the verifier returned a principal whose "apiMap" has no method apisOf(); set "apiMap" to a result of the function apiMap()',
        ] as const,
    ),
    [
      'a refusal with a code of another kind',
      { outcome: 'refused', reason: 'no', code: 'insufficient_scope' },
      'the verifier returned a refusal with an unknown code; expected "invalid_token", "invalid_dpop_proof", "use_dpop_nonce" or no code',
    ],
  ])('is described if it answers %s', (_name, answer, detail) => {
    ask(answering(answer));
    expect(failures()).toEqual([{ of: 'verifier', reason: 'threw', detail, where: expect.any(Array) }]);
  });

  it('is not described without subscribers', () => {
    events.stop();
    const error = new Error('x');
    let reads = 0;
    Object.defineProperty(error, 'message', { get: () => `read ${++reads} times` });
    expect(ask({ verify: throwing(error) })).toEqual(UNAVAILABLE);
    expect(reads).toBe(0);
  });
});

describe('the outcome of a custom verifier', () => {
  it.each([undefined, 'invalid_token', 'invalid_dpop_proof', 'use_dpop_nonce'])(
    'may refuse with the code %s',
    (code) => {
      const outcome = { outcome: 'refused', reason: 'no', code };
      expect(ask(answering(outcome))).toEqual(outcome);
    },
  );

  it.each<[string, Principal]>([
    ['no allowed addresses', keyPrincipal({ allowedAddresses: undefined })],
    ['allowed addresses', keyPrincipal({ allowedAddresses: ['10.0.0.0/8', '::1'] })],
    ['limits', keyPrincipal({ limits: [{ requests: 1, seconds: 60 }] })],
    ['listed scopes', keyPrincipal({ listedScopes: ['keys:manage'] })],
    ['the confirmation dpop', tokenPrincipal({ confirmation: 'dpop' })],
    ['the confirmation mtls', tokenPrincipal({ confirmation: 'mtls' })],
  ])('may accept a principal with %s', (_name, principal) => {
    expect(ask(acceptingVerifier(principal))).toMatchObject({ outcome: 'accepted', principal });
  });
});

describe('the outcome of a verifier of keyward is not checked again', () => {
  it.each([
    ['at once', false],
    ['later', true],
  ])('if it answers %s', async (_name, isLater) => {
    const principal = keyPrincipal({ apis: ['payments'] });
    const outcome: OutcomeWithEntry = { outcome: 'accepted', principal, [ENTRY]: undefined };
    expect(await ask(builtIn({}, () => (isLater ? Promise.resolve(outcome) : outcome)))).toBe(outcome);
    expect(Object.isFrozen(outcome.principal)).toBe(false);
  });
});

const UNSOUND: [string, object][] = [
  ['of a kind that there is not', { ...keyPrincipal(), kind: 'admin' }],
  ['whose apis are a text', { ...keyPrincipal(), apis: 'payments' }],
  ['whose scopes are a text', { ...tokenPrincipal(), scopes: 'payments:refund payments' }],
  ['whose channels are a text', { ...keyPrincipal(), channels: 'pc_1' }],
  ['whose listed scopes are a text', { ...keyPrincipal(), listedScopes: 'keys:manage' }],
  ['without apis', { ...keyPrincipal(), apis: undefined }],
];

describe('principals that askVerifiers accepts', () => {
  it.each(UNSOUND)('not one %s', (_name, principal) => {
    expect(ask(acceptingVerifier(principal as Principal))).toEqual(UNAVAILABLE);
  });

  it('not one of a kind that the verifier did not name', () => {
    const kinds = ['access', 'public'] as const;
    expect(ask(acceptingVerifier(keyPrincipal(), { kinds }))).toEqual(UNAVAILABLE);
    expect(ask(acceptingVerifier(tokenPrincipal(), { kinds }))).toMatchObject({ outcome: 'accepted' });
  });

  it('not one of another kind from an object that copies or inherits a verifier of keyward', () => {
    const ours = apiKeys({ resolver: async () => undefined, kinds: ['public'], environment: 'live' });
    const { verify } = acceptingVerifier(keyPrincipal());
    expect(ask({ ...ours, verify })).toEqual(UNAVAILABLE);
    expect(ask(Object.create(ours, { verify: { value: verify } }))).toEqual(UNAVAILABLE);
  });

  it('not one of a kind that an object does not name which inherits a verifier of keyward', async () => {
    const record: KeyRecord = { id: 'key_1', kind: 'secret', account: 'acme', environment: 'live', apis: 'all' };
    const ours = apiKeys({ resolver: () => record, kinds: ['secret'], environment: 'live' });
    const narrower = Object.create(ours, { kinds: { value: ['public'] } });
    const credential = () => new PresentedCredential(createKeyText({ kind: 'secret', environment: 'live' }));
    expect(await askVerifiers([ours], credential())).toMatchObject({ outcome: 'accepted' });
    expect(await askVerifiers([narrower], credential())).toEqual(UNAVAILABLE);
  });

  it('only what was checked: each property of an outcome is read once', () => {
    const hostile = (name: string, ...values: unknown[]) => {
      const outcome = { outcome: 'refused', reason: 'no', principal: keyPrincipal() };
      return Object.defineProperty(outcome, name, { get: () => (values.length > 1 ? values.shift() : values[0]) });
    };
    expect(ask(answering(hostile('outcome', 'refused', 'accepted')))).toEqual({ outcome: 'refused', reason: 'no' });
    expect(ask(answering(hostile('code', undefined, 'admin')))).toEqual({ outcome: 'refused', reason: 'no' });
    const throwingUndefined = Object.defineProperty({ outcome: 'unavailable' }, 'retryAfter', {
      get: throwing(undefined),
    });
    expect(ask(answering(throwingUndefined))).toEqual(UNAVAILABLE);
  });

  it('no nonce and no id that is not a string', () => {
    const [nonce, id] = [Symbol('n'), 7];
    const accepted = { outcome: 'accepted', principal: keyPrincipal(), dpopNonce: null };
    expect(ask(answering(accepted))).toMatchObject({ outcome: 'accepted', dpopNonce: undefined });
    const refused = { outcome: 'refused', reason: 'no', dpopNonce: nonce, keyId: id };
    expect(ask(answering(refused))).toEqual({ outcome: 'refused', reason: 'no' });
  });

  it('one that is not frozen becomes frozen, with its lists', () => {
    const principal = keyPrincipal({ apis: ['payments'], scopes: ['payments'], channels: ['pc_1'] });
    ask(acceptingVerifier(principal));
    for (const part of [principal, principal.apis, principal.scopes, principal.channels]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it.each([['apis'], ['scopes'], ['channels']] as const)(
    'one that is frozen, but not its %s, becomes fully frozen',
    (list) => {
      const names = ['payments'];
      const principal = Object.freeze(keyPrincipal({ [list]: names }));
      expect(ask(acceptingVerifier(principal))).toMatchObject({ principal });
      expect(Object.isFrozen(names)).toBe(true);
    },
  );
});

describe('text that is not a b64token', () => {
  it('is refused, if a verifier of keyward refuses it', () => {
    const refused = { outcome: 'refused', reason: 'syntax' } as const;
    expect(askVerifiers([builtIn({}, () => refused)], new PresentedCredential('sk_a b'))).toBe(refused);
  });

  const askFor = (text: string, ...accept: CredentialVerifier[]) => askVerifiers(accept, new PresentedCredential(text));

  it('is malformed, and only verifiers of keyward are asked', () => {
    const ours = apiKeys({ resolver: throwing(new Error('x')), kinds: ['secret'], environment: 'live' });
    expect(askFor('sk_a b', ours)).toEqual({ outcome: 'malformed' });
    expect(askFor('sk_a b', ours, acceptingVerifier(keyPrincipal()))).toEqual({ outcome: 'malformed' });
    expect(askFor('sk_a b', { ...ours, verify: acceptingVerifier(keyPrincipal()).verify })).toEqual({
      outcome: 'malformed',
    });
    expect(failures()).toEqual([]);
  });
});

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
