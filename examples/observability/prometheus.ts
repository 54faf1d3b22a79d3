import type { Decision, FeedWarning, KeySetFetch, LookupFailure } from 'keyward';
import { Counter, Gauge, type Registry } from 'prom-client';

/** Counts events. Every label has few values: who called, and what was called, are in the log. */
export function prometheusListeners(registry: Registry) {
  const registers = [registry];
  const decisions = new Counter({
    name: 'keyward_decisions_total',
    help: 'Decisions of gates, and refusals of guards',
    labelNames: ['outcome', 'code', 'reason', 'by', 'kind'],
    registers,
  });
  const lookupFailures = new Counter({
    name: 'keyward_lookup_failures_total',
    help: 'Lookups of keys that brought no answer',
    labelNames: ['of', 'reason'],
    registers,
  });
  const keySetFetches = new Counter({
    name: 'keyward_key_set_fetches_total',
    help: "Attempts to fetch an issuer's keys",
    labelNames: ['issuer', 'outcome'],
    registers,
  });
  const keys = new Gauge({
    name: 'keyward_key_set_keys',
    help: "An issuer's usable keys",
    labelNames: ['issuer'],
    registers,
  });
  const feedWarnings = new Counter({
    name: 'keyward_feed_warnings_total',
    help: 'Gaps in change feeds, and invalid changes',
    labelNames: ['of', 'warning'],
    registers,
  });
  return {
    'keyward:decision': ({ outcome, code, reason, by, kind }: Decision) =>
      decisions.inc({ outcome, code: code ?? 'none', reason: reason ?? 'none', by, kind: kind ?? 'none' }),
    'keyward:lookup-failure': ({ of, reason }: LookupFailure) => lookupFailures.inc({ of, reason }),
    'keyward:key-set': (fetched: KeySetFetch) => {
      keySetFetches.inc({ issuer: fetched.issuer, outcome: fetched.outcome });
      keys.set({ issuer: fetched.issuer }, fetched.keys);
    },
    'keyward:feed': ({ of, warning }: FeedWarning) => feedWarnings.inc({ of, warning }),
  };
}
