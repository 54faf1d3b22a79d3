import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { accessTokens, BearerError, requireBearer } from 'keyward';
import { jsonObjects, spoilt } from '../support/hostile-json.js';
import { law } from '../support/law.js';
import { createManualClock } from '../support/manual-clock.js';
import { bearing, pass } from '../support/passage.js';
import { isPlainObject } from '../support/plain-json.js';
import { tokenDraws } from '../support/token-draws.js';
import {
  AUDIENCE,
  assemble,
  claimsOf,
  createKey,
  forge,
  headerOf,
  ISSUER,
  jwksOf,
  signedBy,
} from '../support/token-forge.js';

const SIGNERS = ['ES256', 'RS256', 'EdDSA', 'PS384'].map((alg) => createKey(alg));
const [SIGNER = createKey('ES256')] = SIGNERS;
const TOKENS = SIGNERS.map((signer) => forge(signer));

const OF_OBJECTS = Reflect.ownKeys(Object.prototype);

const clock = createManualClock();
const gateOf = (cache: false | object) =>
  requireBearer({
    accept: [accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(...SIGNERS), clock, cache })],
  });
const gate = gateOf({});
const forgetful = gateOf(false);

/** What a gate makes of a token: `'accepted'`, or the status of its refusal. */
async function answerTo(token: string, asked = gate): Promise<unknown> {
  const { passed, error } = await pass(bearing(token), asked);
  if (passed) return 'accepted';
  return error instanceof BearerError ? error.status : error;
}

/** One change somewhere in a text. */
const edits = fc.record({
  at: fc.nat(),
  put: fc.oneof(fc.constantFrom(...'aAzZ09-_.=+/ ~%', '', '\n', 'é'), fc.base64String({ maxLength: 4 })),
  drop: fc.nat(2),
});

/** What stands between the dots, changed in some places; or with a part left out, doubled, or another token's. */
const mutated = fc
  .record({
    token: fc.constantFrom(...TOKENS),
    other: fc.constantFrom(...TOKENS, ''),
    part: fc.nat(2),
    how: fc.constantFrom('text', 'text', 'text', 'graft', 'leave out', 'double'),
    changes: fc.array(edits, { minLength: 1, maxLength: 3 }),
  })
  .map(({ token, other, part, how, changes }) => {
    const parts = token.split('.');
    if (how === 'text') return changes.reduce((text, change) => edited(text, change), token);
    if (how === 'graft') parts[part] = other.split('.')[part] ?? '';
    else parts.splice(part, how === 'double' ? 0 : 1, ...(how === 'double' ? [parts[part] ?? ''] : []));
    return parts.join('.');
  })
  // Spaces before a credential are not of it.
  .filter((text) => !TOKENS.includes(text.replace(/^ +/, '')));

describe('tokens at random', () => {
  law('a token that was changed anywhere is refused, and the one that it was made of still holds', () =>
    fc.asyncProperty(mutated, fc.boolean(), fc.constantFrom(...TOKENS), async (text, cached, token) => {
      expect([400, 401]).toContain(await answerTo(text, cached ? gate : forgetful));
      expect(await answerTo(token)).toBe('accepted');
    }),
  );

  law('a token is accepted exactly where its issuer signed it and each member of header and claims is right', () =>
    fc.asyncProperty(tokenDraws(SIGNER), async ({ token, good }) => {
      expect(await answerTo(token)).toBe(good ? 'accepted' : 401);
    }),
  );

  law('a signed token with hostile JSON in it is accepted exactly where a plain reader takes its JSON', () =>
    fc.asyncProperty(hostileParts(headerOf(SIGNER)), hostileParts(claimsOf()), async (header, payload) => {
      const plain = isPlainObject(header) && isPlainObject(payload);
      expect(await answerTo(assemble(header, payload, signedBy(SIGNER)))).toBe(plain ? 'accepted' : 401);
      expect(Reflect.ownKeys(Object.prototype)).toEqual(OF_OBJECTS);
    }),
  );
});

/** Good members, and others behind them that are hostile. */
function hostileParts(members: object): fc.Arbitrary<Buffer> {
  const good = JSON.stringify(members).slice(0, -1);
  const others = jsonObjects.filter(({ text }) => text.length > 4).map(({ text }) => text.slice(1));
  const hostile = fc.oneof(
    { weight: 3, arbitrary: others.map((text) => Buffer.from(text)) },
    { weight: 1, arbitrary: spoilt(others) },
  );
  return hostile.map((rest) => Buffer.concat([Buffer.from(`${good},`), rest]));
}

function edited(text: string, { at, put, drop }: { at: number; put: string; drop: number }): string {
  const place = at % (text.length + 1);
  return text.slice(0, place) + put + text.slice(place + drop);
}
