/** An issuer of the bench: its keys, its tokens of nine claims, and the server that publishes its JWK Set. */
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { SCOPES } from './scopes.js';

export const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
const AUDIENCE = 'https://api.example.com';
const HOUR = 3_600;

const keyPairs = {
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2_048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
};

/** Opens an issuer with one key for each algorithm. It has to be closed. */
export async function openIssuer() {
  const signers = Object.fromEntries(ALGORITHMS.map((algorithm) => [algorithm, signerOf(algorithm)]));
  const jwks = JSON.stringify({ keys: ALGORITHMS.map((algorithm) => signers[algorithm].jwk) });
  const server = createServer((_req, res) => res.setHeader('Content-Type', 'application/json').end(jwks));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  return {
    /** The settings of a resource server for it. */
    facts(algorithm) {
      const { jwk, pem } = signers[algorithm];
      return { algorithm, issuer: `${url}/`, audience: AUDIENCE, jwksUrl: `${url}/jwks.json`, jwk, pem };
    },
    /** So many tokens, no two alike. */
    tokens(algorithm, count) {
      return Array.from({ length: count }, (_, number) => this.token(algorithm, { number }));
    },
    token(algorithm, { number = 0, ...claims } = {}) {
      const { header, privateKey } = signers[algorithm];
      return compact(header, { ...claimsOf(`${url}/`, number), ...claims }, privateKey);
    },
    /** Those that every resource server must refuse. */
    bad(algorithm) {
      const past = Math.floor(Date.now() / 1_000) - HOUR;
      return {
        'a bad signature': forged(this.token(algorithm)),
        'another audience': this.token(algorithm, { aud: 'https://other.example.com' }),
        'an expired token': this.token(algorithm, { exp: past, iat: past - HOUR, nbf: past - HOUR }),
      };
    },
    close: () => server.close().closeAllConnections(),
  };
}

/** A token with the signature of nobody, of the right shape. */
export function forged(token) {
  const at = token.lastIndexOf('.') + 1;
  const signature = Buffer.from(token.slice(at), 'base64url');
  // Not the first byte: of an RSA signature it must not come out larger than the modulus, which costs nothing to refuse.
  for (let i = 8; i < signature.length; i += 1) signature[i] ^= Math.floor(Math.random() * 256);
  return token.slice(0, at) + signature.toString('base64url');
}

function signerOf(algorithm) {
  const { publicKey, privateKey } = keyPairs[algorithm]();
  const header = { alg: algorithm, typ: 'at+jwt', kid: `bench-${algorithm}` };
  const jwk = { ...publicKey.export({ format: 'jwk' }), alg: algorithm, use: 'sig', kid: header.kid };
  return { header, jwk, privateKey, pem: publicKey.export({ format: 'pem', type: 'spki' }) };
}

function claimsOf(iss, number) {
  const now = Math.floor(Date.now() / 1_000);
  const client = `ack_${String(number).padStart(26, 'a')}`;
  return {
    ...{ iss, aud: AUDIENCE, sub: client, client_id: client, jti: randomUUID(), scope: SCOPES.join(' ') },
    ...{ iat: now, nbf: now, exp: now + HOUR },
  };
}

function compact(header, claims, key) {
  const input = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const digest = header.alg === 'EdDSA' ? null : 'sha256';
  return `${input}.${sign(digest, Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}
