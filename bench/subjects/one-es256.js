/** The signature of a proof alone, verified with a key that is at hand: the limit of whatever checks proofs. */
import { createPublicKey, verify } from 'node:crypto';
import { presentProof } from '../platform/proofs.js';

export const title = 'one ES256 verification by node:crypto';
export const isOpen = true;

export function make() {
  let key;
  return [
    presentProof,
    function oneSignature(req, _res, next) {
      const { dpop } = req.headers;
      const end = dpop.lastIndexOf('.');
      key ??= keyOf(dpop);
      const signature = Buffer.from(dpop.slice(end + 1), 'base64url');
      const isSigned = verify('sha256', Buffer.from(dpop.slice(0, end)), { key, dsaEncoding: 'ieee-p1363' }, signature);
      next(isSigned ? undefined : Object.assign(new Error('not signed'), { status: 401 }));
    },
  ];
}

/** All proofs of a suite are of one client. */
function keyOf(proof) {
  const { jwk } = JSON.parse(Buffer.from(proof.slice(0, proof.indexOf('.')), 'base64url'));
  return createPublicKey({ key: jwk, format: 'jwk' });
}
