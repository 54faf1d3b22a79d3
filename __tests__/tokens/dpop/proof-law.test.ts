import { beforeAll, describe } from '@jest/globals';
import fc from 'fast-check';
import { accessTokens, type CredentialVerifier, type Outcome } from 'keyward';
import { PresentedCredential } from '../../../lib/http/presented-credential.js';
import { createDpopClient, type DpopClient, ORIGIN } from '../../support/dpop-client.js';
import { law } from '../../support/law.js';
import { createManualClock } from '../../support/manual-clock.js';
import { AUDIENCE, createKey, ISSUER, jwksOf } from '../../support/token-forge.js';

interface Sent {
  readonly token: string;
  readonly proof: string;
  readonly method: string;
  readonly target: string;
  readonly scheme: 'Bearer' | 'DPoP';
}

const issuerKey = createKey('ES256');
let client: DpopClient;
let good: Sent;

beforeAll(async () => {
  client = await createDpopClient(issuerKey);
  const token = client.token();
  const proof = client.proof(token, { htu: `${ORIGIN}/payments/7`, htm: 'POST' });
  good = { token, proof, method: 'POST', target: '/payments/7', scheme: 'DPoP' };
});

/** A verifier that no request has reached. */
function fresh(): CredentialVerifier {
  return accessTokens({
    ...{ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(issuerKey), clock: createManualClock() },
    dpop: { origin: ORIGIN },
  });
}

function ask(verifier: CredentialVerifier, { token, proof, method, target, scheme }: Sent): Outcome {
  const request = { method, originalUrl: target, headers: { dpop: proof } };
  return verifier.verify(new PresentedCredential(token, request, undefined, scheme)) as Outcome;
}

const CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ ,"\0';
const edit = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom('replace', 'insert', 'delete', 'swap', 'cut', 'bit'),
  character: fc.constantFrom(...CHARACTERS),
});
type Edit = typeof edit extends fc.Arbitrary<infer E> ? E : never;

/** Changes a text at one place. */
function edited(text: string, { at, kind, character }: Edit): string {
  const index = at % text.length;
  const [before, here, after] = [text.slice(0, index), text[index] ?? '', text.slice(index + 1)];
  switch (kind) {
    case 'replace':
      return before + character + after;
    case 'insert':
      return before + character + here + after;
    case 'delete':
      return before + after;
    case 'swap':
      return before + (after[0] ?? '') + here + after.slice(1);
    case 'cut':
      return before;
    default:
      return before + String.fromCharCode(here.charCodeAt(0) ^ (1 << (at % 7))) + after;
  }
}

/** Changes a member of one part of the proof, without another signature. */
function withMember(proof: string, part: 0 | 1, name: string, value: unknown): string {
  const segments = proof.split('.');
  try {
    const members = JSON.parse(Buffer.from(segments[part] ?? '', 'base64url').toString());
    segments[part] = Buffer.from(JSON.stringify({ ...members, [name]: value })).toString('base64url');
    return segments.join('.');
  } catch {
    // An earlier change broke the text.
    return `${proof}x`;
  }
}

const change: fc.Arbitrary<(sent: Sent) => Sent> = fc.oneof(
  edit.map((how) => (sent: Sent) => ({ ...sent, proof: edited(sent.proof, how) })),
  edit.map((how) => (sent: Sent) => ({ ...sent, token: edited(sent.token, how) })),
  edit.map((how) => (sent: Sent) => ({ ...sent, target: edited(sent.target, how) })),
  fc.constantFrom('GET', 'PUT', 'post', 'POST ', '').map((method) => (sent: Sent) => ({ ...sent, method })),
  fc.constant((sent: Sent) => ({ ...sent, scheme: 'Bearer' as const })),
  fc
    .tuple(fc.constantFrom('htm', 'htu', 'iat', 'jti', 'ath', 'nonce', 'x'), fc.jsonValue())
    .map(([name, value]) => (sent: Sent) => ({ ...sent, proof: withMember(sent.proof, 1, name, value) })),
  fc
    .tuple(fc.constantFrom('typ', 'alg', 'jwk', 'kid', 'crit', 'x'), fc.jsonValue())
    .map(([name, value]) => (sent: Sent) => ({ ...sent, proof: withMember(sent.proof, 0, name, value) })),
);

/** RFC 3986 section 6.2.2: such a target is the same one. */
const isSame = (sent: Sent) => {
  const path = URL.canParse(sent.target, ORIGIN) ? new URL(sent.target, ORIGIN).pathname : undefined;
  return JSON.stringify({ ...sent, target: path }) === JSON.stringify(good);
};

describe('a changed proof, request or token', () => {
  let verifier: CredentialVerifier;
  let uses = 0;

  law('is never accepted, and the good one is, once', () =>
    fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
      // A verifier anew from time to time: one that accepted the good proof would refuse all others for that.
      if (uses % 1_000 === 0) verifier = fresh();
      uses += 1;
      const sent = changes.reduce((before, apply) => apply(before), good);
      if (isSame(sent)) return true;
      const { outcome } = ask(verifier, sent);
      if (uses % 1_000 !== 999) return outcome !== 'accepted';
      return (
        outcome !== 'accepted' &&
        ask(verifier, good).outcome === 'accepted' &&
        ask(verifier, good).outcome === 'refused'
      );
    }),
  );
});
