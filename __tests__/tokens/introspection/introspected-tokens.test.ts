import { describe, expect, it, jest } from '@jest/globals';
import type { IntrospectedTokensOptions } from 'keyward';
import { PresentedCredential } from '../../../lib/http/presented-credential.js';
import { createIntrospectedTokens } from '../../../lib/tokens/introspection/introspected-tokens.js';
import { readIntrospectedTokensOptions } from '../../../lib/tokens/introspection/introspection-options.js';
import { ACTIVE, AUDIENCE, NOW } from '../../support/introspection-server.js';
import { createManualClock } from '../../support/manual-clock.js';
import { ISSUER } from '../../support/token-forge.js';

/** A verifier whose issuer gives this response to each question about a token. */
function create(response: object, options: Partial<IntrospectedTokensOptions> = {}) {
  const clock = createManualClock();
  const settings = readIntrospectedTokensOptions({
    ...{ issuer: ISSUER, audience: AUDIENCE, client: { id: 'api', secret: 'secret' }, clock },
    ...options,
  });
  const introspect = jest.fn(async (_token: string) => response);
  const verifier = createIntrospectedTokens(settings, introspect as never);
  return { clock, introspect, verifier, ask: async () => verifier.verify(new PresentedCredential('opaque-token')) };
}

const accepted = expect.objectContaining({ outcome: 'accepted' });
const refused = (reason: string) => ({ outcome: 'refused', reason });

describe('the verifier', () => {
  it('names the tokens that it accepts', () => {
    const { verifier, clock } = create(ACTIVE);
    expect(verifier).toMatchObject({
      ...{ kinds: ['access'], claims: [{ of: ISSUER, what: `opaque tokens issued by ${ISSUER}` }], claimsRest: true },
      tokens: { issuer: ISSUER, audiences: [AUDIENCE], clock, clockTolerance: 5 },
    });
    expect(create(ACTIVE, { audience: false }).verifier).toMatchObject({ tokens: { audiences: [] } });
  });
});

describe('a token', () => {
  const names = ['typ', 'token_use', 'token_type'];
  const uses = ['refresh', 'refresh_token', 'offline', 'id', 'id_token', 'logout', 'n_a'];

  it.each(names.flatMap((name) => uses.map((use) => [name, use])))('%s %s is not for an API', async (name, use) => {
    for (const value of [use, use.toUpperCase()]) {
      expect(await create({ ...ACTIVE, [name]: value }).ask()).toEqual(refused('token_use'));
    }
  });

  it.each(['mac', 'pop', 'PoP'])('token_type %s has a proof that cannot be checked', async (value) => {
    expect(await create({ ...ACTIVE, token_type: value }).ask()).toEqual(refused('token_cnf'));
  });

  it.each(['', 'bearer', 'access_token'])('token_type "%s" is accepted', async (value) => {
    expect(await create({ ...ACTIVE, token_type: value }).ask()).toEqual(accepted);
  });
});

describe('the cache', () => {
  it('needs no change feed: an entry is used for the whole ttl', async () => {
    const { clock, introspect, ask } = create(ACTIVE, { cache: { ttl: 60_000 } });
    await ask();
    clock.advance(59_999);
    expect([await ask(), introspect.mock.calls.length]).toEqual([accepted, 1]);
    clock.advance(1);
    expect([await ask(), introspect.mock.calls.length]).toEqual([accepted, 2]);
  });

  it('never accepts an expired token, even if the endpoint fails', async () => {
    const { clock, introspect, ask } = create({ ...ACTIVE, exp: NOW + 10 }, { cache: { staleIfError: 60_000 } });
    expect(await ask()).toEqual(accepted);
    introspect.mockRejectedValue(new Error('no connection'));
    clock.advance(9_999);
    expect(await ask()).toEqual(accepted);
    clock.advance(1);
    expect(await ask()).toEqual(refused('expired'));
    clock.advance(2_000);
    expect(await ask()).toEqual(refused('expired'));
  });
});
