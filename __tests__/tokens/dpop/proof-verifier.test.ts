import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { memoryReplayCache, type ReplayCache } from 'keyward';
import { replayId } from '../../../lib/contracts/replay-cache.js';
import type { CredentialRequest } from '../../../lib/http/presented-credential.js';
import { Nonces } from '../../../lib/tokens/dpop/nonces.js';
import { type ExpectedBinding, type ProofRules, ProofVerifier } from '../../../lib/tokens/dpop/proof-verifier.js';
import { athOf, createDpopClient, type DpopClient, ORIGIN } from '../../support/dpop-client.js';
import { createManualClock, type ManualClock } from '../../support/manual-clock.js';
import { createKey, type Members, NOW, signedBy, signInput } from '../../support/token-forge.js';

const TOKEN = 'token';
const ALGORITHMS = ['ES256', 'ES384'];
const SECOND = 1_000;

let client: DpopClient;
let clock: ManualClock;
beforeEach(async () => {
  client = await createDpopClient(createKey('ES256'));
  clock = createManualClock();
});

const verifierOf = (rules: Partial<ProofRules> = {}) =>
  new ProofVerifier({
    ...{ origins: [ORIGIN], algorithms: ALGORITHMS, maxAge: 60, nonces: undefined, clock },
    ...{ replay: memoryReplayCache({ clock }), replayIdOf: replayId },
    ...rules,
  });

const boundTo = (members: Partial<ExpectedBinding> = {}): ExpectedBinding => ({
  ...{ tokenHash: athOf(TOKEN), thumbprint: client.thumbprint },
  ...members,
});

const request = (dpop: string, members: CredentialRequest = {}): CredentialRequest => ({
  ...{ method: 'GET', originalUrl: '/', headers: { dpop } },
  ...members,
});

const verify = (proof: string, members: CredentialRequest = {}, verifier = verifierOf()) =>
  verifier.verify(request(proof, members), boundTo());

const refused = (reason: string, code = 'invalid_dpop_proof', nonce: unknown = undefined) => ({
  ...{ outcome: 'refused', reason, code, nonce },
});
const proven = (nonce?: string) => ({ outcome: 'proven', thumbprint: client.thumbprint, nonce });

describe('the field of a proof', () => {
  it.each<[string, CredentialRequest, string]>([
    ['no fields', {}, 'dpop_missing'],
    ['no field', { headers: {} }, 'dpop_missing'],
    ['an empty field', { headers: { dpop: '' } }, 'dpop_missing'],
    ['a list', { headers: { dpop: ['a.b.c'] } }, 'dpop_malformed'],
    ['no JWS', { headers: { dpop: 'x' } }, 'dpop_malformed'],
  ])('%s is refused', (_name, members, reason) => {
    expect(verifierOf().verify({ method: 'GET', url: '/', ...members }, boundTo())).toEqual(refused(reason));
  });

  it('may have 8,192 characters', () => {
    const lengthWith = (fill: number) => client.proof(TOKEN, { fill: 'x'.repeat(fill) }).length;
    let fill = 5_000;
    while (lengthWith(fill) < 8_192) fill += 1;
    const [longest, longer] = [fill, fill + 1].map((length) => client.proof(TOKEN, { fill: 'x'.repeat(length) }));
    expect([longest?.length, (longer?.length ?? 0) > 8_192]).toEqual([8_192, true]);
    expect(verify(String(longest))).toEqual(proven());
    expect(verify(String(longer))).toEqual(refused('dpop_malformed'));
  });
});

describe('the header of a proof', () => {
  it.each<[string, Members, string]>([
    ['another typ', { typ: 'jwt' }, 'dpop_typ'],
    ['a typ that is a list', { typ: ['dpop+jwt'] }, 'dpop_typ'],
    ['an algorithm that is not in the list', { alg: 'RS256' }, 'dpop_alg'],
    ['an algorithm that is a list', { alg: ['ES256'] }, 'dpop_alg'],
    ['no jwk', { jwk: undefined }, 'dpop_jwk'],
    ['crit', { crit: ['exp'] }, 'dpop_header_member'],
    ['b64', { b64: true }, 'dpop_header_member'],
    ['zip', { zip: 'DEF' }, 'dpop_header_member'],
    ['jku', { jku: 'https://client.test' }, 'dpop_header_member'],
    ['x5u', { x5u: 'https://client.test' }, 'dpop_header_member'],
    ['x5c', { x5c: [] }, 'dpop_header_member'],
  ])('with %s is refused', (_name, members, reason) => {
    const proof = client.proof(TOKEN, {}, members);
    const verifier = verifierOf();
    // The second time, the header comes from the cache.
    expect([verify(proof, {}, verifier), verify(proof, {}, verifier)]).toEqual([refused(reason), refused(reason)]);
  });

  it.each(['DPOP+JWT', 'application/dpop+jwt', 'Application/DPoP+JWT'])('may have the typ %s', (typ) => {
    expect(verify(client.proof(TOKEN, {}, { typ }))).toEqual(proven());
  });
});

describe('a proof with ES384, whose signature takes time', () => {
  it('is refused if it has become too old meanwhile', async () => {
    client = await createDpopClient(createKey('ES256'), 'ES384');
    const verifier = verifierOf();
    const proof = client.proof(TOKEN);
    clock.advance(60 * SECOND);
    expect(await verify(proof, {}, verifier)).toEqual(proven());
    const again = verify(proof, {}, verifier);
    clock.advance(11 * SECOND);
    expect(await again).toEqual(refused('dpop_iat'));
  });
});

describe('the URL of a proof', () => {
  const at = (htu: unknown, members: CredentialRequest, origins: readonly string[] = [ORIGIN]) =>
    verify(client.proof(TOKEN, { htu }), { originalUrl: undefined, ...members }, verifierOf({ origins }));

  it.each<[string, unknown, CredentialRequest]>([
    ['the target as it was sent', `${ORIGIN}/v1/7`, { originalUrl: '/v1/7?a=b', url: '/7' }],
    ['the target of a server without Express', `${ORIGIN}/v1/7`, { url: '/v1/7?a=b' }],
    ['the same target in another form', 'HTTPS://API.test:443/%7Ea?b', { url: '/~a' }],
    ['the path of a target with a host', `${ORIGIN}/v1`, { url: 'http://evil.test/v1' }],
    ['the root of a target with a host, but no path', `${ORIGIN}/`, { url: 'http://api.test?a' }],
    ['one of several origins', 'https://other.test/v1', { url: '/v1' }],
    ['the very target, although it is no URI', `${ORIGIN}/a\\b`, { url: '/a\\b?c' }],
    ['one of several origins in another form', 'https://OTHER.test/v1', { url: '/v1' }],
  ])('%s is accepted', (_name, htu, members) => {
    expect(at(htu, members, [ORIGIN, 'https://other.test'])).toEqual(proven());
  });

  it.each<[string, unknown, CredentialRequest]>([
    ['the rest of the target after a router', `${ORIGIN}/7`, { originalUrl: '/v1/7', url: '/7' }],
    ['another path', `${ORIGIN}/v2`, { url: '/v1' }],
    ['another path of the same length', `${ORIGIN}/v2`, { url: '/v1' }],
    ['another origin', 'https://other.test/v1', { url: '/v1' }],
    ['no target', `${ORIGIN}/`, {}],
    ['a target without a path', `${ORIGIN}*`, { url: '*' }],
    ['an empty target', ORIGIN, { url: '' }],
    ['no string', 7, { url: '/' }],
    ['nothing', undefined, { url: '/' }],
  ])('%s is refused', (_name, htu, members) => {
    expect(at(htu, members)).toEqual(refused('dpop_htu'));
  });
});

describe('the claims of a proof', () => {
  it.each<[string, Members, string | undefined]>([
    ['another method', { htm: 'POST' }, 'dpop_htm'],
    ['iat of 60 seconds ago', { iat: NOW - 60 }, undefined],
    ['iat of more than 60 seconds ago', { iat: NOW - 60.001 }, 'dpop_iat'],
    ['iat in 5 seconds', { iat: NOW + 5 }, undefined],
    ['iat in more than 5 seconds', { iat: NOW + 5.001 }, 'dpop_iat'],
    ['iat as a string', { iat: String(NOW) }, 'dpop_iat'],
    ['no jti', { jti: undefined }, 'dpop_jti'],
    ['an empty jti', { jti: '' }, 'dpop_jti'],
    ['a jti that is a list', { jti: ['x'] }, 'dpop_jti'],
    ['a jti of 256 characters', { jti: 'x'.repeat(256) }, undefined],
    ['a jti of 257 characters', { jti: 'x'.repeat(257) }, 'dpop_jti'],
    ['the hash of another token', { ath: athOf('other') }, 'dpop_ath'],
    ['no hash of a token', { ath: undefined }, 'dpop_ath'],
  ])('%s', (_name, members, reason) => {
    expect(verify(client.proof(TOKEN, members))).toEqual(reason === undefined ? proven() : refused(reason));
  });

  it('need no hash where there is no token yet', () => {
    const proof = client.proof(TOKEN, { ath: undefined });
    expect(verifierOf().verify(request(proof), boundTo({ tokenHash: undefined }))).toEqual(proven());
  });
});

describe('the key of a proof', () => {
  it('must be the key of the token', async () => {
    const { thumbprint } = await createDpopClient(createKey('ES256'));
    expect(verifierOf().verify(request(client.proof(TOKEN)), boundTo({ thumbprint }))).toEqual(
      refused('dpop_thumbprint', 'invalid_token'),
    );
  });

  it('may be any key where there is no token yet', () => {
    expect(verifierOf().verify(request(client.proof(TOKEN)), boundTo({ thumbprint: undefined }))).toEqual(proven());
  });

  it('must be on its curve', () => {
    const jwk = { ...client.jwk, x: client.jwk.y };
    const proof = client.proof(TOKEN, {}, { jwk });
    expect(verifierOf().verify(request(proof), boundTo({ thumbprint: undefined }))).toEqual(refused('dpop_jwk'));
  });

  it.each([
    ['ES256', false],
    ['ES384', true],
  ])('must have signed it: %s, asynchronous %s', async (alg, isAsynchronous) => {
    client = await createDpopClient(createKey('ES256'), alg);
    const good = client.proof(TOKEN);
    const forged = signInput(good.slice(0, good.lastIndexOf('.')), signedBy(createKey(alg)));
    const results = [verify(good), verify(forged)];
    expect(results.map((result) => result instanceof Promise)).toEqual([isAsynchronous, isAsynchronous]);
    expect(await Promise.all(results)).toEqual([proven(), refused('dpop_signature')]);
  });
});

describe('the nonce of a proof', () => {
  const SECRET = 'a secret, which is long enough for the HMAC';
  const noncesOf = () => new Nonces({ secrets: [SECRET], maxAge: 100, clock });

  it('is issued if the proof has none, and the proof is not used up', () => {
    const nonces = noncesOf();
    const verifier = verifierOf({ nonces });
    const without = client.proof(TOKEN, { jti: 'same' });
    expect(verify(without, {}, verifier)).toEqual(refused('dpop_nonce', 'use_dpop_nonce', nonces.issue()));
    expect(verify(client.proof(TOKEN, { jti: 'same', nonce: nonces.issue() }), {}, verifier)).toEqual(proven());
  });

  it('is replaced when it becomes old', () => {
    const nonces = noncesOf();
    const nonce = nonces.issue();
    clock.advance(51 * SECOND);
    const proof = client.proof(TOKEN, { nonce, iat: clock.now() / SECOND });
    expect(verify(proof, {}, verifierOf({ nonces }))).toEqual(proven(nonces.issue()));
  });

  it('does not matter where none is required', () => {
    expect(verify(client.proof(TOKEN, { nonce: 'any' }))).toEqual(proven());
  });
});

describe('the use of a proof', () => {
  const replayOf = (answer: () => unknown) => ({
    firstUse: jest.fn<ReplayCache['firstUse']>(answer as ReplayCache['firstUse']),
  });

  it('is stored for 10 seconds longer than the proof is accepted', () => {
    const replay = replayOf(() => true);
    expect(verify(client.proof(TOKEN, { jti: 'id' }), {}, verifierOf({ replay, maxAge: 20 }))).toEqual(proven());
    expect(replay.firstUse.mock.calls).toEqual([[replayId(client.thumbprint, 'id'), 30]]);
  });

  it.each<[string, () => unknown, object]>([
    ['a used id', () => false, refused('dpop_replayed')],
    ['a used id, later', async () => false, refused('dpop_replayed')],
    ['a cache without an answer', () => undefined, { outcome: 'unavailable', reason: 'replay_cache' }],
    ['a cache that rejects', async () => Promise.reject(), { outcome: 'unavailable', reason: 'replay_cache' }],
  ])('%s', async (_name, answer, expected) => {
    const result = await verify(client.proof(TOKEN), {}, verifierOf({ replay: replayOf(answer) }));
    expect(result).toEqual(expected);
  });

  it('is accepted later if the cache answers later', async () => {
    const result = verify(client.proof(TOKEN), {}, verifierOf({ replay: replayOf(async () => true) }));
    expect(result).toBeInstanceOf(Promise);
    expect(await result).toEqual(proven());
  });

  it('counts once, also with another signature', () => {
    const verifier = verifierOf();
    const proofs = [client.proof(TOKEN, { jti: 'same' }), client.proof(TOKEN, { jti: 'same' })];
    expect(proofs.map((proof) => verify(proof, {}, verifier))).toEqual([proven(), refused('dpop_replayed')]);
  });

  it('does not count for a proof that is refused', () => {
    const replay = replayOf(() => true);
    verify(client.proof(TOKEN, { htm: 'POST' }), {}, verifierOf({ replay }));
    const good = client.proof(TOKEN);
    verify(signInput(good.slice(0, good.lastIndexOf('.')), signedBy(createKey('ES256'))), {}, verifierOf({ replay }));
    expect(replay.firstUse).not.toHaveBeenCalled();
  });
});

it('reads the key of a header once, for all proofs of a client', () => {
  const verifier = verifierOf();
  const hasOwn = jest.spyOn(Object, 'hasOwn');
  const readsOf = () => {
    hasOwn.mockClear();
    expect(verify(client.proof(TOKEN), {}, verifier)).toEqual(proven());
    return hasOwn.mock.calls.filter(([object]) => 'kty' in object).length;
  };
  expect([readsOf() > 0, readsOf()]).toEqual([true, 0]);
  hasOwn.mockRestore();
});
