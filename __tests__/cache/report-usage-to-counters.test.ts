import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type AccessKeyRecord, accessTokens, apiKeys, type KeyResolver, type UsageCounter } from 'keyward';
import { PresentedCredential } from '../../lib/http/presented-credential.js';
import { createDpopClient, ORIGIN } from '../support/dpop-client.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { createKeyTable } from '../support/key-table.js';
import { createManualClock, START } from '../support/manual-clock.js';
import { AUDIENCE, createKey, forge, ISSUER, jwksOf } from '../support/token-forge.js';

const signer = createKey('ES256');
const clock = createManualClock();

let ear: Eavesdropper;
let counts: Record<string, [accepted: number, refused: number]>;
beforeEach(() => {
  ear = eavesdrop();
  counts = {};
});
afterEach(() => ear.stop());

function usageOf(id: string): UsageCounter {
  counts[id] ??= [0, 0];
  const count = counts[id];
  return {
    accepted: () => {
      count[0] += 1;
    },
    refused: () => {
      count[1] += 1;
    },
  };
}

const presentedFrom = (ip: string, text: string) =>
  new PresentedCredential(text, { headers: {}, ip } as unknown as IncomingMessage);

describe('API keys', () => {
  const table = createKeyTable();
  const verifierOf = (resolver: Partial<KeyResolver>) =>
    apiKeys({
      resolver: { resolveKey: table.resolveKey, ...resolver } as KeyResolver,
      kinds: ['secret'],
      environment: 'live',
    });

  it('counts each accepted request, cached or not', async () => {
    const key = table.add({ id: 'key_1' });
    const keys = verifierOf({ usageOf });
    await Promise.all([1, 2, 3].map(() => keys.verify(new PresentedCredential(key))));
    for (let request = 0; request < 5; request += 1) keys.verify(new PresentedCredential(key));
    expect(counts).toEqual({ key_1: [8, 0] });
  });

  it('counts refusals of known keys, but not of unknown ones', async () => {
    const revoked = table.add({ id: 'key_2', revokedAt: new Date(0) });
    const unknown = table.add({ id: 'key_3' });
    table.remove(unknown);
    const keys = verifierOf({ usageOf });
    for (let request = 0; request < 3; request += 1) {
      expect((await keys.verify(new PresentedCredential(revoked))).outcome).toBe('refused');
      expect((await keys.verify(new PresentedCredential(unknown))).outcome).toBe('refused');
    }
    expect(counts).toEqual({ key_2: [0, 3] });
  });

  it.each<[string, string, () => UsageCounter]>([
    [
      'usageOf that throws',
      'threw',
      () => {
        throw new Error('secret-canary');
      },
    ],
    ['usageOf that rejects', 'rejected', () => Promise.reject(new Error('secret-canary')) as never],
    [
      'a counter that throws',
      'threw',
      () => {
        const fail = (): never => {
          throw new Error('secret-canary');
        };
        return { accepted: fail, refused: fail };
      },
    ],
    [
      'a counter that rejects',
      'rejected',
      () => {
        const fail = () => Promise.reject(new Error('secret-canary'));
        return { accepted: fail, refused: fail };
      },
    ],
  ])('%s: the request gets a response, and there is an event', async (_what, reason, broken) => {
    const [good, revoked] = [table.add({}), table.add({ revokedAt: new Date(0) })];
    const keys = verifierOf({ usageOf: broken });
    expect((await keys.verify(new PresentedCredential(good))).outcome).toBe('accepted');
    expect((await keys.verify(new PresentedCredential(revoked))).outcome).toBe('refused');
    await new Promise((resolve) => setImmediate(resolve));
    const events = ear.heard('keyward:callback-failure');
    expect(events.length).toBeGreaterThanOrEqual(2);
    for (const event of events) {
      expect(event).toMatchObject({
        of: 'apiKeys',
        callback: 'usageOf',
        reason: expect.stringMatching(/^(?:threw|rejected)$/),
      });
    }
    expect(events).toContainEqual(expect.objectContaining({ reason }));
    expect(JSON.stringify(events)).not.toContain('secret-canary');
  });

  it('counts a request from an address that is not allowed as refused, and does not record it as a use', async () => {
    const recorded: (string | undefined)[] = [];
    const key = table.add({ id: 'key_4', allowedAddresses: ['203.0.113.7'] });
    const keys = verifierOf({ usageOf, recordUse: (_digest, from) => void recorded.push(from) });
    for (const ip of ['203.0.113.8', '203.0.113.7', '203.0.113.8', '203.0.113.7']) {
      await keys.verify(presentedFrom(ip, key));
    }
    expect(counts).toEqual({ key_4: [2, 2] });
    expect(recorded).toEqual(['203.0.113.7']);
  });

  it('counts nothing if the resolver has no usageOf', async () => {
    const [good, revoked] = [table.add({}), table.add({ revokedAt: new Date(0) })];
    const keys = verifierOf({});
    expect((await keys.verify(new PresentedCredential(good))).outcome).toBe('accepted');
    expect((await keys.verify(new PresentedCredential(revoked))).outcome).toBe('refused');
    expect([counts, ear.heard('keyward:callback-failure')]).toEqual([{}, []]);
  });
});

describe('access tokens', () => {
  let record: Partial<AccessKeyRecord>;
  const accessKeys = {
    usageOf,
    resolveAccessKey: (id: string): AccessKeyRecord => ({
      ...{ id, account: 'acc_1', environment: 'live', secrets: [{ digest: '0'.repeat(64) }] },
      ...{ scopes: [], defaultScopes: [], ...record },
    }),
  };
  const make = () => accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(signer), accessKeys, clock });
  const token = (seconds = 300) => forge(signer, { exp: START / 1_000 + seconds });
  const client = () => Object.keys(counts);

  beforeEach(() => {
    record = {};
  });

  it('are counted as refused if they come from an address that is not allowed', async () => {
    record = { allowedAddresses: ['203.0.113.0/24'] };
    const tokens = make();
    const text = token();
    for (const ip of ['203.0.113.8', '198.51.100.1', '203.0.113.9']) await tokens.verify(presentedFrom(ip, text));
    expect(Object.values(counts)).toEqual([[2, 1]]);
  });

  it('are counted for their access key, also those that join the verification of another', async () => {
    const tokens = make();
    const text = token();
    await Promise.all([1, 2, 3].map(() => tokens.verify(new PresentedCredential(text))));
    for (let request = 0; request < 4; request += 1) await tokens.verify(new PresentedCredential(text));
    await tokens.verify(new PresentedCredential(token(200)));
    expect(client()).toHaveLength(1);
    expect(Object.values(counts)).toEqual([[8, 0]]);
  });

  it('are counted as refused if their access key ended, but not if their signature is wrong', async () => {
    record = { revokedAt: new Date(0) };
    const tokens = make();
    const text = token();
    for (let request = 0; request < 3; request += 1) {
      expect((await tokens.verify(new PresentedCredential(text))).outcome).toBe('refused');
    }
    await tokens.verify(new PresentedCredential(forge(createKey('ES256'), { exp: START / 1_000 + 60 })));
    expect(Object.values(counts)).toEqual([[0, 3]]);
  });

  it('are not counted if the resolver has no usageOf', async () => {
    const { resolveAccessKey } = accessKeys;
    const base = { issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(signer), clock };
    const tokens = accessTokens({ ...base, accessKeys: { resolveAccessKey } });
    expect((await tokens.verify(new PresentedCredential(token()))).outcome).toBe('accepted');
    expect([counts, ear.heard('keyward:callback-failure')]).toEqual([{}, []]);
  });

  it('are not counted if their access key is unknown', async () => {
    const resolver = { ...accessKeys, resolveAccessKey: () => undefined };
    const base = { issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(signer), clock };
    const tokens = accessTokens({ ...base, accessKeys: resolver });
    expect((await tokens.verify(new PresentedCredential(token()))).outcome).toBe('refused');
    expect(counts).toEqual({});
  });

  it('are counted as refused if the request does not prove that it has their key, cached or not', async () => {
    const client = await createDpopClient(signer);
    const base = { issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(signer), accessKeys, clock };
    const tokens = accessTokens({ ...base, dpop: { origin: ORIGIN } });
    const bound = client.token();
    const good = () => client.proof(bound);
    const used = good();
    const present = async (proof: string | undefined, scheme: 'DPoP' | 'Bearer' = 'DPoP') => {
      const request = { method: 'GET', originalUrl: '/', headers: proof === undefined ? {} : { dpop: proof } };
      return (await tokens.verify(new PresentedCredential(bound, request, undefined, scheme))).outcome;
    };
    const wrong = () => client.proof('another token');
    expect([await present(wrong()), await present(used), await present(used), await present(wrong())]).toEqual([
      ...['refused', 'accepted', 'refused', 'refused'],
    ]);
    expect([await present(undefined), await present(undefined, 'Bearer'), await present(good())]).toEqual([
      ...['refused', 'refused', 'accepted'],
    ]);
    expect(Object.values(counts)).toEqual([[2, 5]]);
  });
});
