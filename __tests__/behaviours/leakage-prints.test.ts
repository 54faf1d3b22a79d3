import { inspect } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ErrorRequestHandler } from 'express';
import { accessTokens, apiKeys, requireBearer } from 'keyward';
import { PresentedCredential } from '../../lib/http/presented-credential.js';
import { canariesOf } from '../support/canaries.js';
import { createKeyTable } from '../support/key-table.js';
import { createManualClock } from '../support/manual-clock.js';
import { serveApp } from '../support/served-app.js';
import { AUDIENCE, createKey, forge, ISSUER, jwksOf } from '../support/token-forge.js';

const signer = createKey('ES256');
const table = createKeyTable();
const key = table.add();
const bad = table.add({ disabled: true });
const token = forge(signer);
const canaries = canariesOf([key.slice(3), bad.slice(3), token.split('.').at(-1) ?? '']);

const options = { resolver: table, kinds: ['secret'], environment: 'live', clock: createManualClock() } as const;
const keys = apiKeys(options);
const tokenOptions = { issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(signer), clock: options.clock };
const tokens = accessTokens(tokenOptions);
const gate = requireBearer({ accept: [tokens, keys] });

/** What a careless host may come to print. */
const printable: Record<'req.auth' | 'options' | 'errors' | 'err.cause', unknown[]> = {
  'req.auth': [],
  options: [options, tokenOptions, keys, tokens, gate, { gate }],
  errors: [],
  'err.cause': [],
};

beforeAll(async () => {
  const keep: ErrorRequestHandler = (error, _req, _res, next) => {
    printable.errors.push(error);
    printable['err.cause'].push(error.cause, { cause: error.cause });
    next(error);
  };
  const api = await serveApp((app, handler) => {
    app.get(
      '/',
      gate,
      (req, _res, next) => {
        printable['req.auth'].push((req as { auth?: unknown }).auth);
        next();
      },
      handler,
    );
    app.use(keep);
  });
  for (const credential of [key, token, key, token, bad, `${key}=`, `${token}=`, `"${key}"`])
    await api.ask('/', credential);
  table.answer(() => {
    throw new Error(`cannot find ${key} nor ${bad}`, { cause: key });
  });
  options.clock.advance(60_000);
  await api.ask('/', key);
  await api.close();
  for (const mistaken of [key, { [key]: key }, [key]]) {
    try {
      apiKeys({ ...options, resolver: mistaken, format: mistaken, environment: mistaken } as never);
    } catch (error) {
      printable.errors.push(error);
      printable['err.cause'].push((error as Error).cause);
    }
  }
});

const printers = {
  'util.inspect': (value: unknown) =>
    inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true }),
  'JSON.stringify': (value: unknown) => JSON.stringify(value) ?? '',
  String: (value: unknown) => String(value),
};

const cases = Object.keys(printable).flatMap((what) => Object.keys(printers).map((printer) => [what, printer]));

describe('objects printed by a careless host app reveal no credential', () => {
  it.each(cases as [keyof typeof printable, keyof typeof printers][])('L02 %s by %s', (what, printer) => {
    const print = printers[printer];
    expect(printable[what].length).toBeGreaterThan(3);
    for (const value of printable[what]) expect(canaries.heardIn(print(value))).toEqual([]);
  });

  it('printing the credential object of verifiers and resolvers reveals nothing', () => {
    const credential = new PresentedCredential(key);
    for (const print of Object.values(printers)) expect(canaries.heardIn(print(credential))).toEqual([]);
  });

  it('an error has no printable cause', () => {
    expect(printable['err.cause'].slice(0, 2)).toEqual([undefined, { cause: undefined }]);
  });
});
