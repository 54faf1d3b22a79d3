/** The subjects by name. Each is loaded where it is measured, so that no process has more than one. */
const subjects = {
  nothing: () => import('./subjects/nothing.js'),
  ideal: () => import('./subjects/ideal.js'),
  'keyward-token': () => import('./subjects/keyward-token.js'),
  'keyward-key': () => import('./subjects/keyward-key.js'),
  'keyward-four-guards': () => import('./subjects/keyward-four-guards.js'),
  'fast-jwt': () => import('./subjects/fast-jwt.js'),
  'express-oauth2-jwt-bearer': () => import('./subjects/express-oauth2-jwt-bearer.js'),
  'express-jwt': () => import('./subjects/express-jwt.js'),
  'passport-jwt': () => import('./subjects/passport-jwt.js'),
  'passport-http-bearer': () => import('./subjects/passport-http-bearer.js'),
  jose: () => import('./subjects/jose.js'),
  resolver: () => import('./subjects/resolver.js'),
};

export const subjectOf = (name) => subjects[name]();
