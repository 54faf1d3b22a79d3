import { beforeEach, expect, it, jest } from '@jest/globals';
import { PresentedCredential } from '../../lib/http/presented-credential.js';
import { ACCESS_KEY, type AccessKeyStore, ask, createAccessKeyStore } from '../support/access-key-store.js';
import { createDpopClient, ORIGIN } from '../support/dpop-client.js';
import { forge, NOW } from '../support/token-forge.js';

const counter = { accepted: jest.fn(), refused: jest.fn() };
const usageOf = jest.fn((_id: string) => counter);

let store: AccessKeyStore;
beforeEach(() => {
  jest.clearAllMocks();
  store = createAccessKeyStore();
});

const verifierOf = (options: object = {}) =>
  store.verifier({ accessKeys: { resolveAccessKey: store.resolveAccessKey, usageOf }, ...options });
const counts = () => [counter.accepted.mock.calls.length, counter.refused.mock.calls.length];

it('counts every accepted request, with a cached token or not', async () => {
  const verifier = verifierOf();
  const token = forge(store.key);
  await Promise.all([ask(verifier, token), ask(verifier, token)]);
  await ask(verifier, token);
  expect([counts(), usageOf.mock.calls]).toEqual([[3, 0], [[ACCESS_KEY.id]]]);
});

it('counts a refused token of an access key, but none of an unknown one', async () => {
  const verifier = verifierOf();
  store.put({ ...ACCESS_KEY, disabled: true });
  await ask(verifier, forge(store.key));
  expect(counts()).toEqual([0, 1]);
  store.put(null);
  await ask(verifierOf(), forge(store.key));
  expect(counts()).toEqual([0, 1]);
});

it.each(['at once', 'later'])('counts a proof of possession that is checked %s', async (when) => {
  const client = await createDpopClient(store.key);
  const replay = when === 'later' ? { replay: { firstUse: async () => true } } : {};
  const verifier = verifierOf({ dpop: { origin: ORIGIN, ...replay } });
  const token = client.token();
  const present = (dpop: string) => {
    const request = { method: 'GET', originalUrl: '/', headers: { dpop } };
    return verifier.verify(new PresentedCredential(token, request, undefined, 'DPoP'));
  };
  expect(await present(client.proof(token))).toMatchObject({ outcome: 'accepted' });
  expect(counts()).toEqual([1, 0]);
  expect(await present(client.proof(token, { iat: NOW - 3_600 }))).toMatchObject({ outcome: 'refused' });
  expect(counts()).toEqual([1, 1]);
});
