import { auth } from 'express-oauth2-jwt-bearer';
import { presentProof } from '../platform/proofs.js';

export const title = 'express-oauth2-jwt-bearer, dpop';

/** It checks no replay: that is left to its user. */
export const make = ({ issuer, audience, jwksUrl, algorithm }) => [
  presentProof,
  auth({
    ...{ issuer, audience, jwksUri: jwksUrl, tokenSigningAlg: algorithm },
    dpop: { enabled: true, required: true },
  }),
];
