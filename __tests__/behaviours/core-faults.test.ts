/** N10, N11, N15 and N18: two questions about one credential, keys withdrawn meanwhile, clocks set back, floods of unknown keys. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type AccessKeyRecord,
  type AccessTokensOptions,
  accessTokens,
  apiKeys,
  type CredentialVerifier,
  type KeyRecord,
  requireBearer,
} from 'keyward';
import { mintKey } from '../../lib/credentials/keyward-format.js';
import { PresentedCredential } from '../../lib/http/presented-credential.js';
import { answerOf, T1 } from '../support/answers.js';
import { type Deferred, deferred } from '../support/deferred.js';
import { type IssuerServer, serveIssuer } from '../support/issuer-server.js';
import { createKeyTable } from '../support/key-table.js';
import { createManualClock, type ManualClock, START } from '../support/manual-clock.js';
import { type ServedApp, serveApp } from '../support/served-app.js';
import { AUDIENCE, createKey, forge, ISSUER, jwkOf, jwksOf, NOW } from '../support/token-forge.js';

const HOUR = 3_600_000;
const signer = createKey('ES256', 'ours');
const ACCESS_KEY: AccessKeyRecord = {
  ...{ id: 'ack_forged', account: 'acc_1', environment: 'live', secrets: [] },
  ...{ scopes: ['payments'], defaultScopes: ['payments'] },
};

let clock: ManualClock;
let api: ServedApp | undefined;
let issuer: IssuerServer | undefined;
beforeEach(() => {
  clock = createManualClock();
});
afterEach(async () => {
  await Promise.all([api?.close(), issuer?.close()]);
  [api, issuer] = [undefined, undefined];
});

const tokensOf = (options: Partial<AccessTokensOptions> = {}) =>
  accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(signer), clock, ...options });

async function serveGate(...accept: readonly CredentialVerifier[]) {
  const served = await serveApp((app, handler) => app.get('/', requireBearer({ accept }), handler));
  api = served;
  return async (credential: string) => answerOf(await served.ask('/', credential));
}

describe('one credential that is asked for twice', () => {
  const table = createKeyTable();
  const key = table.add();
  const resolver = { resolveKey: table.resolveKey };
  const keysOf = (cache: false | undefined) =>
    apiKeys({ resolver, kinds: ['secret'], environment: 'live', clock: createManualClock(), cache });

  it.each<[string, () => CredentialVerifier, string]>([
    ['a token', () => tokensOf(), forge(signer)],
    ['a token that is not cached', () => tokensOf({ cache: false }), forge(signer)],
    ['a key', () => keysOf(undefined), key],
    ['a key that is not cached', () => keysOf(false), key],
  ])(
    'N10 %s has the same answer, and so at a gate with two wrappers around one verifier',
    async (_what, make, text) => {
      const verifier = make();
      const credential = new PresentedCredential(text);
      const [first, second] = [await verifier.verify(credential), await verifier.verify(credential)];
      expect(first.outcome).toBe('accepted');
      expect(second).toEqual(first);

      const declining: CredentialVerifier = {
        verify: async (presented) => {
          await verifier.verify(presented);
          return { outcome: 'declined' };
        },
      };
      const answering: CredentialVerifier = { verify: (presented) => verifier.verify(presented) };
      expect(await (await serveGate(declining, answering))(text)).toMatchObject({ status: 200 });
    },
  );
});

describe('a verifier that freezes all that another verifier returns', () => {
  function deepFreeze<T extends object>(value: T): T {
    for (const name of Reflect.ownKeys(value)) {
      const part: unknown = Reflect.get(value, name);
      if (typeof part === 'object' && part !== null && !Object.isFrozen(part)) deepFreeze(part);
    }
    return Object.freeze(value);
  }
  const freezing = ({ kinds, verify }: CredentialVerifier): CredentialVerifier => ({
    ...{ kinds },
    verify: async (credential) => deepFreeze(await verify(credential)),
  });
  const proof = { dpop: { origin: 'https://api.test' } };

  it.each<[string, object]>([
    ['a token', {}],
    ['a token of a verifier of proofs', proof],
  ])('X01 %s is refused after its access key was revoked', async (_what, options) => {
    let record = ACCESS_KEY;
    const verifier = tokensOf({ accessKeys: { resolveAccessKey: async () => record }, ...options });
    const ask = await serveGate(freezing(verifier));
    const token = forge(signer);
    expect([(await ask(token)).status, (await ask(token)).status]).toEqual([200, 200]);
    record = { ...ACCESS_KEY, revokedAt: new Date(START) };
    verifier.invalidate({ accessKey: ACCESS_KEY.id });
    expect(await ask(token)).toEqual(T1);
  });

  it('X01 a key is refused after it was revoked, and another gate accepts it before', async () => {
    const table = createKeyTable();
    const key = table.add();
    const keys = apiKeys({ resolver: table.resolveKey, kinds: ['secret'], environment: 'live', clock });
    const served = await serveApp((app, handler) => {
      app.get('/frozen', requireBearer({ accept: [freezing(keys)] }), handler);
      app.get('/', requireBearer({ accept: [keys] }), handler);
    });
    api = served;
    const ask = async (path: string) => (await served.ask(path, key)).status;
    expect([await ask('/frozen'), await ask('/'), await ask('/frozen')]).toEqual([200, 200, 200]);
    table.edit(key, { revokedAt: new Date(START) });
    keys.invalidate({ key: table.recordOf(key).id });
    expect([await ask('/frozen'), await ask('/')]).toEqual([401, 401]);
  });
});

describe('a signing key that is withdrawn while its token is verified', () => {
  it('N11 the request that looks up the access key, and one that joins it: both refused', async () => {
    const server = await serveIssuer(jwkOf(signer));
    issuer = server;
    const lookups: Deferred<AccessKeyRecord>[] = [];
    const resolveAccessKey = () => {
      const lookup = deferred<AccessKeyRecord>();
      lookups.push(lookup);
      return lookup.promise;
    };
    const ask = await serveGate(tokensOf({ jwks: server.jwksUri, accessKeys: { resolveAccessKey } }));
    const token = forge(signer, { jti: 'pending' });
    const first = ask(token);
    await until(() => lookups.length === 1);
    const second = ask(token);
    server.publish(jwkOf(createKey('ES256', 'another')));
    clock.advance(600_000);
    // It makes the fetch by which the key is known to be withdrawn.
    expect(await ask(forge(signer, { jti: 'other' }))).toEqual(T1);
    lookups[0]?.resolve(ACCESS_KEY);
    expect(await Promise.all([first, second])).toEqual([T1, T1]);
    expect(lookups.length).toBe(1);
  });
});

describe('the wall clock jumps past a planned revocation, and back', () => {
  const revokedAt = new Date(START + HOUR);

  it.each(['before it', 'after it'])('N15 a key that was first used %s: decided by the current time', async (when) => {
    const table = createKeyTable();
    const key = table.add({ revokedAt });
    const ask = await serveGate(apiKeys({ resolver: table, kinds: ['secret'], environment: 'live', clock }));
    if (when === 'before it') expect(await ask(key)).toMatchObject({ status: 200 });
    clock.setWall(2 * HOUR);
    expect([await ask(key), await ask(key)]).toEqual([T1, T1]);
    clock.setWall(-2 * HOUR);
    // That it is to be revoked was not known before: the record is read again after negativeTtl.
    if (when === 'after it') clock.advance(1_000);
    expect(await ask(key)).toMatchObject({ status: 200 });
    clock.setWall(HOUR);
    expect(await ask(key)).toEqual(T1);
  });

  it('N15 an access key and its tokens', async () => {
    const accessKeys = { resolveAccessKey: async () => ({ ...ACCESS_KEY, revokedAt }) };
    const ask = await serveGate(tokensOf({ accessKeys }));
    const token = forge(signer, { exp: NOW + 86_400 });
    expect(await ask(token)).toMatchObject({ status: 200 });
    clock.setWall(2 * HOUR);
    expect([await ask(token), await ask(token)]).toEqual([T1, T1]);
    clock.setWall(-2 * HOUR);
    expect(await ask(token)).toMatchObject({ status: 200 });
  });
});

describe('N18 a flood of 4,000 unknown keys a second, and a resolver that takes 50 ms', () => {
  /** A step of the flood: 2.5 ms, in which ten unknown keys arrive. */
  const STEP_MS = 2.5;
  const STEPS = 600;
  const LOOKUP_STEPS = 20;
  const PER_STEP = 10;

  /** Floods a verifier, presents one good key a step, and counts those that are accepted. */
  async function flood(known: boolean, networkOfGood: (step: number) => string) {
    const records = new Map<string, KeyRecord>();
    const pending: { readonly until: number; settle(): void }[] = [];
    let step = 0;
    const resolveKey = ({ digest }: { readonly digest: string }) =>
      new Promise<KeyRecord | undefined>((resolve) => {
        pending.push({ until: step + LOOKUP_STEPS, settle: () => resolve(records.get(digest)) });
      });
    const keys = apiKeys({ resolver: resolveKey, kinds: ['secret'], environment: 'live', clock, cache: { max: 1 } });
    const present = async (text: string, ip: string) =>
      (await keys.verify(new PresentedCredential(text, { ip }))).outcome === 'accepted';
    async function next() {
      step += 1;
      clock.advance(STEP_MS);
      while ((pending[0]?.until ?? Number.POSITIVE_INFINITY) <= step) pending.shift()?.settle();
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }

    const good = Array.from({ length: STEPS }, (_, index) => {
      const key = mintKey('secret', 'live');
      const { digest } = new PresentedCredential(key);
      const id = `key_${index}`;
      records.set(digest, { id, kind: 'secret', account: 'acc_1', environment: 'live', apis: 'all' });
      return key;
    });
    if (known) {
      for (const key of good) {
        const answer = present(key, '192.0.2.1');
        for (let i = 0; i <= LOOKUP_STEPS; i += 1) await next();
        expect(await answer).toBe(true);
      }
    }
    const answers: Promise<boolean>[] = [];
    for (const [index, key] of good.entries()) {
      for (let i = 0; i < PER_STEP; i += 1) void present(mintKey('secret', 'live'), '203.0.113.66');
      // The good keys are sent after the flood has started.
      if (index >= 100) answers.push(present(key, networkOfGood(index)));
      await next();
    }
    for (let i = 0; i <= LOOKUP_STEPS; i += 1) await next();
    const accepted = (await Promise.all(answers)).filter(Boolean).length;
    return accepted / answers.length;
  }

  it('N18 good keys that were known before, from the network of the flood', async () => {
    expect(await flood(true, () => '203.0.113.66')).toBeGreaterThanOrEqual(0.95);
  });

  it('N18 good keys that were never seen, from other networks', async () => {
    expect(await flood(false, (step) => `198.51.100.${step % 250}`)).toBeGreaterThanOrEqual(0.95);
  });
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
