import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type CredentialVerifier, type Decision, type Principal, requireApi, requireBearer } from 'keyward';
import { reportDecision } from '../../../lib/express/gate/report-decision.js';
import { type Eavesdropper, eavesdrop } from '../../support/eavesdrop.js';
import { bearing, pass, type RequestParts, requestOf } from '../../support/passage.js';
import { keyPrincipal, tokenPrincipal } from '../../support/principals.js';
import { acceptingVerifier, answering } from '../../support/stub-verifier.js';

let events: Eavesdropper;
beforeEach(() => {
  events = eavesdrop();
});
afterEach(() => events.stop());

const FROM = { method: 'POST', url: '/payments?token=abc' };
const NOBODY = { kind: undefined, keyId: undefined, account: undefined, fingerprint: undefined };
const KEY = { ...NOBODY, kind: 'secret', keyId: 'key_1', account: 'acc_1' };
const AT = { method: 'POST', path: '/payments' };
const PASSED = { code: undefined, reason: undefined };
const DIGEST_OF_ABC = 'ba7816bf';

const heard = () => events.heard<Decision>('keyward:decision');
const decide = (verifier: CredentialVerifier, parts: RequestParts = FROM) =>
  pass(bearing('abc', parts), requireBearer({ accept: [verifier] }));

describe('the decision of a gate', () => {
  it.each<[string, Principal, object]>([
    ['a key', keyPrincipal(), KEY],
    ['a token', tokenPrincipal({ account: undefined }), { ...NOBODY, kind: 'access', keyId: 'ack_1' }],
  ])('to accept %s', async (_name, principal, who) => {
    await decide(acceptingVerifier(principal));
    expect(heard()).toStrictEqual([{ outcome: 'accepted', by: 'requireBearer', ...PASSED, ...who, ...AT }]);
  });

  it.each([
    ['nothing presented', {}, 'credential_missing', 'nothing_presented'],
    ['malformed', { authorization: 'Bearer a b' }, 'invalid_request', 'malformed'],
  ])('about credentials that it did not verify: %s', async (_name, headers, code, reason) => {
    await pass(requestOf({ ...FROM, headers }), requireBearer({ accept: [acceptingVerifier(keyPrincipal())] }));
    expect(heard()).toStrictEqual([{ outcome: 'refused', by: 'requireBearer', code, reason, ...NOBODY, ...AT }]);
  });

  it.each([
    ['http://user:secret@api.test/payments?a', '/payments'],
    ['/payments#access_token=secret', '/payments'],
    ['http://api.test', '/'],
  ])('about a request for %s: the path alone', async (url, path) => {
    await decide(acceptingVerifier(keyPrincipal()), { ...FROM, url });
    expect(heard()).toEqual([expect.objectContaining({ path })]);
  });

  it('to refuse an unknown credential: eight digits of its digest', async () => {
    await decide(answering({ outcome: 'refused', reason: 'unknown' }));
    const common = { code: 'invalid_token', reason: 'unknown', ...NOBODY, fingerprint: DIGEST_OF_ABC };
    expect(heard()).toStrictEqual([{ outcome: 'refused', by: 'requireBearer', ...common, ...AT }]);
  });

  it('to refuse a known credential: its id, without a digest', async () => {
    await decide(answering({ outcome: 'refused', reason: 'revoked', keyId: 'key_2' }));
    const common = { code: 'invalid_token', reason: 'revoked', ...NOBODY, keyId: 'key_2' };
    expect(heard()).toStrictEqual([{ outcome: 'refused', by: 'requireBearer', ...common, ...AT }]);
  });

  it('during an outage: unavailable', async () => {
    await decide(answering({ outcome: 'unavailable', reason: 'down' }));
    const common = { code: 'temporarily_unavailable', reason: 'down', ...NOBODY };
    expect(heard()).toStrictEqual([{ outcome: 'unavailable', by: 'requireBearer', ...common, ...AT }]);
  });

  it('is not published for an optional gate without a credential', async () => {
    await pass(requestOf(), requireBearer({ accept: [acceptingVerifier(keyPrincipal())], optional: true }));
    expect(heard()).toStrictEqual([]);
  });
});

describe('a secret key from a web page', () => {
  const page = { ...FROM, headers: { origin: 'https://shop.test' } };
  const common = { by: 'requireBearer', reason: 'secret_key_from_browser', ...KEY, ...AT };

  it('is a warning, and accepted', async () => {
    await decide(acceptingVerifier(keyPrincipal()), page);
    expect(heard()).toStrictEqual([
      { outcome: 'warning', code: undefined, ...common },
      { outcome: 'accepted', by: 'requireBearer', ...PASSED, ...KEY, ...AT },
    ]);
  });

  it('is refused by a gate that refuses browsers', async () => {
    const gate = requireBearer({ accept: [acceptingVerifier(keyPrincipal())], browserOrigin: 'refuse' });
    await pass(bearing('abc', page), gate);
    expect(heard()).toStrictEqual([{ outcome: 'refused', code: 'insufficient_scope', ...common }]);
  });

  it.each([
    ['a public key', keyPrincipal({ kind: 'public', apis: [], scopes: [] })],
    ['a token', tokenPrincipal()],
  ])('%s from a web page causes no warning', async (_name, principal) => {
    await decide(acceptingVerifier(principal), page);
    expect(heard().map(({ outcome }) => outcome)).toEqual(['accepted']);
  });
});

describe('an old secret of a rotated key', () => {
  it.each(['secret', 'public'] as const)('is a warning, and accepted: a %s one', async (kind) => {
    await decide(acceptingVerifier(keyPrincipal({ kind, keyAcceptedUntil: 4_000_000_000 })));
    const common = { by: 'requireBearer', code: undefined, ...KEY, kind, ...AT };
    expect(heard()).toStrictEqual([
      { outcome: 'warning', reason: 'key_retiring', ...common },
      { outcome: 'accepted', reason: undefined, ...common },
    ]);
  });
});

describe('the decision of a guard', () => {
  it('to refuse has the principal and the guard', async () => {
    const gate = requireBearer({ accept: [acceptingVerifier(keyPrincipal({ apis: [] }))] });
    await pass(bearing('abc', FROM), gate, requireApi('payments'));
    const common = { by: 'requireApi(payments)', code: 'insufficient_scope', reason: 'api' };
    expect(heard().slice(1)).toEqual([{ outcome: 'refused', ...common, ...KEY, ...AT }]);
  });
});

describe('the path of a decision', () => {
  it.each([
    [
      'as the client wrote it, where a router has cut it',
      { url: '/', originalUrl: '/v1/payments?key=sk' },
      '/v1/payments',
    ],
    ['without its query', { url: '/payments?key=sk?x' }, '/payments'],
    ['empty of nothing but a query', { url: '?key=sk' }, ''],
    ['unknown, where the request has none', { url: undefined }, undefined],
  ])('is %s', (_name, members, path) => {
    const req = requestOf();
    Object.assign(req, members);
    reportDecision(req, { outcome: 'accepted', by: 'test' });
    expect(heard()).toMatchObject([{ path }]);
  });
});

describe('reportDecision', () => {
  it('reads nothing of a request without subscribers', () => {
    events.stop();
    const req = new Proxy(requestOf(), {
      get: () => {
        throw new Error('read');
      },
    });
    expect(() => reportDecision(req, { outcome: 'accepted', by: 'test' })).not.toThrow();
  });
});
