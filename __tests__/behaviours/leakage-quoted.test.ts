import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ErrorRequestHandler } from 'express';
import { accessTokens, apiKeys, type KeyRecord, requireBearer } from 'keyward';
import { mintKey } from '../../lib/credentials/keyward-format.js';
import { A5, answerOf } from '../support/answers.js';
import { canariesOf, printed } from '../support/canaries.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { createManualClock } from '../support/manual-clock.js';
import { type ServedApp, serveApp } from '../support/served-app.js';
import { AUDIENCE, createKey, forge, ISSUER, jwksOf } from '../support/token-forge.js';

const signer = createKey('ES256');
const another = mintKey('secret', 'live');
const token = forge(signer);

/** How an error quotes a key: every form of it, and what of others a driver may have at hand. */
const QUOTES: readonly (readonly [string, (key: string) => string])[] = [
  ['as it is', (key) => key],
  ['as a Buffer is printed', (key) => String(Buffer.from(key).toString('hex').match(/../g)?.join(' '))],
  ['bytes in decimal', (key) => [...Buffer.from(key)].join(', ')],
  ['hex with colons', (key) => String(Buffer.from(key).toString('hex').match(/../g)?.join(':'))],
  ['percent-encoded', (key) => [...Buffer.from(key)].map((byte) => `%${byte.toString(16)}`).join('')],
  ['base64', (key) => Buffer.from(key).toString('base64')],
  ['base64 twice', (key) => Buffer.from(Buffer.from(key).toString('base64')).toString('base64')],
  ['in groups of 8', (key) => String(key.match(/.{1,8}/g)?.join(' '))],
  ['NUL-separated', (key) => [...key].join('\0')],
  ["another request's key", () => another],
  ["another request's token", () => token],
];

/** Where an error has it. */
const PLACES: readonly ((quote: string) => unknown)[] = [
  (quote) => new Error(`no row for ${quote}`),
  (quote) => new Error(quote, { cause: new RangeError(quote, { cause: quote }) }),
  (quote) => Object.assign(new Error('query failed'), { name: quote, code: quote, detail: quote, parameters: [quote] }),
  (quote) => Object.assign(new Error('query failed'), { stack: `Error: ${quote}\n    at ${quote} (/app/a.js:1:2)` }),
  (quote) => new AggregateError([new Error(quote)], `failed\n    at ${quote}\n    at f (/app/${quote}.js:1:2)`),
  (quote) => quote,
];

let ear: Eavesdropper;
let api: ServedApp;
let said: string;
let thrown: (key: string) => unknown;

beforeEach(async () => {
  ear = eavesdrop();
  said = '';
  for (const method of ['log', 'warn', 'error'] as const) {
    jest.spyOn(console, method).mockImplementation((...words: unknown[]) => {
      said += printed(words);
    });
  }
  const keepError: ErrorRequestHandler = (error, _req, _res, next) => {
    said += printed(error);
    next(error);
  };
  const clock = createManualClock();
  const keys = apiKeys({
    resolver: ({ reveal }): KeyRecord => {
      throw thrown(reveal());
    },
    kinds: ['secret'],
    environment: 'live',
    clock,
  });
  const accessKeys = {
    resolveAccessKey: () => {
      throw thrown(token);
    },
  };
  const tokens = accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(signer), accessKeys, clock });
  const own = {
    verify: (credential: { reveal(): string }) => {
      throw thrown(credential.reveal());
    },
  };
  api = await serveApp((app, handler) => {
    app.get('/keys', requireBearer({ accept: [keys] }), handler);
    app.get('/tokens', requireBearer({ accept: [tokens] }), handler);
    app.get('/own', requireBearer({ accept: [own] }), handler);
    app.use(keepError);
  });
});

afterEach(() => {
  ear.stop();
  jest.restoreAllMocks();
  return api.close();
});

describe('N09 an error of a resolver or verifier that quotes a credential', () => {
  it.each(QUOTES)('N09 %s: in no event, log or error', async (_how, quoteOf) => {
    const key = mintKey('secret', 'live');
    for (const [path, credential] of [
      ['/keys', key],
      ['/tokens', token],
      ['/own', key],
    ] as const) {
      for (const place of PLACES) {
        thrown = (presented) => place(quoteOf(presented));
        expect(answerOf(await api.ask(path, credential))).toEqual(A5);
      }
    }
    const events = ear.heard('keyward:lookup-failure');
    expect(events).toHaveLength(3 * PLACES.length);
    const quoted = [key, token].flatMap((credential) => [credential, quoteOf(credential)]);
    expect(canariesOf([another, ...quoted]).heardIn(said + JSON.stringify(ear.heard()))).toEqual([]);
    // The event has the class and the place.
    expect(events).toContainEqual(
      expect.objectContaining({
        reason: 'threw',
        detail: 'Error',
        where: expect.arrayContaining([expect.stringMatching(/leakage-quoted\.test\.ts:\d+:\d+$/)]),
      }),
    );
  });
});
