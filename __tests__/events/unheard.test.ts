import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { accessTokens, apiKeys, type FeedListener, requireBearer } from 'keyward';
import { mintKey } from '../../lib/credentials/api-key.js';
import { decisions } from '../../lib/events/decision.js';
import { feedNotices } from '../../lib/events/feed-notice.js';
import { keySetChanges } from '../../lib/events/key-set-change.js';
import { lookUpFailures } from '../../lib/events/look-up-failure.js';
import { reportDecision } from '../../lib/express/report-decision.js';
import { PresentedCredential } from '../../lib/verify/presented-credential.js';

const KEYS = { kinds: ['secret'], environment: 'live' } as const;
const ISSUER = 'https://issuer.test';

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

async function refuseOne(): Promise<void> {
  const req = new IncomingMessage(new Socket());
  const gate = requireBearer({ accept: [apiKeys({ ...KEYS, resolver: () => null })] });
  await new Promise((resolve) => gate(req, new ServerResponse(req), resolve));
}

async function failToLookUp(): Promise<void> {
  const verifier = apiKeys({ ...KEYS, resolver: () => Promise.reject(new Error('down')) });
  await verifier.verify(new PresentedCredential(mintKey('secret', 'live')));
}

function loseFeed(): void {
  const watch = (feed: FeedListener) => {
    feed.lost();
    return () => undefined;
  };
  apiKeys({ ...KEYS, resolver: { resolveKey: () => null, watch } });
}

function garbleFeed(): void {
  const watch = (feed: FeedListener) => {
    feed.change(JSON.parse('{"key":1}'));
    return () => undefined;
  };
  apiKeys({ ...KEYS, resolver: { resolveKey: () => null, watch } });
}

async function failToFetchKeys(): Promise<void> {
  const header = { alg: 'ES256', typ: 'at+jwt', kid: '1' };
  const times = { iat: Math.floor(Date.now() / 1_000), exp: Math.floor(Date.now() / 1_000) + 60 };
  const claims = { iss: ISSUER, aud: 'https://api.test', sub: 'a', client_id: 'a', jti: 'b', ...times };
  const verifier = accessTokens({ issuer: ISSUER, audience: 'https://api.test', jwks: 'http://127.0.0.1:1/' });
  const signature = Buffer.alloc(64).toString('base64url');
  await verifier.verify(new PresentedCredential(`${encode(header)}.${encode(claims)}.${signature}`));
}

describe('an event', () => {
  const listen = jest.fn();

  afterEach(() => {
    for (const name of ['decision', 'look-up-failure', 'feed', 'key-set']) unsubscribe(`keyward:${name}`, listen);
    listen.mockReset();
    jest.restoreAllMocks();
  });

  it.each([
    ['a refusal', 'keyward:decision', decisions, refuseOne],
    ['a look-up that failed', 'keyward:look-up-failure', lookUpFailures, failToLookUp],
    ['a feed that was lost', 'keyward:feed', feedNotices, loseFeed],
    ['a change that is none', 'keyward:feed', feedNotices, garbleFeed],
    ['keys that were not fetched', 'keyward:key-set', keySetChanges, failToFetchKeys],
  ])('is not even published where nobody listens: %s', async (_name, name, channel, happen) => {
    const publish = jest.spyOn(channel, 'publish');
    await happen();
    expect(publish).not.toHaveBeenCalled();
    publish.mockRestore();

    subscribe(name, listen);
    await happen();
    expect(listen).toHaveBeenCalledTimes(1);
  });

  it('has no detail cut out of an error where nobody listens', async () => {
    const redact = jest.spyOn(PresentedCredential.prototype, 'redact');
    await failToLookUp();
    expect(redact).not.toHaveBeenCalled();

    subscribe('keyward:look-up-failure', listen);
    await failToLookUp();
    expect(redact).toHaveBeenCalledTimes(1);
    expect(listen).toHaveBeenCalledWith(
      { of: 'apiKeys', reason: 'threw', detail: 'Error: down' },
      'keyward:look-up-failure',
    );
  });

  it('reads nothing of the request where nobody listens', () => {
    const req = new IncomingMessage(new Socket());
    const method = jest.fn(() => 'GET');
    Object.defineProperty(req, 'method', { get: method });
    reportDecision(req, { outcome: 'refused', by: 'requireBearer' });
    expect(method).not.toHaveBeenCalled();

    subscribe('keyward:decision', listen);
    reportDecision(req, { outcome: 'refused', by: 'requireBearer' });
    expect(method).toHaveBeenCalledTimes(1);
  });
});
