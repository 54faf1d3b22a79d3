import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type DataPoint, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { Registry } from 'prom-client';
import { type Listeners, listen } from '../../examples/observability/listen.js';
import { openTelemetryListeners } from '../../examples/observability/opentelemetry.js';
import { prometheusListeners } from '../../examples/observability/prometheus.js';
import { flood, type ObservedApi, serveObserved } from '../support/observed-api.js';

const endings: (() => void)[] = [];
const hear = (listeners: Listeners) => endings.push(listen(listeners));

let api: ObservedApi;
beforeAll(async () => {
  api = await serveObserved();
});
afterAll(() => api.close());
afterEach(() => {
  for (const end of endings.splice(0)) end();
});

const issuer = 'https://issuer.test';
const LOADED = { issuer, outcome: 'loaded', reason: undefined, keys: 2, withdrawn: 0 } as const;
const FAILED = { issuer, outcome: 'failed', reason: 'the response has status 500', keys: 2, withdrawn: 0 } as const;
const TIMED_OUT = { of: 'apiKeys', reason: 'timed_out', detail: undefined, where: [] } as const;
const GAP = { of: 'accessKeys', warning: 'gap' } as const;

/** One of each: accepted, refused by a guard, refused by the gate, nothing presented. */
async function makeDecisions() {
  await api.ask(api.kit.secretKey());
  await api.ask(api.kit.publicKey({ apis: [] }));
  await api.ask('nonsense');
  await api.ask();
}

describe('metrics with Prometheus', () => {
  const samplesOf = async (registry: Registry, name: string) =>
    (await registry.getSingleMetric(name)?.get())?.values.map(({ value, labels }) => ({ value, ...labels }));

  it('counts decisions by outcome, code, reason, by and kind', async () => {
    const registry = new Registry();
    hear(prometheusListeners(registry));
    await makeDecisions();
    await api.ask('nonsense');
    const gate = { by: 'requireBearer' };
    const guard = { by: 'requireApi(payments)' };
    expect(await samplesOf(registry, 'keyward_decisions_total')).toEqual([
      { value: 1, outcome: 'accepted', code: 'none', reason: 'none', kind: 'secret', ...gate },
      { value: 1, outcome: 'accepted', code: 'none', reason: 'none', kind: 'public', ...gate },
      { value: 1, outcome: 'refused', code: 'insufficient_scope', reason: 'api', kind: 'public', ...guard },
      { value: 2, outcome: 'refused', code: 'invalid_token', reason: 'unclaimed', kind: 'none', ...gate },
      { value: 1, outcome: 'refused', code: 'credential_missing', reason: 'nothing_presented', kind: 'none', ...gate },
    ]);
  });

  it('counts failures of lookups, fetches of keys, and warnings of feeds', async () => {
    const registry = new Registry();
    const listeners = prometheusListeners(registry);
    listeners['keyward:lookup-failure'](TIMED_OUT);
    listeners['keyward:key-set'](LOADED);
    listeners['keyward:key-set'](FAILED);
    listeners['keyward:feed'](GAP);
    expect(await samplesOf(registry, 'keyward_lookup_failures_total')).toEqual([
      { value: 1, of: 'apiKeys', reason: 'timed_out' },
    ]);
    expect(await samplesOf(registry, 'keyward_key_set_fetches_total')).toEqual([
      { value: 1, issuer, outcome: 'loaded' },
      { value: 1, issuer, outcome: 'failed' },
    ]);
    expect(await samplesOf(registry, 'keyward_key_set_keys')).toEqual([{ value: 2, issuer }]);
    expect(await samplesOf(registry, 'keyward_feed_warnings_total')).toEqual([{ value: 1, ...GAP }]);
  });

  it('L05 has the same number of series after 10,000 different invalid credentials as after one', async () => {
    const registry = new Registry();
    hear(prometheusListeners(registry));
    flood(10_000);
    expect(await samplesOf(registry, 'keyward_decisions_total')).toMatchObject([{ value: 10_000 }]);
  });
});

describe('metrics with OpenTelemetry', () => {
  class ManualReader extends MetricReader {
    protected override async onShutdown(): Promise<void> {}
    protected override async onForceFlush(): Promise<void> {}
  }

  const reader = new ManualReader();
  const provider = new MeterProvider({ readers: [reader] });
  afterAll(() => provider.shutdown());

  const pointsOf = async (name: string) => {
    const { resourceMetrics } = await reader.collect();
    const metrics = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
    return metrics
      .filter(({ descriptor }) => descriptor.name === name)
      .flatMap(({ dataPoints }) =>
        dataPoints.map(({ value, attributes }: DataPoint<unknown>) => ({ value, ...attributes })),
      );
  };

  it('L09 counts decisions, with attributes without identities and headers', async () => {
    hear(openTelemetryListeners(provider.getMeter('decisions')));
    await makeDecisions();
    const gate = { 'keyward.by': 'requireBearer' };
    const accepted = { value: 1, 'keyward.outcome': 'accepted', ...gate };
    const refused = { value: 1, 'keyward.outcome': 'refused', ...gate };
    expect(await pointsOf('keyward.decisions')).toEqual([
      { ...accepted, 'keyward.kind': 'secret' },
      { ...accepted, 'keyward.kind': 'public' },
      {
        ...{ ...refused, 'keyward.by': 'requireApi(payments)', 'keyward.kind': 'public' },
        ...{ 'keyward.code': 'insufficient_scope', 'keyward.reason': 'api' },
      },
      { ...refused, 'keyward.code': 'invalid_token', 'keyward.reason': 'unclaimed' },
      { ...refused, 'keyward.code': 'credential_missing', 'keyward.reason': 'nothing_presented' },
    ]);
  });

  it('counts failures of lookups, fetches of keys, and warnings of feeds', async () => {
    const listeners = openTelemetryListeners(provider.getMeter('others'));
    listeners['keyward:lookup-failure'](TIMED_OUT);
    listeners['keyward:key-set'](FAILED);
    listeners['keyward:feed'](GAP);
    expect(await pointsOf('keyward.lookup.failures')).toEqual([
      { value: 1, 'keyward.of': 'apiKeys', 'keyward.reason': 'timed_out' },
    ]);
    expect(await pointsOf('keyward.key_set.fetches')).toEqual([
      { value: 1, 'keyward.issuer': issuer, 'keyward.outcome': 'failed' },
    ]);
    expect(await pointsOf('keyward.feed.warnings')).toEqual([
      { value: 1, 'keyward.of': 'accessKeys', 'keyward.warning': 'gap' },
    ]);
  });
});
