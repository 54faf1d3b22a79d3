/** The subjects by name. Each is loaded where it is measured, so that no process has more than one. */
const subjects = {
  nothing: () => import('./subjects/nothing.js'),
  ideal: () => import('./subjects/ideal.js'),
  'hand-written': () => import('./subjects/hand-written.js'),
  'keyward-token': () => import('./subjects/keyward-token.js'),
  'keyward-token-dpop': () => import('./subjects/keyward-token-dpop.js'),
  'keyward-key': () => import('./subjects/keyward-key.js'),
  'keyward-four-guards': () => import('./subjects/keyward-four-guards.js'),
  'keyward-introspected': () => import('./subjects/keyward-introspected.js'),
  'keyward-half-counted': () => import('./subjects/keyward-half-counted.js'),
  'keyward-limited': () => import('./subjects/keyward-limited.js'),
  'keyward-openapi': () => import('./subjects/keyward-openapi.js'),
  'keyward-dpop': () => import('./subjects/keyward-dpop.js'),
  'express-oauth2-jwt-bearer-dpop': () => import('./subjects/express-oauth2-jwt-bearer-dpop.js'),
  'one-es256': () => import('./subjects/one-es256.js'),
  'token-client': () => import('./subjects/token-client.js'),
  'plain-fetch': () => import('./subjects/plain-fetch.js'),
  'fast-jwt': () => import('./subjects/fast-jwt.js'),
  'express-oauth2-jwt-bearer': () => import('./subjects/express-oauth2-jwt-bearer.js'),
  'express-jwt': () => import('./subjects/express-jwt.js'),
  'passport-jwt': () => import('./subjects/passport-jwt.js'),
  'passport-http-bearer': () => import('./subjects/passport-http-bearer.js'),
  jose: () => import('./subjects/jose.js'),
  resolver: () => import('./subjects/resolver.js'),
};

export const subjectOf = (name) => subjects[name]();
