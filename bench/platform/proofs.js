/** DPoP proofs (RFC 9449) of one client, as credentials of the bench: `<token> <proof>`. */
import { generateKeyPairSync, hash, randomUUID, sign } from 'node:crypto';

/** Requests of the bench have no TLS, so the origin is this machine's. */
export const ORIGIN = 'http://127.0.0.1';
const TARGET = `${ORIGIN}/payments`;

/** Makes a client with an ES256 key. */
export function proofClient() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { kty, crv, x, y } = publicKey.export({ format: 'jwk' });
  const jwk = { kty, crv, x, y };
  const header = part({ typ: 'dpop+jwt', alg: 'ES256', jwk });

  function proofOf(token, claims = {}) {
    const iat = Math.floor(Date.now() / 1_000);
    const ath = hash('sha256', token, 'base64url');
    const input = `${header}.${part({ jti: randomUUID(), htm: 'GET', htu: TARGET, iat, ath, ...claims })}`;
    return `${input}.${sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  }
  return {
    /** The claim `cnf` of its tokens. */
    confirmation: { jkt: hash('sha256', JSON.stringify({ crv, kty, x, y }), 'base64url') },
    /** The token with a proof that nobody has seen. */
    credential: (token, claims) => `${token} ${proofOf(token, claims)}`,
  };
}

/** The first middleware of each subject: makes of the one text of a request what a client of DPoP sends. */
export function presentProof(req, _res, next) {
  const { authorization } = req.headers;
  if (authorization !== undefined) {
    const [token, proof] = authorization.slice('Bearer '.length).split(' ');
    Object.assign(req.headers, { authorization: `DPoP ${token}`, dpop: proof, host: '127.0.0.1' });
  }
  req.originalUrl = req.url;
  next();
}

function part(members) {
  return Buffer.from(JSON.stringify(members)).toString('base64url');
}
