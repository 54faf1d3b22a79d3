import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Decision, FeedNotice, KeySetChange, LookUpFailure } from 'keyward';
import { decisions } from '../../lib/events/decision.js';
import { type EventChannel, eventChannel } from '../../lib/events/event-channel.js';
import { feedNotices } from '../../lib/events/feed-notice.js';
import { type IssuerNotice, issuerNotices } from '../../lib/events/issuer-notice.js';
import { keySetChanges } from '../../lib/events/key-set-change.js';
import { lookUpFailures } from '../../lib/events/look-up-failure.js';
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
const NOTICE: FeedNotice = { of: 'apiKeys', outcome: 'lost' };
const KEY_SET: KeySetChange = { issuer: 'https://a.test', outcome: 'loaded', reason: undefined, keys: 2, withdrawn: 0 };
const FAILURE: LookUpFailure = { of: 'apiKeys', reason: 'threw', detail: 'Error: down' };
const ISSUER_NOTICE: IssuerNotice = { notice: 'clock_set_back', detail: undefined };
const TOKEN: TokenDecision = {
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
  { name: 'keyward:feed', of: feedNotices, event: NOTICE, publish: () => feedNotices.publish(NOTICE) },
  { name: 'keyward:key-set', of: keySetChanges, event: KEY_SET, publish: () => keySetChanges.publish(KEY_SET) },
  {
    name: 'keyward:look-up-failure',
    of: lookUpFailures,
    event: FAILURE,
    publish: () => lookUpFailures.publish(FAILURE),
  },
  {
    name: 'keyward:issuer',
    of: issuerNotices,
    event: ISSUER_NOTICE,
    publish: () => issuerNotices.publish(ISSUER_NOTICE),
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

  it.each(CHANNELS)('$name carries the very event that was published, and no other channel does', (row) => {
    for (const { name } of CHANNELS) subscribe(name, listen);
    row.publish();
    expect(heard).toEqual([[row.name, row.event]]);
    expect(heard[0]?.[1]).toBe(row.event);
  });

  it.each(CHANNELS)('$name has subscribers for as long as somebody listens to it', (row) => {
    expect(row.of.hasSubscribers).toBe(false);
    subscribe(row.name, listen);
    expect(CHANNELS.filter(({ of }) => of.hasSubscribers)).toEqual([row]);
    unsubscribe(row.name, listen);
    expect(row.of.hasSubscribers).toBe(false);
    row.publish();
    expect(heard).toEqual([]);
  });
});

describe('eventChannel', () => {
  it('opens the channel that everybody else has by this name', () => {
    expect(eventChannel('keyward:test')).toBe(channel('keyward:test'));
  });
});
