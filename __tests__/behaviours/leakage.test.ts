import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import express from 'express';
import { accessTokens, apiKeys, type CredentialVerifier, requireApi, requireBearer, requireScopes } from 'keyward';
import { mintKey } from '../../lib/credentials/keyward-format.js';
import { canariesOf, printed } from '../support/canaries.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { createKeyTable } from '../support/key-table.js';
import { createManualClock, START } from '../support/manual-clock.js';
import { getRaw } from '../support/raw-http.js';
import { serveApp } from '../support/served-app.js';
import {
  AUDIENCE,
  assemble,
  claimsOf,
  createKey,
  forge,
  headerOf,
  ISSUER,
  jwksOf,
  unsigned,
} from '../support/token-forge.js';

const signer = createKey('ES256');
const table = createKeyTable();
const past = new Date(START - 1);

/** Credentials of every kind, good and bad. */
const keys = {
  good: table.add({ apis: ['payments'], scopes: ['payments'] }),
  public: table.add({ kind: 'public' }),
  limited: table.add({ apis: ['disputes'] }),
  expired: table.add({ expiresAt: past }),
  revoked: table.add({ revokedAt: past }),
  disabled: table.add({ disabled: true }),
  broken: table.add({ id: '' }),
  unknown: mintKey('secret', 'live'),
  sandbox: mintKey('secret', 'sandbox'),
  mistyped: `${mintKey('secret', 'live')}a`,
  quoted: `"${mintKey('secret', 'live')}"`,
};
const tokens = {
  good: forge(signer, { scope: 'payments' }),
  expired: forge(signer, { exp: 1 }),
  foreign: forge(signer, { iss: 'https://elsewhere.test' }),
  unknownKey: forge(createKey('ES256', 'another')),
  unsigned: assemble(headerOf(signer), claimsOf(), unsigned),
  malformed: `${forge(signer)}=`,
};
const opaque = randomBytes(40).toString('base64url');

const signatureOf = (token: string) => token.split('.').at(-1) ?? '';
const canaries = canariesOf([
  ...Object.values(keys).map((key) => key.replace(/^"?[sp]k_(sbox_)?/, '')),
  ...Object.values(tokens).map(signatureOf),
  opaque,
]);

const outputs = { events: '', errors: '', answers: '', principals: '', console: '', stdout: '', stderr: '' };
const CONSOLE = ['log', 'info', 'warn', 'error', 'debug', 'trace', 'dir'] as const;

let ear: Eavesdropper;

/** Presents every credential in every place, while the store works and while it does not, and keeps all that is said. */
beforeAll(async () => {
  ear = eavesdrop();
  const spies = CONSOLE.map((method) =>
    jest.spyOn(console, method).mockImplementation((...said: unknown[]) => {
      outputs.console += printed(said);
    }),
  );
  const streams = (['stdout', 'stderr'] as const).map((name) =>
    jest.spyOn(process[name], 'write').mockImplementation((said) => {
      outputs[name] += String(said);
      return true;
    }),
  );
  process.on('warning', (warning) => {
    outputs.stderr += printed(warning);
  });

  const clock = createManualClock();
  const careless: CredentialVerifier = {
    verify(credential) {
      throw new Error(`cannot read ${credential.reveal()}, that is ${credential.reveal().slice(0, 30)}…`);
    },
  };
  const accept = [
    accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(signer), clock }),
    apiKeys({ resolver: table, kinds: ['secret', 'public'], environment: 'live', clock }),
  ];
  const keep: RequestHandler = (req, _res, next) => {
    outputs.principals += printed((req as { auth?: unknown }).auth);
    next();
  };
  const keepError: ErrorRequestHandler = (error, _req, _res, next) => {
    outputs.errors += printed(error);
    next(error);
  };
  const api = await serveApp((app, handler) => {
    app.use(express.urlencoded({ extended: false }));
    app.get('/', requireBearer({ accept }), keep, handler);
    app.all(
      '/payments',
      requireBearer({ accept, allowSchemeless: true }),
      requireApi('payments'),
      requireScopes('x'),
      handler,
    );
    app.get('/browser', requireBearer({ accept, browserOrigin: 'refuse' }), keep, handler);
    app.get('/careless', requireBearer({ accept: [careless] }), handler);
    app.use(keepError);
  });

  const every = [...Object.values(keys), ...Object.values(tokens), opaque];
  const requests = every.flatMap((text): readonly (readonly [string, readonly string[]])[] => [
    ['/', [`Authorization: Bearer ${text}`]],
    ['/', [`Authorization: Bearer ${text}`]],
    ['/', [`Authorization: Bearer ${text}`, 'Origin: https://shop.test']],
    ['/payments', [`Authorization: Bearer ${text}`]],
    ['/payments', [`Authorization: ${text}`]],
    ['/browser', [`Authorization: Bearer ${text}`, 'Origin: https://shop.test']],
    ['/careless', [`Authorization: Bearer ${text}`]],
    ['/', [`Authorization: Basic ${text}`]],
    ['/', [`Authorization: Bearer ${text}`, `Authorization: Bearer ${opaque}`]],
    ['/', [`Cookie: key=${text}`, `X-API-Key: ${text}`]],
    [`/?access_token=${encodeURIComponent(text)}`, []],
    [`/?access_token=${encodeURIComponent(text)}`, [`Authorization: Bearer ${keys.good}`]],
  ]);
  for (const answer of [undefined, quoteInError, quoteInRecord]) {
    table.answer(answer);
    clock.advance(600_000);
    for (const [target, lines] of requests) outputs.answers += (await getRaw(api.port, lines, target)).text;
  }
  await api.close();
  outputs.events = ear.heard().map(printed).join('\n');
  for (const spy of [...spies, ...streams]) spy.mockRestore();
});

afterAll(() => ear.stop());

function quoteInError({ digest, reveal }: { readonly digest: string; reveal(): string }): never {
  const key = reveal();
  const cause = new Error(`row of ${digest} for ${key}`);
  throw new Error(`value too long for type character varying(30): "${key.slice(0, 30)}" (${key.slice(-20)})`, {
    cause,
  });
}

function quoteInRecord({ reveal }: { reveal(): string }): object {
  const key = reveal();
  return { id: key, kind: key, account: key, environment: key, apis: key };
}

describe('L01 canary credentials in every decision', () => {
  it.each(Object.keys(outputs) as (keyof typeof outputs)[])('L01 no piece of twelve characters in %s', (output) => {
    expect(canaries.heardIn(outputs[output])).toEqual([]);
  });

  it('the search finds a planted piece', () => {
    const piece = keys.good.slice(8, 20);
    expect(canaries.heardIn(`…${piece}…`)).toEqual([piece]);
    expect(canaries.heardIn(printed(new Error('x', { cause: { at: [tokens.good] } })))).not.toEqual([]);
  });

  it('the search had something to search', () => {
    const decided = new Set(ear.heard<{ outcome: string }>('keyward:decision').map(({ outcome }) => outcome));
    expect(decided).toEqual(new Set(['accepted', 'refused', 'unavailable', 'warning']));
    const failed = new Set(ear.heard<{ reason: string }>('keyward:lookup-failure').map(({ reason }) => reason));
    expect(failed).toEqual(new Set(['threw', 'record_invalid']));
    for (const status of [200, 400, 401, 403, 503]) expect(outputs.answers).toContain(`HTTP/1.1 ${status} `);
    expect(outputs.errors).toContain('BearerError');
    expect(outputs.principals).toContain("kind: 'access'");
  });

  it('keyward printed nothing', () => {
    expect(outputs.console).toBe('');
  });
});
