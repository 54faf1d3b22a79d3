import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { accessTokens, apiKeys, type FeedListener, requireBearer } from 'keyward';
import { mintKey } from '../../lib/credentials/keyward-format.js';
import { callbackFailures } from '../../lib/events/callback-failure.js';
import { decisions } from '../../lib/events/decision.js';
import { feedWarnings } from '../../lib/events/feed-warning.js';
import { keySetFetches } from '../../lib/events/key-set-fetch.js';
import { lookupFailures } from '../../lib/events/lookup-failure.js';
import { runCallback } from '../../lib/events/run-callback.js';
import { reportDecision } from '../../lib/express/gate/report-decision.js';
import { PresentedCredential } from '../../lib/http/presented-credential.js';

const KEYS = { kinds: ['secret'], environment: 'live' } as const;
const ISSUER = 'https://issuer.test';

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

async function refuseOne(): Promise<void> {
  const req = new IncomingMessage(new Socket());
  const gate = requireBearer({ accept: [apiKeys({ ...KEYS, resolver: () => null })] });
  await new Promise((resolve) => gate(req, new ServerResponse(req), resolve));
}

const failToLookUp = () => failWith(new Error('down'));

async function failWith(error: Error): Promise<void> {
  const verifier = apiKeys({ ...KEYS, resolver: () => Promise.reject(error) });
  await verifier.verify(new PresentedCredential(mintKey('secret', 'live')));
}

function reportGap(): void {
  const watch = (feed: FeedListener) => {
    feed.onGap();
    return () => undefined;
  };
  apiKeys({ ...KEYS, resolver: { resolveKey: () => null, watch } });
}

function reportInvalidChange(): void {
  const watch = (feed: FeedListener) => {
    feed.onChange(JSON.parse('{"key":1}'));
    return () => undefined;
  };
  apiKeys({ ...KEYS, resolver: { resolveKey: () => null, watch } });
}

function failInCallback(): void {
  runCallback({ of: 'apiKeys', callback: 'recordUse' }, () => JSON.parse('{'));
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
    const names = ['decision', 'lookup-failure', 'feed', 'key-set', 'callback-failure'];
    for (const name of names) unsubscribe(`keyward:${name}`, listen);
    listen.mockReset();
    jest.restoreAllMocks();
  });

  it.each([
    ['a refusal', 'keyward:decision', decisions, refuseOne],
    ['a lookup that failed', 'keyward:lookup-failure', lookupFailures, failToLookUp],
    ['a gap in a feed', 'keyward:feed', feedWarnings, reportGap],
    ['an invalid change', 'keyward:feed', feedWarnings, reportInvalidChange],
    ['a callback that threw', 'keyward:callback-failure', callbackFailures, failInCallback],
    ['keys that were not fetched', 'keyward:key-set', keySetFetches, failToFetchKeys],
  ])('is not published without subscribers: %s', async (_name, name, channel, happen) => {
    const publish = jest.spyOn(channel, 'publish');
    await happen();
    expect(publish).not.toHaveBeenCalled();
    publish.mockRestore();

    subscribe(name, listen);
    await happen();
    expect(listen).toHaveBeenCalledTimes(1);
  });

  it('reads no detail of an error without subscribers', async () => {
    const read = jest.fn(() => 'Error: down');
    const failToLookUp = () => failWith(Object.defineProperty(new Error('down'), 'stack', { get: read }));
    await failToLookUp();
    expect(read).not.toHaveBeenCalled();

    subscribe('keyward:lookup-failure', listen);
    await failToLookUp();
    expect(read).toHaveBeenCalledTimes(1);
    const event = { of: 'apiKeys', reason: 'threw', detail: 'Error', where: [] };
    expect(listen).toHaveBeenCalledWith(event, 'keyward:lookup-failure');
  });

  it('reads nothing of the request without subscribers', () => {
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
