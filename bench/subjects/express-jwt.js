import { expressjwt } from 'express-jwt';
import jwksRsa from 'jwks-rsa';

export const title = 'express-jwt with jwks-rsa';

export const make = ({ issuer, audience, jwksUrl, algorithm }) => [
  expressjwt({
    ...{ issuer, audience, algorithms: [algorithm] },
    secret: jwksRsa.expressJwtSecret({ jwksUri: jwksUrl, cache: true, cacheMaxAge: 3_600_000 }),
  }),
];
