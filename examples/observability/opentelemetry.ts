import type { Meter } from '@opentelemetry/api';
import type { Decision, FeedNotice, KeySetChange, LookUpFailure } from 'keyward';

/** Counts events, by the meter of `metrics.getMeter('keyward')`. Every attribute has few values. */
export function openTelemetryListeners(meter: Meter) {
  const decisions = meter.createCounter('keyward.decisions', { unit: '{decision}' });
  const lookUpFailures = meter.createCounter('keyward.look_up.failures', { unit: '{failure}' });
  const keySetFetches = meter.createCounter('keyward.key_set.fetches', { unit: '{fetch}' });
  const feedNotices = meter.createCounter('keyward.feed.notices', { unit: '{notice}' });
  return {
    'keyward:decision': ({ outcome, code, reason, by, kind }: Decision) =>
      decisions.add(1, {
        'keyward.outcome': outcome,
        'keyward.by': by,
        ...(code && { 'keyward.code': code }),
        ...(reason && { 'keyward.reason': reason }),
        ...(kind && { 'keyward.kind': kind }),
      }),
    'keyward:look-up-failure': ({ of, reason }: LookUpFailure) =>
      lookUpFailures.add(1, { 'keyward.of': of, 'keyward.reason': reason }),
    'keyward:key-set': ({ issuer, outcome }: KeySetChange) =>
      keySetFetches.add(1, { 'keyward.issuer': issuer, 'keyward.outcome': outcome }),
    'keyward:feed': ({ of, outcome }: FeedNotice) =>
      feedNotices.add(1, { 'keyward.of': of, 'keyward.outcome': outcome }),
  };
}
