import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ErrorRequestHandler } from 'express';
import {
  type AuthenticationContext,
  accessTokens,
  BearerError,
  defineGuard,
  requireAny,
  requireAuthenticationContext,
  requireBearer,
  requireKeyKind,
} from 'keyward';
import type { AcceptedTokens } from '../../../lib/contracts/credential-verifier.js';
import { setPrincipal } from '../../../lib/express/gate/request-principal.js';
import { guardMetadataOf } from '../../../lib/express/guards/guard.js';
import type { GateMetadata } from '../../../lib/express/route-metadata.js';
import { answerOf } from '../../support/answers.js';
import { eavesdrop } from '../../support/eavesdrop.js';
import { createManualClock } from '../../support/manual-clock.js';
import { bearing, pass, requestOf } from '../../support/passage.js';
import { keyPrincipal, tokenPrincipal } from '../../support/principals.js';
import { type ServedApp, serveApp } from '../../support/served-app.js';
import { acceptingVerifier, answering } from '../../support/stub-verifier.js';
import { AUDIENCE, createKey, forge, ISSUER, jwksOf, NOW } from '../../support/token-forge.js';

const MFA = 'urn:example:mfa';
const key = createKey('ES256');
const clock = createManualClock();
const options = { issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(key), clock };
const tokens = accessTokens(options);
const token = (claims: Record<string, unknown>) => forge(key, { jti: JSON.stringify(claims), ...claims });

/** SU of behaviours-2.md. */
const stepUp = (parameters: string) => ({
  status: 401,
  challenge:
    'Bearer realm="api", error="insufficient_user_authentication", ' +
    `error_description="The user must authenticate again, possibly with a different authentication method", ${parameters}`,
});
const OK = { status: 200, challenge: undefined };

describe('requireAuthenticationContext', () => {
  let app: ServedApp;
  const events = eavesdrop();
  beforeAll(async () => {
    app = await serveApp((made, handler) => {
      const gate = requireBearer({ accept: [tokens] });
      made.get('/acr', gate, requireAuthenticationContext({ acr: [MFA, 'hwk'] }), handler);
      made.get('/age', gate, requireAuthenticationContext({ maxAge: 300 }), handler);
      made.get('/both', gate, requireAuthenticationContext({ acr: [MFA], maxAge: 300 }), handler);
      const scoped = requireBearer({ accept: [tokens], scopes: ['payments'], resourceMetadata: 'https://m.example/x' });
      made.get('/scoped', scoped, requireAuthenticationContext({ acr: [MFA] }), handler);
      const strict = requireBearer({ accept: [accessTokens({ ...options, clockTolerance: 0 })] });
      made.get('/strict', strict, requireAuthenticationContext({ maxAge: 300 }), handler);
      const foreign = acceptingVerifier(
        tokenPrincipal({ payload: { auth_time: Math.floor(Date.now() / 1_000) - 60 } }),
      );
      const own = requireBearer({ accept: [foreign] });
      made.get('/own', own, requireAuthenticationContext({ maxAge: 300 }), handler);
      made.get('/own-late', own, requireAuthenticationContext({ maxAge: 30 }), handler);
      const keyed = requireBearer({ accept: [acceptingVerifier(keyPrincipal())] });
      made.get('/key', keyed, requireAuthenticationContext({ acr: [MFA] }), handler);
      made.get(
        '/key-or-user',
        keyed,
        requireAny(requireAuthenticationContext({ acr: [MFA] }), requireKeyKind('secret')),
        handler,
      );
    });
  });
  afterAll(() => {
    events.stop();
    return app.close();
  });
  const ask = async (path: string, claims: Record<string, unknown>) => answerOf(await app.ask(path, token(claims)));

  it.each([
    ['the first of the list', { acr: MFA }, true],
    ['the second of the list', { acr: 'hwk' }, true],
    ['not in the list', { acr: 'pwd' }, false],
    ['part of one in the list', { acr: 'hw' }, false],
    ['both in one text', { acr: `${MFA} hwk` }, false],
    ['a list', { acr: [MFA] }, false],
    ['absent', {}, false],
  ])('R10 acr is %s', async (_what, claims, passes) => {
    expect(await ask('/acr', claims)).toEqual(passes ? OK : stepUp(`acr_values="${MFA} hwk"`));
  });

  it.each([
    ['now', NOW, true],
    ['as long ago as may be', NOW - 300, true],
    ['a second longer ago', NOW - 301, false],
    ['ahead by less than the clocks may differ', NOW + 5, true],
    ['in the future', NOW + 6, false],
    ['absent', undefined, false],
    ['a text', String(NOW), false],
    ['in milliseconds', NOW * 1_000, false],
  ])('R10 auth_time is %s', async (_what, authTime, passes) => {
    expect(await ask('/age', { auth_time: authTime })).toEqual(passes ? OK : stepUp('max_age="300"'));
  });

  it('R10 both conditions must hold', async () => {
    expect(await ask('/both', { acr: MFA, auth_time: NOW })).toEqual(OK);
    const answer = stepUp(`acr_values="${MFA}", max_age="300"`);
    for (const claims of [{ acr: MFA }, { auth_time: NOW }, { acr: MFA, auth_time: NOW - 301 }]) {
      expect(await ask('/both', claims)).toEqual(answer);
    }
  });

  it('R10 the age is checked on every request, by the clock of the verifier', async () => {
    const presented = token({ auth_time: NOW - 299, exp: NOW + 3_600 });
    expect((await app.ask('/age', presented)).status).toBe(200);
    clock.advance(2_000);
    expect((await app.ask('/age', presented)).status).toBe(401);
    clock.advance(-2_000);
  });

  it('R10 the tolerance is that of the verifier', async () => {
    expect(await ask('/strict', { auth_time: NOW })).toEqual(OK);
    expect(await ask('/strict', { auth_time: NOW + 1 })).toEqual(stepUp('max_age="300"'));
  });

  it('R10 with a custom verifier without a clock, the clock of the machine counts', async () => {
    expect((await app.ask('/own', 'abc')).status).toBe(200);
    expect((await app.ask('/own-late', 'abc')).status).toBe(401);
  });

  it('R10 a key has no user: refused, unless another guard accepts it', async () => {
    expect(answerOf(await app.ask('/key', 'abc'))).toEqual(stepUp(`acr_values="${MFA}"`));
    expect((await app.ask('/key-or-user', 'abc')).status).toBe(200);
  });

  it('R10 the challenge names the scopes of the gate and the metadata too', async () => {
    expect(await ask('/scoped', {})).toEqual(
      stepUp(`acr_values="${MFA}", scope="payments", resource_metadata="https://m.example/x"`),
    );
  });

  it('R10 the event has the reason, the caller gets the fixed text', async () => {
    events.clear();
    const { body } = await app.ask('/acr', token({ acr: 'pwd' }));
    expect(JSON.parse(body)).toEqual({
      error: 'insufficient_user_authentication',
      error_description: 'The user must authenticate again, possibly with a different authentication method',
    });
    expect(events.heard('keyward:decision').at(-1)).toMatchObject({
      outcome: 'refused',
      by: `requireAuthenticationContext(${MFA}, hwk)`,
      code: 'insufficient_user_authentication',
      reason: 'authentication_context',
    });
  });

  it('says that keys never pass', () => {
    expect(guardMetadataOf(requireAuthenticationContext({ maxAge: 60 }))).toMatchObject({
      name: 'requireAuthenticationContext(60 s)',
      kinds: ['access'],
    });
  });

  it('allows a second at least', () => {
    expect(() => requireAuthenticationContext({ maxAge: 1 })).not.toThrow();
  });

  it.each([
    ['nothing', {}, 'expected "acr", "maxAge" or both'],
    [
      'no acr value',
      { acr: [] },
      'option "acr" must be a list of one or more acr values that consist of ASCII characters other than spaces, double quotes and backslashes',
    ],
    ['a text', { acr: MFA }, 'option "acr"'],
    ['two values in one', { acr: ['a b'] }, 'option "acr"'],
    ['a quote', { acr: ['a"b'] }, 'option "acr"'],
    ['no time at all', { maxAge: 0 }, 'option "maxAge" must be a whole number of seconds, 1 or more'],
    ['two values, one of them with a space', { acr: ['a', 'b c'] }, 'option "acr"'],
    ['half a second', { maxAge: 0.5 }, 'option "maxAge"'],
    ['for ever', { maxAge: Number.POSITIVE_INFINITY }, 'option "maxAge"'],
    ['another option', { max_age: 5 }, 'unknown option "max_age"'],
  ])('throws at the start: %s', (_what, context, message) => {
    const guard = () => requireAuthenticationContext(context as AuthenticationContext);
    expect(guard).toThrow(TypeError);
    expect(guard).toThrow(`requireAuthenticationContext: ${message}`);
  });

  it.each([[{}], [{ acr: ['a b'] }], [{ maxAge: 0 }], [{ acr: [MFA], maxAge: '5' }]])(
    'a custom guard can require it by request, and fails closed if it requires nothing: %j',
    async (authenticationContext) => {
      const mine = defineGuard({ name: 'mine', check: () => ({ authenticationContext }) as never });
      const good = defineGuard({ name: 'good', check: () => ({ authenticationContext: { maxAge: 60 } }) });
      const served = await serveApp((made, handler) => {
        const gate = requireBearer({ accept: [tokens] });
        made.get('/mine', gate, mine, handler).get('/good', gate, good, handler);
        const onError: ErrorRequestHandler = (error, _req, res, next) => {
          if (error instanceof BearerError) next(error);
          else res.sendStatus(500);
        };
        made.use(onError);
      });
      expect(answerOf(await served.ask('/good', token({})))).toMatchObject(stepUp('max_age="60"'));
      expect((await served.ask('/mine', token({}))).status).toBe(500);
      await served.close();
    },
  );
});

it('refuses a token without a payload, as a custom verifier may return it', async () => {
  const gate = requireBearer({ accept: [acceptingVerifier(tokenPrincipal({ payload: undefined as never }))] });
  for (const context of [{ acr: ['mfa'] }, { maxAge: 60 }]) {
    const { error } = await pass(bearing('abc'), gate, requireAuthenticationContext(context));
    expect(error).toMatchObject({ code: 'insufficient_user_authentication', status: 401 });
  }
});

it('R10 refuses a key with a payload, as a custom verifier may return it: no user has authenticated', async () => {
  const payload = { acr: 'mfa', auth_time: Math.floor(Date.now() / 1_000) };
  const gate = requireBearer({ accept: [acceptingVerifier({ ...keyPrincipal(), payload } as never)] });
  for (const context of [{ acr: ['mfa'] }, { maxAge: 60 }]) {
    const { error } = await pass(bearing('abc'), gate, requireAuthenticationContext(context));
    expect(error).toMatchObject({ code: 'insufficient_user_authentication', status: 401 });
  }
});

describe('the clock of auth_time', () => {
  const guard = requireAuthenticationContext({ maxAge: 300 });
  const [near, far] = [createManualClock(), createManualClock()];
  far.advance(3_600_000);
  const principal = (payload: object) => tokenPrincipal({ payload: { auth_time: NOW, ...payload } });
  const judged = async (given: ReturnType<typeof principal>, ...accepted: readonly (AcceptedTokens | undefined)[]) => {
    const accept = accepted.map((tokens) => answering({ outcome: 'declined' }, { tokens }));
    const gate = requireBearer({ accept: [...accept, acceptingVerifier(given)] });
    return (await pass(bearing('abc'), gate, guard)).passed;
  };
  const [ours, theirs] = [
    { issuer: 'ours', audiences: [], clock: near },
    { issuer: 'theirs', audiences: [], clock: far },
  ];

  it('is that of the verifier with the issuer of the token', async () => {
    expect(await judged(principal({ iss: 'ours' }), theirs, ours)).toBe(true);
    expect(await judged(principal({ iss: 'theirs' }), ours, theirs)).toBe(false);
  });

  it('is that of the first verifier of tokens, if no verifier has the issuer', async () => {
    expect(await judged(principal({ iss: 'other' }), ours, theirs)).toBe(true);
    expect(await judged(principal({ iss: 'other' }), theirs, ours)).toBe(false);
    expect(await judged(principal({}), undefined, ours, theirs)).toBe(true);
  });

  it('is that of the machine, if no verifier is known', () => {
    const now = Math.floor(Date.now() / 1_000);
    const [recent, old] = [principal({ auth_time: now }), principal({ auth_time: now - 3_600 })];
    expect([guard.check(recent, requestOf()), guard.check(old, requestOf())]).toEqual([true, expect.any(Object)]);
    const req = requestOf();
    // A gate of an older copy of keyward has no list of verifiers.
    setPrincipal(req, { accept: undefined } as unknown as GateMetadata, recent);
    expect(guard.check(recent, req)).toBe(true);
  });
});
