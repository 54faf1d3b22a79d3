import { auth } from 'express-oauth2-jwt-bearer';

export const title = 'express-oauth2-jwt-bearer';

export const make = ({ issuer, audience, jwksUrl, algorithm }) => [
  auth({ issuer, audience, jwksUri: jwksUrl, tokenSigningAlg: algorithm }),
];
