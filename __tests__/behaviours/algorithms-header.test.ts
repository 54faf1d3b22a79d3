import { deflateRawSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { accessTokens } from 'keyward';
import { T1 } from '../support/answers.js';
import { type IssuerServer, serveIssuer } from '../support/issuer-server.js';
import { createManualClock } from '../support/manual-clock.js';
import { ACCEPTED, refusal, serveTokenApi, type TokenApi } from '../support/token-api.js';
import {
  AUDIENCE,
  assemble,
  claimsOf,
  createKey,
  forge,
  headerOf,
  ISSUER,
  jwkOf,
  type Members,
  signedBy,
} from '../support/token-forge.js';

const key = createKey('ES256', 'ours');
const attackers = createKey('ES256', 'ours');

let issuer: IssuerServer;
let attacker: IssuerServer;
let strict: TokenApi;
let foreign: TokenApi;

beforeAll(async () => {
  [issuer, attacker] = [await serveIssuer(jwkOf(key)), await serveIssuer(jwkOf(attackers))];
});
afterAll(() => Promise.all([issuer.close(), attacker.close()]));

beforeEach(async () => {
  jest.clearAllMocks();
  const common = { issuer: ISSUER, audience: AUDIENCE, jwks: issuer.jwksUri, clock: createManualClock() };
  strict = await serveTokenApi([accessTokens(common)]);
  foreign = await serveTokenApi([accessTokens({ ...common, profile: 'jwt' })]);
});
afterEach(() => Promise.all([strict.close(), foreign.close()]));

const fetchSpy = jest.spyOn(globalThis, 'fetch');
const fetched = () => fetchSpy.mock.calls.map(([url]) => String(url));

const withHeader = (members: Members, signer = key) => forge(signer, {}, members);

describe('kid', () => {
  it.each([
    ['1', 1],
    ['{}', {}],
    ['[]', []],
    ['null', null],
    ['true', true],
    ['""', ''],
  ])('A12 kid %s', async (_name, kid) => {
    expect(await strict.judge(withHeader({ kid }))).toEqual(refusal(T1, 'token_kid'));
    expect(fetched()).toEqual([]);
  });

  it.each([
    ['a path', '../../dev/null'],
    ['SQL', "' OR 1=1--"],
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
    ['NUL', '\u0000'],
    ['4 KiB', 'k'.repeat(4_096)],
    ['a URL', 'http://169.254.169.254/'],
  ])('A13 kid is looked up only among the keys of the issuer: %s', async (_name, kid) => {
    expect(await strict.judge(withHeader({ kid }))).toEqual(refusal(T1, 'token_kid'));
    expect(fetched()).toEqual([issuer.jwksUri]);
  });
});

describe('header parameters with a key', () => {
  const REFUSED = refusal(T1, 'token_header_member');

  it.each([
    ['jku', 'good', 'jku', key],
    ['jku', 'attacker', 'jku', attackers],
    ['x5u', 'good', 'x5u', key],
    ['x5u', 'attacker', 'x5u', attackers],
  ])('A14 %s, signed by the %s', async (_member, _by, member, signer) => {
    expect(await strict.judge(withHeader({ [member]: attacker.jwksUri }, signer))).toEqual(REFUSED);
    expect([attacker.asked, fetched()]).toEqual([[], []]);
  });

  it.each([
    ['jwk', { jwk: jwkOf(attackers) }],
    ['x5c', { x5c: [attackers.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')] }],
  ])('A15 embedded %s of the attacker', async (_member, members) => {
    expect(await strict.judge(withHeader(members, attackers))).toEqual(REFUSED);
    expect(fetched()).toEqual([]);
  });
});

describe('header parameters that change how a token is parsed', () => {
  const REFUSED = refusal(T1, 'token_header_member');

  it.each([
    ['["x"]', ['x'], { x: 1 }],
    ['[]', [], {}],
    ['"x"', 'x', { x: 1 }],
    ['["x","x"]', ['x', 'x'], { x: 1 }],
    ['["alg"]', ['alg'], {}],
    ['["exp"]', ['exp'], { exp: 1 }],
    ['["__proto__"]', ['__proto__'], {}],
    ['[1]', [1], {}],
  ])('A16 crit %s', async (_name, crit, members) => {
    expect(await strict.judge(withHeader({ crit, ...members }))).toEqual(REFUSED);
  });

  it.each([
    ['crit ["b64"], b64 true', { crit: ['b64'], b64: true }],
    ['crit ["b64"], b64 false', { crit: ['b64'], b64: false }],
    ['b64 false without crit', { b64: false }],
  ])('A17 %s', async (_name, members) => {
    expect(await strict.judge(withHeader(members))).toEqual(REFUSED);
  });

  it('A18 zip DEF, with the payload compressed', async () => {
    const payload = deflateRawSync(JSON.stringify(claimsOf()));
    const token = assemble({ ...headerOf(key), zip: 'DEF' }, payload, signedBy(key));
    expect(await strict.judge(token)).toEqual(refusal(T1, 'jws_malformed'));
  });

  it('A18 zip DEF, with the uncompressed payload', async () => {
    expect(await strict.judge(withHeader({ zip: 'DEF' }))).toEqual(REFUSED);
  });

  it('A18 cty JWT, with a token for the payload', async () => {
    const token = assemble({ ...headerOf(key), cty: 'JWT' }, forge(key), signedBy(key));
    expect(await strict.judge(token)).toEqual(refusal(T1, 'jws_malformed'));
  });

  it.each(['JWT', 'jwt', 'application/jwt'])('A18 cty %s, with the claims for the payload', async (cty) => {
    expect(await strict.judge(withHeader({ cty }))).toEqual(refusal(T1, 'token_cty'));
  });
});

describe('typ', () => {
  const typed = (typ: unknown) => withHeader({ typ });
  const types: [string, unknown][] = [
    ['at+jwt', 'at+jwt'],
    ['AT+JWT', 'AT+JWT'],
    ['application/at+jwt', 'application/at+jwt'],
  ];
  const plain: [string, unknown][] = [
    ['missing', undefined],
    ['JWT', 'JWT'],
  ];
  const others: [string, unknown][] = [
    ['""', ''],
    ['id_token', 'id_token'],
    ['logout+jwt', 'logout+jwt'],
    ['dpop+jwt', 'dpop+jwt'],
    ['secevent+jwt', 'secevent+jwt'],
    ['["at+jwt"]', ['at+jwt']],
    ['null', null],
  ];

  it.each(types)('A19 typ %s', async (_name, typ) => {
    expect(await strict.judge(typed(typ))).toEqual(ACCEPTED);
  });

  it.each([...plain, ...others])('A20 typ %s', async (_name, typ) => {
    expect(await strict.judge(typed(typ))).toEqual(refusal(T1, 'token_typ'));
  });

  it.each([...types, ...plain])('A20 typ %s, profile jwt', async (_name, typ) => {
    expect(await foreign.judge(typed(typ))).toEqual(ACCEPTED);
  });

  it.each(others)('A20 typ %s, profile jwt: any other type is refused', async (_name, typ) => {
    expect(await foreign.judge(typed(typ))).toEqual(refusal(T1, 'token_typ'));
  });
});
