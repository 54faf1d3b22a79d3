import nodeCrypto, { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { accessTokens } from 'keyward';
import { T1 } from '../support/answers.js';
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
  type Signer,
  signedBy,
  unsigned,
} from '../support/token-forge.js';

const rsa = createKey('RS256', 'rsa');
const ec = createKey('ES256', 'ec');
const p384 = createKey('ES384', 'p384');
const okp = createKey('EdDSA', 'okp');

const clock = createManualClock();
const common = { issuer: ISSUER, audience: AUDIENCE, clock };
const verifySpy = jest.spyOn(nodeCrypto, 'verify');

beforeEach(() => {
  jest.clearAllMocks();
});

const BAD_ALG = refusal(T1, 'token_alg');
const BAD_SIGNATURE = refusal(T1, 'token_signature');
const BAD_KID = refusal(T1, 'token_kid');

/** A token that claims an "alg" and has this signature. */
const claiming = (key: typeof rsa, alg: unknown, signer: Signer) =>
  assemble({ ...headerOf(key), alg }, claimsOf(), signer);

function serveWith(options: Omit<Parameters<typeof accessTokens>[0], keyof typeof common>) {
  const served: { api?: TokenApi } = {};
  beforeAll(async () => {
    served.api = await serveTokenApi([accessTokens({ ...common, ...options })]);
  });
  afterAll(() => served.api?.close());
  return (token: string) => served.api?.judge(token);
}

describe('every algorithm allowed', () => {
  const judge = serveWith({ jwks: { keys: [jwkOf(rsa), jwkOf(ec)] } });

  it.each([
    ['RS256', forge(rsa)],
    ['ES256', forge(ec)],
  ])('accepts the unchanged tokens: %s', async (_alg, token) => {
    expect(await judge(token)).toEqual(ACCEPTED);
  });

  const none = ['none', 'None', 'nOnE', 'NONE', 'none '];

  it.each(none)('A01 alg "%s", with a signature', async (alg) => {
    expect(await judge(claiming(ec, alg, signedBy(ec)))).toEqual(BAD_ALG);
    expect(verifySpy).not.toHaveBeenCalled();
  });

  it.each(none)('A01 alg "%s", without a signature', async (alg) => {
    const token = claiming(ec, alg, () => Buffer.alloc(0));
    expect(await judge(token)).toEqual(refusal(T1, 'jws_malformed'));
    expect(verifySpy).not.toHaveBeenCalled();
  });

  const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const texts: [string, string | Buffer][] = [
    ['PEM SPKI', pem],
    ['PKCS1', rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString()],
    ['DER', rsa.publicKey.export({ type: 'spki', format: 'der' })],
    ['JWK JSON', JSON.stringify(jwkOf(rsa))],
    ['PEM with a leading space', ` ${pem}`],
    ['PEM with a leading tab', `\t${pem}`],
    ['PEM with a leading newline', `\n${pem}`],
    ['PEM with a leading byte-order mark', `\uFEFF${pem}`],
    ['PEM with a leading comment', `# our key\n${pem}`],
    ['PEM with CRLF', pem.replaceAll('\n', '\r\n')],
  ];
  const hmacs = [256, 384, 512].flatMap((bits) =>
    texts.map(([name, secret]): [string, number, string | Buffer] => [name, bits, secret]),
  );

  it.each(hmacs)('A02 our public key as %s in HS%d', async (_name, bits, secret) => {
    const signer: Signer = (input) => createHmac(`sha${bits}`, secret).update(input).digest();
    expect(await judge(claiming(rsa, `HS${bits}`, signer))).toEqual(BAD_ALG);
    expect(verifySpy).not.toHaveBeenCalled();
  });

  it.each(['RS512', 'PS256', 'RS384'])('A03 %s by the right key, published for RS256', async (alg) => {
    expect(await judge(claiming(rsa, alg, signedBy(rsa, alg)))).toEqual(BAD_SIGNATURE);
  });

  it.each([
    ['es256', 'es256'],
    ['" ES256"', ' ES256'],
    ['["ES256"]', ['ES256']],
    ['{}', {}],
    ['1', 1],
    ['null', null],
    ['missing', undefined],
    ['"__proto__"', '__proto__'],
  ])('A04 alg %s', async (_name, alg) => {
    expect(await judge(claiming(ec, alg, signedBy(ec)))).toEqual(BAD_ALG);
    expect(verifySpy).not.toHaveBeenCalled();
  });
});

describe('RS256 configured', () => {
  const bare = { ...rsa, kid: 'bare' };
  const judge = serveWith({ algorithms: ['RS256'], jwks: { keys: [jwkOf(rsa), jwkOf(bare, { alg: undefined })] } });

  it.each(['RS512', 'PS256', 'RS384'])('A03 %s by the right key', async (alg) => {
    expect(await judge(claiming(rsa, alg, signedBy(rsa, alg)))).toEqual(BAD_ALG);
  });

  it('A05 a key published without alg: the configured algorithm is accepted', async () => {
    expect(await judge(forge(bare))).toEqual(ACCEPTED);
  });

  it.each(['RS512', 'PS256', 'ES256'])('A05 a key published without alg: %s is not tried', async (alg) => {
    const signer = alg === 'ES256' ? unsigned : signedBy(bare, alg);
    expect(await judge(claiming(bare, alg, signer))).toEqual(BAD_ALG);
    expect(verifySpy).not.toHaveBeenCalled();
  });
});

describe('a key published without alg, every algorithm allowed', () => {
  const bare = { ...rsa, kid: 'bare' };
  const judge = serveWith({ jwks: { keys: [jwkOf(bare, { alg: undefined })] } });

  it('A05 it is pinned to the algorithm that it verified first', async () => {
    expect(await judge(forge(bare))).toEqual(ACCEPTED);
    for (const alg of ['PS256', 'RS512']) {
      expect(await judge(claiming(bare, alg, signedBy(bare, alg)))).toEqual(BAD_SIGNATURE);
    }
  });
});

describe('ES256 signatures', () => {
  const judge = serveWith({ jwks: { keys: [jwkOf(ec)] } });
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const field = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
  const bytes = (r: bigint, s: bigint) =>
    Buffer.from([r, s].map((value) => value.toString(16).padStart(64, '0')).join(''), 'hex');
  const proper = signedBy(ec);
  const halves = (input: string) => {
    const hex = proper(input).toString('hex');
    return { r: BigInt(`0x${hex.slice(0, 64)}`), s: BigInt(`0x${hex.slice(64)}`) };
  };
  const derInteger = (value: bigint) => {
    const hex = value.toString(16);
    const body = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
    const signed = body.readUInt8(0) > 127 ? Buffer.concat([Buffer.from([0]), body]) : body;
    return Buffer.concat([Buffer.from([2, signed.length]), signed]);
  };
  const der: Signer = (input) => {
    const { r, s } = halves(input);
    const integers = Buffer.concat([derInteger(r), derInteger(s)]);
    return Buffer.concat([Buffer.from([0x30, integers.length]), integers]);
  };

  it.each<[string, Signer]>([
    ['DER form', der],
    ['63 bytes', (input) => proper(input).subarray(0, 63)],
    ['65 bytes', (input) => Buffer.concat([proper(input), Buffer.from([0])])],
  ])('A06 %s: refused by its length', async (_name, signer) => {
    expect(await judge(claiming(ec, 'ES256', signer))).toEqual(BAD_SIGNATURE);
    expect(verifySpy).not.toHaveBeenCalled();
  });

  it.each<[string, Signer]>([
    ['r = 0', (input) => bytes(0n, halves(input).s)],
    ['s = 0', (input) => bytes(halves(input).r, 0n)],
    ['r = n', (input) => bytes(order, halves(input).s)],
    ['r > n', (input) => bytes(order + 1n, halves(input).s)],
    ['s = n', (input) => bytes(halves(input).r, order)],
    ['s > n', (input) => bytes(halves(input).r, order + 1n)],
    ['all zero', () => bytes(0n, 0n)],
  ])('A06 %s', async (_name, signer) => {
    expect(await judge(claiming(ec, 'ES256', signer))).toEqual(BAD_SIGNATURE);
  });

  const special = [
    ...([
      ['0', 0n],
      ['1', 1n],
      ['n-1', order - 1n],
      ['n', order],
      ['n+1', order + 1n],
    ] as const),
    ...([
      ['p', field],
      ['p+1', field + 1n],
      ['2^256-1', 2n ** 256n - 1n],
    ] as const),
  ];
  const pairs = special.flatMap(([rName, r]) =>
    special.map(([sName, s]): [string, string, bigint, bigint] => [rName, sName, r, s]),
  );

  it.each(pairs)('A06 special integers: r = %s, s = %s', async (_r, _s, r, s) => {
    expect(await judge(claiming(ec, 'ES256', () => bytes(r, s)))).toEqual(BAD_SIGNATURE);
  });
});

describe('a key of another type', () => {
  const { n, e } = jwkOf(rsa);
  const judge = serveWith({
    jwks: {
      keys: [
        jwkOf(ec),
        jwkOf(p384, { alg: 'ES256', kid: 'P-384 for ES256' }),
        jwkOf(p384, { alg: undefined, kid: 'P-384' }),
        jwkOf(okp, { alg: 'ES256', kid: 'OKP for ES256' }),
        jwkOf(okp, { alg: undefined, kid: 'OKP' }),
        jwkOf(ec, { x: n, y: e, n, e, kid: 'RSA numbers in an EC key' }),
        jwkOf(rsa, { alg: 'ES256', kid: 'RSA for ES256' }),
        jwkOf(rsa, { alg: undefined, kid: 'RSA' }),
      ],
    },
  });

  it.each(['P-384 for ES256', 'OKP for ES256', 'RSA numbers in an EC key', 'RSA for ES256'])(
    'A07 unusable: %s',
    async (kid) => {
      expect(await judge(forge(ec, {}, { kid }))).toEqual(BAD_KID);
    },
  );

  it.each([
    ['P-384', p384],
    ['OKP', okp],
    ['RSA', rsa],
  ])('A07 not for ES256, although it has no alg: %s', async (kid, key) => {
    expect(await judge(forge({ ...key, kid }, {}, { alg: 'ES256' }))).toEqual(BAD_SIGNATURE);
    expect(verifySpy).not.toHaveBeenCalled();
  });
});
