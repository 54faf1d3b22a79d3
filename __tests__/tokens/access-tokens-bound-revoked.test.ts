/** An access key that is revoked or edited while the replay cache is asked about a proof. */
import { beforeEach, expect, it, jest } from '@jest/globals';
import { ENTRY } from '../../lib/contracts/credential-verifier.js';
import { PresentedCredential } from '../../lib/http/presented-credential.js';
import { ACCESS_KEY, createAccessKeyStore, refused, unavailable } from '../support/access-key-store.js';
import { askAsGate } from '../support/ask-as-gate.js';
import { createDpopClient, ORIGIN } from '../support/dpop-client.js';

const counter = { accepted: jest.fn(), refused: jest.fn() };
const counts = () => [counter.accepted.mock.calls.length, counter.refused.mock.calls.length];
const nothing = () => undefined;
/** What happens while the replay cache is asked. */
let meanwhile: () => unknown;
const firstUse = jest.fn(async () => {
  await meanwhile();
  return true;
});
beforeEach(() => {
  meanwhile = nothing;
  jest.clearAllMocks();
});

async function setUp(options: object = {}) {
  const store = createAccessKeyStore();
  const { resolveAccessKey, lookups, put } = store;
  const verifier = store.verifier({
    ...{ accessKeys: { resolveAccessKey, usageOf: () => counter }, dpop: { origin: ORIGIN, replay: { firstUse } } },
    ...options,
  });
  const client = await createDpopClient(store.key);
  const token = client.token();
  const present = () => {
    const request = { method: 'GET', originalUrl: '/', headers: { dpop: client.proof(token) } };
    return askAsGate(verifier, new PresentedCredential(token, request, undefined, 'DPoP'));
  };
  const invalidate = () => verifier.invalidate({ accessKey: ACCESS_KEY.id });
  const edit = (change: object) => {
    put({ ...ACCESS_KEY, ...change });
    invalidate();
  };
  return { clock: store.clock, present, edit, invalidate, lookups, resolveAccessKey };
}

it.each([
  ['revoked', { revokedAt: new Date(0) }],
  ['disabled', { disabled: true }],
])('%s: the token is refused', async (reason, change) => {
  const { present, edit } = await setUp();
  meanwhile = () => edit(change);
  expect(await present()).toEqual(refused(reason));
  expect(counts()).toEqual([0, 1]);
});

it('revoked: a cached token is refused', async () => {
  const { present, edit } = await setUp();
  expect(await present()).toMatchObject({ outcome: 'accepted' });
  meanwhile = () => edit({ revokedAt: new Date(0) });
  expect(await present()).toEqual(refused('revoked'));
  expect(counts()).toEqual([1, 1]);
});

it.each([
  ['expired', 'expiresAt', undefined],
  ['revoked', 'revokedAt', undefined],
  ['expired', 'expiresAt', false],
] as const)('%s meanwhile, as its record said (%s, cache: %s): the token is refused', async (reason, at, cache) => {
  const { clock, present, edit } = await setUp({ cache });
  edit({ [at]: new Date(clock.now() + 1) });
  meanwhile = () => clock.advance(1);
  expect(await present()).toEqual(refused(reason));
});

it('edited: the principal is the new one, and the proof is not checked again', async () => {
  const { present, edit, lookups } = await setUp();
  meanwhile = () => edit({ metadata: { team: 'new' } });
  const principal = { metadata: { team: 'new' } };
  expect(await present()).toMatchObject({ outcome: 'accepted', principal, [ENTRY]: { principal } });
  expect([firstUse.mock.calls.length, lookups(), counts()]).toEqual([1, 2, [1, 0]]);
});

it('invalidated, and cannot be looked up: unavailable', async () => {
  const { present, invalidate, resolveAccessKey } = await setUp();
  meanwhile = () => {
    resolveAccessKey.mockRejectedValueOnce(new Error('down'));
    invalidate();
  };
  expect(await present()).toEqual(unavailable('lookup_threw'));
});

it.each([
  ['unchanged', {}],
  ['not cached', { cache: false }],
])('%s: it is not looked up again', async (_what, options) => {
  const { present, lookups } = await setUp(options);
  expect(await present()).toMatchObject({ outcome: 'accepted' });
  expect(lookups()).toBe(1);
});

it('disabled, and the proof was used before: it is not looked up again', async () => {
  const { present, edit, lookups } = await setUp();
  firstUse.mockImplementationOnce(async () => {
    edit({ disabled: true });
    return false;
  });
  expect(await present()).toMatchObject({ outcome: 'refused', reason: 'dpop_replayed' });
  expect(lookups()).toBe(1);
});
