/** Tokens at random: each member of header and claims most often right, and whether all are. */
import fc from 'fast-check';
import {
  AUDIENCE,
  assemble,
  createKey,
  type ForgeKey,
  ISSUER,
  NOW,
  type Signer,
  signedBy,
  unsigned,
} from './token-forge.js';

/** A token, and whether it keeps every rule of RFC 9068 and is signed. */
export interface TokenDraw {
  readonly token: string;
  readonly good: boolean;
}

/** The values that a member may have, and those that it may not. `undefined` leaves it out. */
interface Member {
  readonly right: readonly unknown[];
  readonly wrong: readonly unknown[];
}

const text = (right: string): Member => ({
  right: [right, `${right}.1`, '{}', ' ', 'x'.repeat(1_024)],
  wrong: [undefined, null, '', 1, true, [right], { a: right }, 'x'.repeat(1_025)],
});

const NO_TIMES = [null, '', String(NOW), true, -1, [NOW], {}, 1e11, NOW * 1_000];

const CLAIMS: Readonly<Record<string, Member>> = {
  iss: {
    right: [ISSUER],
    wrong: [undefined, null, '', `${ISSUER}/`, ISSUER.toUpperCase(), ` ${ISSUER}`, [ISSUER], { a: ISSUER }],
  },
  aud: {
    right: [AUDIENCE, [AUDIENCE], ['https://other.test', AUDIENCE]],
    wrong: [
      undefined,
      null,
      '',
      'https://other.test',
      `${AUDIENCE}/`,
      [],
      [[AUDIENCE]],
      [AUDIENCE, 1],
      { a: AUDIENCE },
    ],
  },
  exp: { right: [NOW + 1, NOW + 0.5, NOW + 3_600, 9e10], wrong: [undefined, NOW, NOW - 1, 0, ...NO_TIMES] },
  iat: { right: [NOW, NOW - 10, 0, NOW + 0.25], wrong: [undefined, NOW + 6, ...NO_TIMES] },
  nbf: { right: [undefined, undefined, NOW, NOW + 5, 0], wrong: [NOW + 5.5, NOW + 3_600, ...NO_TIMES] },
  sub: text('ack_1'),
  jti: text('token-1'),
  client_id: { ...text('ack_1'), wrong: [...text('ack_1').wrong, 'é', 'a\n', '\u0000'] },
  scope: {
    right: [undefined, '', 'payments', 'payments disputes:view', ['payments'], []],
    wrong: [null, 1, {}, ' payments', 'payments ', 'a  b', 'a"b', 'é', ['a b'], [1], ['']],
  },
  hello: { right: [undefined, null, 1, {}, ['a']], wrong: [] },
};

const HEADER: Readonly<Record<string, Member>> = {
  typ: {
    right: ['at+jwt', 'AT+JWT', 'application/at+jwt', 'Application/At+Jwt'],
    wrong: [undefined, null, '', 'JWT', 'at+jwt ', 'text/at+jwt', 'logout+jwt', 1, ['at+jwt']],
  },
  cty: { right: [undefined, undefined, 'json', 1], wrong: ['JWT', 'jwt', 'application/jwt'] },
  ...absent('crit', [['exp'], [], null, 'exp']),
  ...absent('b64', [false, true, null]),
  ...absent('zip', ['DEF', null]),
  ...absent('jku', ['https://evil.test/keys', null]),
  ...absent('x5u', ['https://evil.test/cert', null]),
  ...absent('jwk', [{ kty: 'oct', k: 'AAAA' }, null]),
  ...absent('x5c', [['AAAA'], null]),
  x5t: { right: [undefined, 'AAAA'], wrong: [] },
};

function absent(name: string, wrong: readonly unknown[]): Readonly<Record<string, Member>> {
  return { [name]: { right: [undefined], wrong } };
}

/** @param signer - A key of ES256. */
export function tokenDraws(signer: ForgeKey): fc.Arbitrary<TokenDraw> {
  const { alg, kid } = signer;
  const header = {
    ...HEADER,
    alg: { right: [alg], wrong: [undefined, null, '', 'none', 'None', 'HS256', 'RS256', 'ES384', 'es256', 1, [alg]] },
    kid: { right: [kid], wrong: [undefined, null, '', `${kid} `, 'other', '../../dev/null', 1, [kid]] },
  };
  const stranger = createKey(alg, kid);
  const overOther: Signer = (input) => signedBy(signer)(`${input}A`);
  const signers = mostly<Signer>([signedBy(signer)], [signedBy(stranger), unsigned, overOther, () => Buffer.alloc(64)]);
  return fc.tuple(membersOf(header), membersOf(CLAIMS), signers).map(([head, claims, signature]) => {
    const { iat, exp } = claims.members as { iat: number; exp: number };
    const good = head.good && claims.good && signature.good && iat <= exp;
    return { token: assemble(head.members, claims.members, signature.value), good };
  });
}

function membersOf(members: Readonly<Record<string, Member>>) {
  const draws = Object.entries(members).map(([name, { right, wrong }]) => [name, mostly(right, wrong)] as const);
  return fc.record(Object.fromEntries(draws)).map((drawn) => ({
    members: Object.fromEntries(Object.entries(drawn).map(([name, { value }]) => [name, value])),
    good: Object.values(drawn).every(({ good }) => good),
  }));
}

function mostly<T>(right: readonly T[], wrong: readonly T[]) {
  const good = fc.constantFrom(...right).map((value) => ({ value, good: true }));
  if (wrong.length === 0) return good;
  const bad = fc.constantFrom(...wrong).map((value) => ({ value, good: false }));
  return fc.oneof({ weight: 30, arbitrary: good }, { weight: 1, arbitrary: bad });
}
