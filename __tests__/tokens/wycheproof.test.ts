/** The test vectors for JWS of the project Wycheproof: forged, changed and malformed signatures, and good ones. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { compactVerify, createLocalJWKSet } from 'jose';
import { readSegment } from '../../lib/protocol/compact-jws.js';
import { ALGORITHMS } from '../../lib/tokens/algorithms.js';
import { readTokenHeader } from '../../lib/tokens/header.js';
import { staticKeySet } from '../../lib/tokens/jwks/key-set.js';
import { readKeySet } from '../../lib/tokens/jwks/verification-key.js';
import { verifySignature } from '../../lib/tokens/signature.js';

interface Vector {
  readonly id: number;
  readonly comment: string;
  readonly jws: string;
  readonly valid: boolean;
}

interface Group {
  readonly comment: string;
  readonly jwk: Readonly<Record<string, unknown>>;
  readonly vectors: readonly Vector[];
}

const { groups }: { groups: readonly Group[] } = JSON.parse(
  readFileSync(new URL('wycheproof-jws.json', import.meta.url), 'utf8'),
);
const ALLOWED = new Set(ALGORITHMS.keys());

/** What jose says with the same key set. */
function isAcceptedByJose(jws: string, jwk: Group['jwk']): Promise<boolean> {
  return compactVerify(jws, createLocalJWKSet({ keys: [jwk as { kty: string }] })).then(
    () => true,
    () => false,
  );
}

/** As `accessTokens` does it, without the claims: the payloads of the vectors are texts such as `foo`. */
async function isAccepted(jws: string, jwk: Group['jwk']): Promise<boolean> {
  const segments = jws.split('.');
  const [first = '', payload = '', last = ''] = segments;
  const signature = Buffer.from(last, 'base64url');
  const isStrict = [payload, last].every((text) => Buffer.from(text, 'base64url').toString('base64url') === text);
  const fields = readSegment(first);
  if (segments.length !== 3 || payload === '' || !isStrict || fields === undefined) return false;
  const header = readTokenHeader(fields, ALLOWED, 'jwt');
  if (typeof header === 'string') return false;
  const key = await staticKeySet(readKeySet({ keys: [jwk] })).find(header.kid);
  return (
    key !== undefined &&
    (await verifySignature({ compact: jws, header: fields, payload: {}, signature }, key, header.alg))
  );
}

const withKeyType = (types: readonly string[]) => groups.filter(({ jwk }) => types.includes(String(jwk.kty)));

async function acceptedOf(some: readonly Group[], verify = isAccepted): Promise<readonly number[]> {
  const verdicts = some.flatMap(({ jwk, vectors }) =>
    vectors.map(async ({ id, jws }) => ((await verify(jws, jwk)) ? [id] : [])),
  );
  return (await Promise.all(verdicts)).flat();
}

const idsOf = (vectors: readonly Vector[]) => vectors.map(({ id }) => id);

describe('the vectors of Wycheproof', () => {
  it('are 401', () => {
    expect(groups.flatMap(({ vectors }) => vectors)).toHaveLength(401);
  });

  it('with RSA and elliptic curves are accepted if they are valid, and only then', async () => {
    const some = withKeyType(['RSA', 'EC']);
    // The six without a payload are refused before the signature: claims are an object (case J01).
    const valid = some.flatMap(({ vectors }) => vectors.filter((one) => one.valid && one.comment !== 'emptyPayload'));
    // In these four, the `alg` of the key is not that of the header: PS256 with PS384, and ES521, which does not exist, with
    // ES512. A key verifies only its own algorithm (RFC 7517 section 4.4).
    const ofAnotherAlgorithm = [346, 347, 350, 351];
    const expected = idsOf(valid).filter((id) => !ofAnotherAlgorithm.includes(id));
    expect(expected).toHaveLength(26);
    expect(await acceptedOf(some)).toEqual(expected);
  });

  it('get the same verdict from jose, except those without a payload', async () => {
    const some = withKeyType(['RSA', 'EC']);
    const ofJose = await acceptedOf(some, isAcceptedByJose);
    const withoutPayload = some.flatMap(({ vectors }) => idsOf(vectors.filter(({ jws }) => jws.includes('..'))));
    expect(ofJose.filter((id) => !withoutPayload.includes(id))).toEqual(await acceptedOf(some));
  });

  it.each(['PS384', 'ES512'])('are accepted with %s if the key does not name another algorithm', async (alg) => {
    const others = groups.flatMap(({ jwk: { alg: _, ...jwk }, vectors }) =>
      vectors
        .filter(({ id }) => [346, 347, 350, 351].includes(id))
        .map((vector) => ({ jwk, vectors: [vector], comment: '' })),
    );
    const some = others.filter(({ vectors: [vector] }) => algorithmOf(vector) === alg);
    expect(some).toHaveLength(2);
    expect(await acceptedOf(some)).toEqual(some.flatMap(({ vectors }) => idsOf(vectors)));
  });

  it('with a symmetric key are never accepted', async () => {
    const some = withKeyType(['oct']);
    expect(some.flatMap(({ vectors }) => vectors)).toHaveLength(40);
    expect(await acceptedOf(some)).toEqual([]);
  });
});

function algorithmOf(vector: Vector | undefined): unknown {
  return readSegment(vector?.jws.split('.')[0] ?? '')?.alg;
}
