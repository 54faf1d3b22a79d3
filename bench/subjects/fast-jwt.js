/** fast-jwt with its cache, in the thinnest middleware that refuses. */
import { createVerifier, TOKEN_ERROR_CODES } from 'fast-jwt';

export const title = 'fast-jwt, with its cache';

export function make({ issuer, audience, algorithm, pem, capacity }) {
  const rules = { algorithms: [algorithm], allowedIss: issuer, allowedAud: audience };
  const verify = createVerifier({ key: pem, cache: capacity, ...rules });
  const codes = new Set(Object.values(TOKEN_ERROR_CODES));
  return [
    function fastJwt(req, res, next) {
      const { authorization } = req.headers;
      if (authorization === undefined || !authorization.startsWith('Bearer ')) return refuse(res);
      try {
        req.auth = verify(authorization.slice(7));
      } catch (error) {
        return codes.has(error.code) ? refuse(res) : next(error);
      }
      next();
    },
  ];
}

function refuse(res) {
  res.statusCode = 401;
  res.setHeader('WWW-Authenticate', 'Bearer');
  res.end();
}
