import { expect, it, jest } from '@jest/globals';
import { digestOf } from '../../lib/credentials/digest.js';
import { MAX_FORMER_SECRETS, readAccessKeyClient } from '../../lib/credentials/records/access-key-client.js';
import { checkSecret } from '../../lib/issuer/clients/check-secret.js';

const END = Date.UTC(2026, 10, 24);

it.each([0, 1])(
  'a rotated secret at place %d of the record is refused from the end of its grace period on',
  (place) => {
    const current = { digest: digestOf('current') };
    const rotated = { digest: digestOf('rotated'), expiresAt: new Date(END) };
    const grant = readAccessKeyClient({
      ...{ id: 'ack_1', account: 'acme', environment: 'live', scopes: ['payments'], defaultScopes: ['payments'] },
      secrets: place === 0 ? [rotated, current] : [current, rotated],
    });
    const reasonOf = (secret: string, now: number) => checkSecret(secret, grant, now).reason;
    expect([reasonOf('rotated', END - 1), reasonOf('rotated', END)]).toEqual([undefined, 'former_secret']);
    expect(reasonOf('current', END)).toBeUndefined();
  },
);

it('the last former secret is known as one, also of a client with two secrets and as many former ones as possible', () => {
  const former = Array.from({ length: MAX_FORMER_SECRETS }, (_, number) => digestOf(`former-${number}`));
  const grant = readAccessKeyClient({
    ...{ id: 'ack_1', account: 'acme', environment: 'live', scopes: ['payments'], defaultScopes: ['payments'] },
    secrets: ['one', 'two'].map((secret) => ({ digest: digestOf(secret) })),
    formerSecrets: former,
  });
  const reasons = ['one', 'two', 'former-0', `former-${MAX_FORMER_SECRETS - 1}`, 'never'].map(
    (secret) => checkSecret(secret, grant, END).reason,
  );
  expect(reasons).toEqual([undefined, undefined, 'former_secret', 'former_secret', 'wrong_secret']);
});

it('no secret of a client that does not exist is right', () => {
  expect(checkSecret('one', undefined, END)).toEqual({ digest: digestOf('one'), reason: 'wrong_secret' });
});

it.each([
  ['that does not exist', undefined],
  ['with one secret', { secrets: ['one'], formerSecrets: [] }],
  ['with two secrets and a former one', { secrets: ['one', 'two'], formerSecrets: ['old'] }],
])('nine digests are compared for a client %s, so that response times are equal', (_which, given) => {
  const accessKey =
    given &&
    readAccessKeyClient({
      ...{ id: 'ack_1', account: 'acme', environment: 'live', scopes: [], defaultScopes: [] },
      secrets: given.secrets.map((secret) => ({ digest: digestOf(secret) })),
      formerSecrets: given.formerSecrets.map(digestOf),
    });
  const buffers = jest.spyOn(Buffer, 'from');
  checkSecret('guess', accessKey, END);
  const compared = buffers.mock.calls.length / 2;
  jest.restoreAllMocks();
  expect(compared).toBe(9);
});
