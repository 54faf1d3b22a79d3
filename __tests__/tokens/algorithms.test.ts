import { expect, it } from '@jest/globals';
import { readCompactJws } from '../../lib/protocol/compact-jws.js';
import { ALGORITHMS } from '../../lib/tokens/algorithms.js';
import { readKeySet } from '../../lib/tokens/jwks/verification-key.js';
import { verifySignature } from '../../lib/tokens/signature.js';
import { createKey, forge, jwkOf } from '../support/token-forge.js';

const rsa = createKey('RS256');

it.each([...ALGORITHMS.keys()])('%s blocks the event loop only if that is short', async (alg) => {
  const key = /^[RP]S/.test(alg) ? { ...rsa, alg } : createKey(alg);
  const [publicKey] = readKeySet({ keys: [jwkOf(key)] });
  const jws = readCompactJws(forge(key));
  if (publicKey === undefined || jws === undefined) throw new Error('no key or no JWS');
  const isValid = verifySignature(jws, publicKey, alg);
  expect([isValid instanceof Promise, await isValid]).toEqual([alg === 'ES384' || alg === 'ES512', true]);
});
