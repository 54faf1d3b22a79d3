import { expect, it } from '@jest/globals';
import type { AccessKeyClient } from '../../lib/credentials/records/access-key-client.js';
import { tokenIssuer } from '../../lib/issuer/issue-token.js';
import type { SigningKeys } from '../../lib/issuer/signing-keys/signing-keys.js';
import { eavesdrop } from '../support/eavesdrop.js';
import { createManualClock, START } from '../support/manual-clock.js';

const GRANT = { id: 'ack_1', tokensNotBefore: 0 } as AccessKeyClient;
/** Keys whose signature is the claims themselves. */
const KEYS = { current: async () => ({ sign: async (claims: object) => JSON.stringify(claims) }) };

it('iat does not go back by 15 minutes or less, and follows a clock that was far ahead', async () => {
  const clock = createManualClock();
  const keys = KEYS as unknown as SigningKeys;
  const issue = tokenIssuer({ issuer: 'https://login.test', audience: 'api', keys, clock });
  const issuedAt = async () =>
    JSON.parse((await issue(GRANT, ['payments'], undefined)).access_token).iat - START / 1_000;
  expect(await issuedAt()).toBe(0);
  clock.setWall(1_000_000);
  expect(await issuedAt()).toBe(1_000);
  clock.setWall(-900_000);
  expect(await issuedAt()).toBe(1_000);
  clock.setWall(-1_000);
  expect(await issuedAt()).toBe(99);
});

it('two tokens in the same second are no reason for a warning about the clock', async () => {
  const events = eavesdrop();
  const keys = KEYS as unknown as SigningKeys;
  const issue = tokenIssuer({ issuer: 'https://login.test', audience: 'api', keys, clock: createManualClock() });
  await issue(GRANT, ['payments'], undefined);
  await issue(GRANT, ['payments'], undefined);
  events.stop();
  expect(events.heard('keyward:issuer')).toEqual([]);
});
