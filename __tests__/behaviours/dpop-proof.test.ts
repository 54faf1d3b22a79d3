import crypto, { createHmac, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { JWK } from 'jose';
import { DP, type DpopApi, serveDpopApi, T1_DPOP } from '../support/dpop-api.js';
import { athOf, createDpopClient, type DpopClient, ORIGIN } from '../support/dpop-client.js';
import {
  assemble,
  createKey,
  forge,
  type Members,
  NOW,
  type Part,
  signedBy,
  signInput,
} from '../support/token-forge.js';
import { modulusOf, weakKeys } from '../support/weak-keys.js';

let api: DpopApi;
let client: DpopClient;
let token: string;

beforeAll(async () => {
  api = await serveDpopApi({ dpop: { origin: [ORIGIN, 'https://API.second.test:8443'] } });
  ({ client } = api);
  token = client.token();
});
afterAll(() => api.close());
afterEach(() => {
  jest.restoreAllMocks();
});

const claims = (members: Members = {}): Members => ({
  ...{ jti: randomUUID(), htm: 'GET', htu: `${ORIGIN}/`, iat: NOW, ath: athOf(token) },
  ...members,
});
const header = (members: Members = {}): Members => ({ typ: 'dpop+jwt', alg: 'ES256', jwk: client.jwk, ...members });
const signed = (head: Part, payload: Part) => assemble(head, payload, signedBy(client.key));

/** How a proof for `GET /` is judged; the answer and the reason. */
async function judge(proof: string, target?: string, method?: string) {
  const { answer, reason } = await api.present(token, proof, target, method);
  return { answer, reason };
}

const refusedFor = (reason: string) => ({ answer: DP, reason });
const ACCEPTED = { answer: { status: 200 }, reason: undefined };

describe('the encoding of a proof', () => {
  const good = () => signed(header(), claims());
  const text = (members: Members) => JSON.stringify(members);
  const cases: [string, () => string][] = [
    ['padding', () => `${good()}=`],
    ['white space inside a segment', () => good().replace('.', '. ')],
    ['four parts', () => `${good()}.x`],
    ['two parts', () => good().split('.').slice(0, 2).join('.')],
    ['a last character with unused bits', () => withUnusedBits(good())],
    ['a duplicate member in the header', () => signed(text(header()).replace('{', '{"alg":"ES256",'), claims())],
    ['a duplicate member in the claims', () => signed(header(), text(claims()).replace('{', '{"htm":"GET",'))],
    ['over 8 KiB', () => signed(header(), claims({ filler: 'x'.repeat(8_192) }))],
  ];

  it.each(cases)('D06 %s: refused without a signature check', async (_name, proofOf) => {
    await api.present(token, good());
    const verify = jest.spyOn(crypto, 'verify');
    expect(await judge(proofOf())).toEqual(refusedFor('dpop_malformed'));
    expect(verify).not.toHaveBeenCalled();
  });

  /** The signature of ES256 has 86 characters for 64 bytes, so its last one has four unused bits. */
  function withUnusedBits(proof: string): string {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    return proof.slice(0, -1) + alphabet[alphabet.indexOf(proof.at(-1) ?? '') + 1];
  }
});

describe('the header of a proof', () => {
  it.each([['DPOP+JWT'], ['application/dpop+jwt']])('D07 typ %s is accepted', async (typ) => {
    expect(await judge(signed(header({ typ }), claims()))).toEqual(ACCEPTED);
  });

  it.each([[undefined], ['jwt'], ['at+jwt'], [1]])('D07 typ %s is refused', async (typ) => {
    expect(await judge(signed(header({ typ }), claims()))).toEqual(refusedFor('dpop_typ'));
  });

  it.each([['none'], ['RS1'], ['ES512'], [undefined]])('D08 alg %s', async (alg) => {
    expect(await judge(signed(header({ alg }), claims()))).toEqual(refusedFor('dpop_alg'));
  });

  it('D08 HS256 with the public key', async () => {
    const secret = client.key.publicKey.export({ type: 'spki', format: 'pem' });
    const signer = (input: string) => createHmac('sha256', secret).update(input).digest();
    expect(await judge(assemble(header({ alg: 'HS256' }), claims(), signer))).toEqual(refusedFor('dpop_alg'));
  });

  it('D08 an algorithm that is not in the list', async () => {
    const strict = await serveDpopApi({ dpop: { algorithms: ['ES384'] } });
    const bound = strict.client.token();
    const { reason } = await strict.present(bound, strict.client.proof(bound));
    await strict.close();
    expect(reason).toBe('dpop_alg');
  });

  it.each([['RS256'], ['ES384'], ['EdDSA']])('D08 alg %s with a P-256 key', async (alg) => {
    expect(await judge(signed(header({ alg }), claims()))).toEqual(refusedFor('dpop_jwk'));
  });

  it.each([['ES256'], ['ES384'], ['EdDSA'], ['Ed25519'], ['PS256'], ['RS256']])('alg %s is accepted', async (alg) => {
    const other = await createDpopClient(api.issuerKey, alg);
    const bound = other.token();
    expect((await api.present(bound, other.proof(bound))).answer).toEqual({ status: 200 });
  });

  const withKey = (jwk: unknown, alg = 'ES256') => signed(header({ alg, jwk }), claims());

  it.each<[string, (jwk: JWK) => unknown]>([
    ['absent', () => undefined],
    ['a text', (jwk) => JSON.stringify(jwk)],
    ['a list', (jwk) => [jwk]],
    ['private', (jwk) => ({ ...jwk, d: jwk.x })],
    ['oct', () => ({ kty: 'oct', k: 'AAAA' })],
    ['off the curve', (jwk) => ({ ...jwk, x: jwk.y })],
    ['with kid', (jwk) => ({ ...jwk, kid: 'mine' })],
    ['with use: enc', (jwk) => ({ ...jwk, use: 'enc' })],
    ['with key_ops: sign', (jwk) => ({ ...jwk, key_ops: ['sign'] })],
    ['with another alg', (jwk) => ({ ...jwk, alg: 'ES384' })],
    ['with a padded coordinate', (jwk) => ({ ...jwk, x: `${jwk.x}=` })],
    ['with a longer coordinate', (jwk) => ({ ...jwk, x: `AA${jwk.x}` })],
    ['without a coordinate', ({ y: _y, ...jwk }) => jwk],
  ])('D09 a jwk that is %s', async (_name, change) => {
    const { answer, reason } = await api.present(token, withKey(change(client.jwk)));
    expect([answer, reason]).toContainEqual(reason === 'dpop_thumbprint' ? T1_DPOP : DP);
    expect(['dpop_jwk', 'dpop_thumbprint']).toContain(reason);
  });

  it('D09 a key off its curve that the token is bound to', async () => {
    const jwk = { kty: 'EC', crv: 'P-256', x: client.jwk.x, y: client.jwk.x } as JWK;
    const { calculateJwkThumbprint } = await import('jose');
    const bound = forge(api.issuerKey, { cnf: { jkt: await calculateJwkThumbprint(jwk) } });
    const proof = signed(header({ jwk }), claims({ ath: athOf(bound) }));
    const { answer, reason } = await api.present(bound, proof);
    expect({ answer, reason }).toEqual(refusedFor('dpop_jwk'));
  });

  it.each(weakKeys)('D09 an RSA key with %s', async (_name, { n, e }) => {
    const jwk: JWK = { kty: 'RSA', n, e } as JWK;
    const { calculateJwkThumbprint } = await import('jose');
    const bound = forge(api.issuerKey, { cnf: { jkt: await calculateJwkThumbprint(jwk) } });
    const proof = signed(header({ alg: 'RS256', jwk }), claims({ ath: athOf(bound) }));
    expect((await api.present(bound, proof)).answer).toEqual(DP);
  });

  // The client chooses its key, and each of its requests verifies a signature: 8,192 bits with a long exponent take 3 ms.
  it.each([
    ['4,096 bits', modulusOf(4_096), 'AQAB', 'dpop_signature'],
    ['4,104 bits', modulusOf(4_104), 'AQAB', 'dpop_jwk'],
    ['e = 65539', modulusOf(2_048), 'AQAD', 'dpop_jwk'],
  ])('an RSA key with %s', async (_name, n, e, expected) => {
    const jwk: JWK = { kty: 'RSA', n, e };
    const { calculateJwkThumbprint } = await import('jose');
    const bound = forge(api.issuerKey, { cnf: { jkt: await calculateJwkThumbprint(jwk) } });
    const proof = assemble(header({ alg: 'RS256', jwk }), claims({ ath: athOf(bound) }), () =>
      Buffer.alloc(n.length * 0.75),
    );
    const { answer, reason } = await api.present(bound, proof);
    expect({ answer, reason }).toEqual(refusedFor(expected));
  });

  it.each([['x5c'], ['jku'], ['x5u']])('D09 a key by %s instead', async (name) => {
    const head = header({ jwk: undefined, [name]: 'https://client.test/key' });
    expect(await judge(signed(head, claims()))).toEqual(refusedFor('dpop_header_member'));
  });

  it('a jwk as WebCrypto exports it is accepted', async () => {
    const jwk = { ...client.jwk, use: 'sig', key_ops: ['verify'], ext: true, alg: 'ES256' };
    expect(await judge(withKey(jwk))).toEqual(ACCEPTED);
  });

  it.each([
    ['crit', ['exp']],
    ['b64', false],
    ['zip', 'DEF'],
  ])('D10 %s', async (name, value) => {
    expect(await judge(signed(header({ [name]: value }), claims()))).toEqual(refusedFor('dpop_header_member'));
  });

  it('a signature of another key', async () => {
    const forged = assemble(header(), claims(), signedBy(createKey('ES256')));
    expect(await judge(forged)).toEqual(refusedFor('dpop_signature'));
  });

  it('a signature of P-384 that is wrong', async () => {
    const other = await createDpopClient(api.issuerKey, 'ES384');
    const bound = other.token();
    const proof = other.proof(bound);
    const broken = signInput(proof.split('.').slice(0, 2).join('.'), signedBy(createKey('ES384')));
    const { answer, reason } = await api.present(bound, broken);
    expect({ answer, reason }).toEqual(refusedFor('dpop_signature'));
  });
});

describe('the claims of a proof', () => {
  it.each([['POST'], ['get'], [undefined], [1]])('D11 htm %s for GET', async (htm) => {
    expect(await judge(signed(header(), claims({ htm })))).toEqual(refusedFor('dpop_htm'));
  });

  it('D11 HEAD that is routed to GET must say HEAD', async () => {
    const answers = [];
    for (const htm of ['GET', 'HEAD']) {
      const { status } = (await api.present(token, signed(header(), claims({ htm })), '/', 'HEAD')).answer;
      answers.push(status);
    }
    expect(answers).toEqual([401, 200]);
  });

  const asked = '/Files/~me/a%2Fb?page=1';
  it.each([
    ['another scheme', 'http://api.test/Files/~me/a%2Fb'],
    ['another host', 'https://evil.test/Files/~me/a%2Fb'],
    ['another port', `${ORIGIN}:444/Files/~me/a%2Fb`],
    ['another path', `${ORIGIN}/Files/~me`],
    ['another case of the path', `${ORIGIN}/files/~me/a%2Fb`],
    ['a trailing slash', `${ORIGIN}/Files/~me/a%2Fb/`],
    ['%2F decoded', `${ORIGIN}/Files/~me/a/b`],
    ['userinfo', 'https://me@api.test/Files/~me/a%2Fb'],
    ['the path alone', '/Files/~me/a%2Fb'],
    ['no text', 7],
    ['nothing', undefined],
  ])('D12 htu with %s is refused', async (_name, htu) => {
    expect(await judge(signed(header(), claims({ htu })), asked)).toEqual(refusedFor('dpop_htu'));
  });

  it.each([
    ['as it is', `${ORIGIN}/Files/~me/a%2Fb`],
    ['the default port written', `${ORIGIN}:443/Files/~me/a%2Fb`],
    ['the host in capitals', 'https://API.TEST/Files/~me/a%2Fb'],
    ['the scheme in capitals', 'HTTPS://api.test/Files/~me/a%2Fb'],
    ['%7E for ~', `${ORIGIN}/Files/%7Eme/a%2Fb`],
    ['%2f for %2F', `${ORIGIN}/Files/~me/a%2fb`],
    ['a query', `${ORIGIN}/Files/~me/a%2Fb?page=2`],
    ['a fragment', `${ORIGIN}/Files/~me/a%2Fb#top`],
    ['dot segments', `${ORIGIN}/Files/x/../~me/./a%2Fb`],
  ])('D12 htu with %s is accepted', async (_name, htu) => {
    expect(await judge(signed(header(), claims({ htu })), asked)).toEqual(ACCEPTED);
  });

  it('D14 each of several origins', async () => {
    const htu = 'https://api.second.test:8443/';
    expect(await judge(signed(header(), claims({ htu })))).toEqual(ACCEPTED);
  });

  it.each([
    ['exactly maxAge ago', NOW - 60, undefined],
    ['a second before that', NOW - 61, 'dpop_iat'],
    ['5 s ahead', NOW + 5, undefined],
    ['6 s ahead', NOW + 6, 'dpop_iat'],
    ['a text', String(NOW), 'dpop_iat'],
    ['absent', undefined, 'dpop_iat'],
  ])('D15 iat %s', async (_name, iat, reason) => {
    expect(await judge(signed(header(), claims({ iat })))).toEqual(reason ? refusedFor(reason) : ACCEPTED);
  });

  it('D15 iat 1e400', async () => {
    const payload = JSON.stringify(claims()).replace(/"iat":\d+/, '"iat":1e400');
    expect(await judge(signed(header(), payload))).toEqual(refusedFor('dpop_iat'));
  });

  it.each([
    ['absent', undefined, 'dpop_jti'],
    ['empty', '', 'dpop_jti'],
    ['a number', 7, 'dpop_jti'],
    ['of 256 characters', 'j'.repeat(256), undefined],
    ['of 257 characters', 'j'.repeat(257), 'dpop_jti'],
  ])('D16 jti %s', async (_name, jti, reason) => {
    expect(await judge(signed(header(), claims({ jti })))).toEqual(reason ? refusedFor(reason) : ACCEPTED);
  });

  it.each<[string, () => unknown]>([
    ['absent', () => undefined],
    ['of another token', () => athOf(client.token({ jti: 'other' }))],
    ['padded', () => `${athOf(token)}=`],
    ['in hex', () => Buffer.from(athOf(token), 'base64url').toString('hex')],
  ])('D19 ath %s', async (_name, ath) => {
    expect(await judge(signed(header(), claims({ ath: ath() })))).toEqual(refusedFor('dpop_ath'));
  });

  it('D20 a key of another thumbprint', async () => {
    const thief = await createDpopClient(api.issuerKey);
    const { answer, reason } = await api.present(token, thief.proof(token));
    expect({ answer, reason }).toEqual({ answer: T1_DPOP, reason: 'dpop_thumbprint' });
  });

  it('D20 the same key with its parameters in another order', async () => {
    const { y, x, crv, kty } = client.jwk;
    expect(await judge(signed(header({ jwk: { y, x, kty, crv } }), claims()))).toEqual(ACCEPTED);
  });
});
