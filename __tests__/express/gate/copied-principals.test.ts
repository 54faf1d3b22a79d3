import { describe, expect, it, jest } from '@jest/globals';
import type * as keyward from 'keyward';
import { type CredentialVerifier, type Guard, type Principal, requireApi, requireBearer, requireScopes } from 'keyward';
import { createKeyTable } from '../../support/key-table.js';
import { bearing, pass } from '../../support/passage.js';

type Keyward = typeof keyward;

const first: Keyward = await import('keyward');
jest.resetModules();
const second: Keyward = await import('keyward');

const table = createKeyTable();
const limited = table.add({ apis: ['payments'] });
const unlimited = table.add({ apis: 'all' });
const listed = table.add({ apis: ['payments'], scopes: ['gateway'] });

/** `payments:superuser` sounds like a scope of payments, and belongs to another API. */
const MAP = { payments: ['gateway', 'payments:refund'], administration: ['payments:superuser'] };
const APIS = ['payments', 'administration', 'disputes'];
const SCOPES = [
  'payments',
  'payments:refund',
  'payments:superuser',
  'payments:other',
  'gateway',
  'administration',
  'other',
];
const GUARDS: Guard[] = [...APIS.map((api) => requireApi(api)), ...SCOPES.map((scope) => requireScopes(scope))];

function verifierOf({ apiKeys, apiMap }: Keyward, isMapped: boolean): CredentialVerifier {
  const apis = isMapped ? apiMap(MAP) : undefined;
  return apiKeys({ resolver: table.resolveKey, kinds: ['secret'], environment: 'live', apis });
}

/** Wraps a verifier as a user does who adds something to each principal. */
function wrapping(inner: CredentialVerifier, copy: (principal: Principal) => unknown): CredentialVerifier {
  return {
    async verify(credential) {
      const outcome = await inner.verify(credential);
      return outcome.outcome === 'accepted' ? { ...outcome, principal: copy(outcome.principal) as Principal } : outcome;
    },
  };
}

/** What each guard says of a key: whether it passes, or the code of the refusal. */
async function reachOf(verifier: CredentialVerifier, key: string): Promise<readonly string[]> {
  const gate = requireBearer({ accept: [verifier] });
  const verdicts = GUARDS.map(async (guard) => {
    const { passed, error } = await pass(bearing(key), gate, guard);
    return passed ? 'passed' : (error as { code: string }).code;
  });
  return await Promise.all(verdicts);
}

const refused = GUARDS.map(() => 'temporarily_unavailable');
const spread = (principal: Principal) => ({ ...principal, tenant: 't1' });
const assigned = (principal: Principal) => Object.assign({}, principal, { tenant: 't1' });
const fromEntries = (principal: Principal) => Object.fromEntries(Object.entries(principal));
const byJson = (principal: Principal) => JSON.parse(JSON.stringify(principal));
const cloned = (principal: Principal) => structuredClone(principal);

describe('the two copies of the package', () => {
  it('are different', () => {
    expect(second.requireBearer).not.toBe(first.requireBearer);
  });
});

describe('a principal that another verifier copies', () => {
  describe.each([
    ['one API', limited],
    ['every API', unlimited],
    ['listed scopes', listed],
  ])('of a key with %s', (_name, key) => {
    it.each([
      ['spread into another object', spread, first, true],
      ['spread, without a map', spread, first, false],
      ['assigned to another object', assigned, first, true],
      ['made of its entries', fromEntries, first, true],
      ['of a second copy of the package', (principal: Principal) => principal, second, true],
      ['of a second copy of the package, without a map', (principal: Principal) => principal, second, false],
      ['spread, of a second copy of the package', spread, second, true],
    ])('N03 %s, has the access of the original', async (_how, copy, of, isMapped) => {
      const original = await reachOf(verifierOf(first, isMapped), key);
      expect(original).toContain('passed');
      if (key !== unlimited || isMapped) expect(original).toContain('insufficient_scope');
      expect(await reachOf(wrapping(verifierOf(of, isMapped), copy), key)).toEqual(original);
    });

    it.each([
      ['written as JSON and read again', byJson],
      ['cloned', cloned],
    ])('N03 %s, is refused if it has lost its map', async (_how, copy) => {
      expect(await reachOf(wrapping(verifierOf(first, true), copy), key)).toEqual(refused);
    });
  });
});
