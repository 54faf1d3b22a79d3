import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Decision, FeedWarning, KeySetFetch, LookupFailure } from 'keyward';
import { type CallbackFailure, callbackFailures } from '../../lib/events/callback-failure.js';
import { type DashboardWarning, dashboardWarnings } from '../../lib/events/dashboard-warning.js';
import { decisions } from '../../lib/events/decision.js';
import { type EventChannel, eventChannel } from '../../lib/events/event-channel.js';
import { feedWarnings } from '../../lib/events/feed-warning.js';
import { type IssuerWarning, issuerWarnings } from '../../lib/events/issuer-warning.js';
import { keySetFetches } from '../../lib/events/key-set-fetch.js';
import { lookupFailures } from '../../lib/events/lookup-failure.js';
import { type StoreWarning, storeWarnings } from '../../lib/events/store-warning.js';
import { type TokenDecision, tokenDecisions } from '../../lib/events/token-decision.js';

const DECISION: Decision = {
  outcome: 'refused',
  by: 'requireBearer',
  code: 'invalid_token',
  reason: 'unknown',
  kind: undefined,
  keyId: undefined,
  account: undefined,
  fingerprint: '0123abcd',
  method: 'GET',
  path: '/payments',
};
const WARNING: FeedWarning = { of: 'apiKeys', warning: 'gap' };
const KEY_SET: KeySetFetch = { issuer: 'https://a.test', outcome: 'loaded', reason: undefined, keys: 2, withdrawn: 0 };
const FAILURE: LookupFailure = { of: 'apiKeys', reason: 'threw', detail: 'Error', where: ['/app/keys.js:1:2'] };
const CALLBACK: CallbackFailure = {
  of: 'apiKeys',
  callback: 'watch',
  reason: 'threw',
  detail: 'Error',
  where: ['/app/keys.js:1:2'],
};
const ISSUER_WARNING: IssuerWarning = { warning: 'clock_set_back', detail: undefined };
const STORE_WARNING: StoreWarning = { warning: 'listening', detail: undefined };
const DASHBOARD_WARNING: DashboardWarning = {
  warning: 'cross_site',
  method: 'POST',
  route: '/keys/:id/edit',
  detail: 'origin',
  where: [],
};
const TOKEN: TokenDecision = {
  endpoint: 'token',
  outcome: 'issued',
  status: 200,
  reason: undefined,
  clientId: 'ack_1',
  authentication: 'basic',
  scopes: ['payments'],
};

/** A channel, its documented name, and a way to publish an event of its type. */
interface Row {
  readonly name: string;
  readonly of: Pick<EventChannel<object>, 'hasSubscribers'>;
  readonly event: object;
  readonly publish: () => void;
}

const CHANNELS: readonly Row[] = [
  { name: 'keyward:decision', of: decisions, event: DECISION, publish: () => decisions.publish(DECISION) },
  { name: 'keyward:feed', of: feedWarnings, event: WARNING, publish: () => feedWarnings.publish(WARNING) },
  { name: 'keyward:key-set', of: keySetFetches, event: KEY_SET, publish: () => keySetFetches.publish(KEY_SET) },
  {
    name: 'keyward:lookup-failure',
    of: lookupFailures,
    event: FAILURE,
    publish: () => lookupFailures.publish(FAILURE),
  },
  {
    name: 'keyward:issuer',
    of: issuerWarnings,
    event: ISSUER_WARNING,
    publish: () => issuerWarnings.publish(ISSUER_WARNING),
  },
  {
    name: 'keyward:callback-failure',
    of: callbackFailures,
    event: CALLBACK,
    publish: () => callbackFailures.publish(CALLBACK),
  },
  {
    name: 'keyward:store',
    of: storeWarnings,
    event: STORE_WARNING,
    publish: () => storeWarnings.publish(STORE_WARNING),
  },
  {
    name: 'keyward:dashboard',
    of: dashboardWarnings,
    event: DASHBOARD_WARNING,
    publish: () => dashboardWarnings.publish(DASHBOARD_WARNING),
  },
  { name: 'keyward:token', of: tokenDecisions, event: TOKEN, publish: () => tokenDecisions.publish(TOKEN) },
];

describe('the channels', () => {
  const heard: unknown[][] = [];
  const listen = (message: unknown, name: string | symbol) => {
    heard.push([name, message]);
  };

  afterEach(() => {
    heard.length = 0;
    for (const { name } of CHANNELS) unsubscribe(name, listen);
  });

  it.each(CHANNELS)('$name delivers the published event, and no other channel does', (row) => {
    for (const { name } of CHANNELS) subscribe(name, listen);
    row.publish();
    expect(heard).toEqual([[row.name, row.event]]);
    expect(heard[0]?.[1]).toBe(row.event);
  });

  it.each(CHANNELS)('$name has subscribers while a listener is subscribed', (row) => {
    expect(row.of.hasSubscribers).toBe(false);
    subscribe(row.name, listen);
    expect(CHANNELS.filter(({ of }) => of.hasSubscribers).map(({ name }) => name)).toEqual([row.name]);
    unsubscribe(row.name, listen);
    expect(row.of.hasSubscribers).toBe(false);
    row.publish();
    expect(heard).toEqual([]);
  });
});

describe('eventChannel', () => {
  it('opens the shared channel with this name', () => {
    expect(eventChannel('keyward:test')).toBe(channel('keyward:test'));
  });
});
