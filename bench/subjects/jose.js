/** `jwtVerify` of jose alone: what a token costs that is verified and not cached, with a key in memory. */
import { importJWK, jwtVerify } from 'jose';

export const title = 'jose.jwtVerify alone';

export async function make({ issuer, audience, algorithm, jwk }) {
  const key = await importJWK(jwk, algorithm);
  const rules = { issuer, audience, algorithms: [algorithm], typ: 'at+jwt' };
  return [
    function joseAlone(req, _res, next) {
      const { authorization = '' } = req.headers;
      jwtVerify(authorization.slice(7), key, rules).then(
        () => next(),
        (error) => next(Object.assign(error, { status: 401 })),
      );
    },
  ];
}
