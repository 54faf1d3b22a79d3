import type { Meter } from '@opentelemetry/api';
import type { Decision, FeedWarning, KeySetFetch, LookupFailure } from 'keyward';

/** Counts events, by the meter of `metrics.getMeter('keyward')`. Every attribute has few values. */
export function openTelemetryListeners(meter: Meter) {
  const decisions = meter.createCounter('keyward.decisions', { unit: '{decision}' });
  const lookupFailures = meter.createCounter('keyward.lookup.failures', { unit: '{failure}' });
  const keySetFetches = meter.createCounter('keyward.key_set.fetches', { unit: '{fetch}' });
  const feedWarnings = meter.createCounter('keyward.feed.warnings', { unit: '{warning}' });
  return {
    'keyward:decision': ({ outcome, code, reason, by, kind }: Decision) =>
      decisions.add(1, {
        'keyward.outcome': outcome,
        'keyward.by': by,
        ...(code && { 'keyward.code': code }),
        ...(reason && { 'keyward.reason': reason }),
        ...(kind && { 'keyward.kind': kind }),
      }),
    'keyward:lookup-failure': ({ of, reason }: LookupFailure) =>
      lookupFailures.add(1, { 'keyward.of': of, 'keyward.reason': reason }),
    'keyward:key-set': ({ issuer, outcome }: KeySetFetch) =>
      keySetFetches.add(1, { 'keyward.issuer': issuer, 'keyward.outcome': outcome }),
    'keyward:feed': ({ of, warning }: FeedWarning) =>
      feedWarnings.add(1, { 'keyward.of': of, 'keyward.warning': warning }),
  };
}
