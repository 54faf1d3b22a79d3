/**
 * The limit of the design, written by hand: SHA-256 of the credential, a Map of those that are known, expiry, a scope in a Set, and
 * the principal published as keyward publishes it (docs/decisions/0001). It knows its credentials from the start, so it
 * verifies nothing, looks nothing up, bounds nothing and learns of no revocation.
 */
import { hash } from 'node:crypto';
import express from 'express';
import { SCOPES } from '../platform/scopes.js';

export const title = 'a hand-written ideal';

const SCHEME = 'Bearer ';
const principals = new WeakMap();

export function make(given) {
  publishOn(express.request);
  return makeIdeal(given, (req, principal) => principals.set(req, principal));
}

/** @param publish - Makes the principal known to the handler. */
export function makeIdeal({ credentials }, publish) {
  const known = new Map();
  for (const [number, credential] of credentials().entries()) {
    const principal = Object.freeze({ kind: 'secret', keyId: `key_${number}`, account: `acc_${number}` });
    known.set(hash('sha256', credential), { principal, scopes: new Set(SCOPES), expiresAt: Date.now() + 86_400_000 });
  }

  return [
    function ideal(req, res, next) {
      const { authorization } = req.headers;
      if (authorization === undefined || !authorization.startsWith(SCHEME)) return refuse(res, 401);
      const entry = known.get(hash('sha256', authorization.slice(SCHEME.length)));
      if (entry === undefined || entry.expiresAt <= Date.now()) return refuse(res, 401);
      if (!entry.scopes.has(SCOPES[0])) return refuse(res, 403);
      publish(req, entry.principal);
      next();
    },
  ];
}

function publishOn(prototype) {
  Object.defineProperty(prototype, 'auth', {
    configurable: true,
    get() {
      return principals.get(this);
    },
  });
}

function refuse(res, status) {
  res.statusCode = status;
  res.setHeader('WWW-Authenticate', 'Bearer');
  res.end();
}
