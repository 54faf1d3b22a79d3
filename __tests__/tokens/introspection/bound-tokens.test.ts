import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { ReplayCache } from 'keyward';
import { ENTRY } from '../../../lib/contracts/credential-verifier.js';
import { PresentedCredential } from '../../../lib/http/presented-credential.js';
import { createIntrospectedTokens } from '../../../lib/tokens/introspection/introspected-tokens.js';
import { readIntrospectedTokensOptions } from '../../../lib/tokens/introspection/introspection-options.js';
import { T1 } from '../../support/answers.js';
import { askAsGate } from '../../support/ask-as-gate.js';
import { createDpopClient, ORIGIN } from '../../support/dpop-client.js';
import { ACTIVE, AUDIENCE, introspectedApi, NOW } from '../../support/introspection-server.js';
import { createManualClock } from '../../support/manual-clock.js';
import { ACCEPTED, refusal } from '../../support/token-api.js';
import { createKey, ISSUER } from '../../support/token-forge.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describe('token_type', () => {
  async function judged(members: object, options = {}) {
    const { api, answer, close } = await introspectedApi(options);
    closing.push(close);
    answer({ body: { ...ACTIVE, ...members } });
    return api.judge('opaque-token');
  }

  it.each([
    [{ token_type: 'DPoP' }],
    [{ token_type: 'dpop' }],
    [{ token_type: 'mac' }],
    [{ token_type: 'PoP' }],
    [{ typ: 'DPoP', token_type: 'Bearer' }],
  ])('%j without cnf is refused, with and without the option dpop', async (members) => {
    expect(await judged(members)).toEqual(refusal(T1, 'token_cnf'));
    const { reason, handled } = await judged(members, { dpop: { origin: ORIGIN } });
    expect([reason, handled]).toEqual(['token_cnf', false]);
  });

  it('DPoP with cnf of a certificate only is refused', async () => {
    const cnf = { 'x5t#S256': 'a'.repeat(43) };
    const { reason } = await judged({ token_type: 'DPoP', cnf }, { mtls: {} });
    expect(reason).toBe('token_cnf');
  });

  it('N_A is no access token (RFC 8693 section 2.2.1)', async () => {
    expect(await judged({ token_type: 'N_A' })).toEqual(refusal(T1, 'token_use'));
  });

  it.each([
    ['absent', {}],
    ['null', { token_type: null }],
    ['Bearer', { token_type: 'Bearer' }],
    ['bearer', { token_type: 'bearer' }],
    ['access_token', { token_type: 'access_token' }],
    ['a URN', { token_type: 'urn:ietf:params:oauth:token-type:access_token' }],
    ['at+jwt', { typ: 'at+jwt' }],
  ])('%s is accepted as a Bearer token', async (_what, members) => {
    expect(await judged(members)).toEqual(ACCEPTED);
  });
});

it('a token that expires while the replay cache is asked is refused, to the millisecond', async () => {
  const clock = createManualClock();
  const client = await createDpopClient(createKey('ES256'));
  const replay: ReplayCache = {
    async firstUse() {
      clock.advance(1_500);
      return true;
    },
  };
  const options = readIntrospectedTokensOptions({
    ...{ issuer: ISSUER, audience: AUDIENCE, client: { id: 'api', secret: 'secret' }, clock },
    dpop: { origin: ORIGIN, replay },
  });
  const answer = { ...ACTIVE, exp: NOW + 3, token_type: 'DPoP', cnf: { jkt: client.thumbprint } };
  const verifier = createIntrospectedTokens(options, async () => answer);
  const present = () => {
    const headers = { dpop: client.proof('opaque-token', { iat: NOW }) };
    const request = { method: 'GET', originalUrl: '/', headers };
    return verifier.verify(new PresentedCredential('opaque-token', request, undefined, 'DPoP'));
  };
  expect(await present()).toMatchObject({ outcome: 'accepted', principal: { confirmation: 'dpop' } });
  expect(await present()).toEqual({ outcome: 'refused', reason: 'expired' });
});

describe('a token that is invalidated while the replay cache is asked', () => {
  async function setUp(more: object = {}) {
    const client = await createDpopClient(createKey('ES256'));
    let invalidates = true;
    const firstUse = jest.fn(async () => {
      if (invalidates) verifier.invalidate('all');
      return true;
    });
    const options = readIntrospectedTokensOptions({
      ...{ issuer: ISSUER, audience: AUDIENCE, client: { id: 'api', secret: 'secret' }, clock: createManualClock() },
      ...{ dpop: { origin: ORIGIN, replay: { firstUse } }, ...more },
    });
    const active = { ...ACTIVE, token_type: 'DPoP', cnf: { jkt: client.thumbprint } };
    const introspect = jest.fn(async (): Promise<Record<string, unknown>> => active);
    const verifier = createIntrospectedTokens(options, introspect);
    const present = () => {
      const headers = { dpop: client.proof('opaque-token', { iat: NOW }) };
      const request = { method: 'GET', originalUrl: '/', headers };
      return askAsGate(verifier, new PresentedCredential('opaque-token', request, undefined, 'DPoP'));
    };
    const keep = () => {
      invalidates = false;
    };
    return { active, introspect, firstUse, present, keep, invalidate: () => verifier.invalidate('all') };
  }

  it('is refused if it is not active any more', async () => {
    const { active, introspect, present } = await setUp();
    introspect.mockResolvedValueOnce(active).mockResolvedValue({ active: false });
    expect(await present()).toEqual({ outcome: 'refused', reason: 'token_inactive' });
  });

  it('is accepted with the new response, and the proof is not checked again', async () => {
    const { active, introspect, firstUse, present } = await setUp();
    introspect.mockResolvedValueOnce(active).mockResolvedValue({ ...active, scope: 'disputes' });
    const principal = { scopes: ['disputes'], confirmation: 'dpop' };
    expect(await present()).toMatchObject({ outcome: 'accepted', principal, [ENTRY]: { principal } });
    expect([introspect.mock.calls.length, firstUse.mock.calls.length]).toEqual([2, 1]);
  });

  it('is not looked up again if the proof was used before, if nothing is cached, or if it was not invalidated', async () => {
    const replayed = await setUp();
    replayed.firstUse.mockImplementation(async () => {
      replayed.invalidate();
      return false;
    });
    expect(await replayed.present()).toMatchObject({ reason: 'dpop_replayed' });
    const uncached = await setUp({ cache: false });
    expect(await uncached.present()).toMatchObject({ outcome: 'accepted' });
    const kept = await setUp();
    kept.keep();
    expect(await kept.present()).toMatchObject({ outcome: 'accepted' });
    const calls = [replayed, uncached, kept].map(({ introspect }) => introspect.mock.calls.length);
    expect(calls).toEqual([1, 1, 1]);
  });
});
