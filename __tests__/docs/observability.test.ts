import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { listen } from '../../examples/observability/listen.js';
import { limitByPrincipal } from '../../examples/observability/rate-limit.js';
import { codeBlocksOf, markdownFiles } from '../support/markdown.js';
import { type ObservedApi, serveObserved } from '../support/observed-api.js';

const RECIPES = new URL('../../examples/observability/', import.meta.url);

describe('docs/observability.md', () => {
  const blocks = markdownFiles.filter(({ name }) => name === 'docs/observability.md').flatMap(codeBlocksOf);

  it('contains every recipe exactly as in its file, and no other code', () => {
    const files = readdirSync(RECIPES).map((name) => readFileSync(new URL(name, RECIPES), 'utf8'));
    expect(blocks.map(({ code }) => code).sort()).toEqual(files.sort());
  });
});

describe('listening', () => {
  const error = new Error('the log is full');
  const fail = () => {
    throw error;
  };
  const endings: (() => void)[] = [];
  let api: ObservedApi;
  beforeAll(async () => {
    api = await serveObserved();
  });
  afterAll(() => api.close());
  afterEach(() => {
    for (const end of endings.splice(0)) end();
  });

  it('reports an error of a listener, without effect on the request or the process', async () => {
    const report = jest.fn();
    endings.push(listen({ 'keyward:decision': fail }, report));
    expect((await api.ask(api.kit.secretKey())).status).toBe(200);
    expect((await api.ask(api.kit.secretKey({ revoked: true }))).status).toBe(401);
    expect(report.mock.calls).toEqual([[error], [error]]);
  });

  it('still calls the other listeners', async () => {
    const heard = jest.fn();
    endings.push(listen({ 'keyward:decision': fail }, jest.fn()), listen({ 'keyward:decision': heard }));
    await api.ask(api.kit.secretKey());
    expect(heard).toHaveBeenCalledTimes(1);
  });

  it('subscribes to every channel', async () => {
    const heard = jest.fn();
    endings.push(listen({ 'keyward:decision': heard, 'keyward:lookup-failure': heard }));
    const key = api.kit.secretKey();
    api.kit.outage(true);
    await api.ask(key);
    api.kit.outage(false);
    expect(heard.mock.calls).toMatchObject([[{ of: 'apiKeys', reason: 'threw' }], [{ outcome: 'unavailable' }]]);
  });

  it('gets no events after it was stopped', async () => {
    const heard = jest.fn();
    listen({ 'keyward:decision': heard })();
    await api.ask(api.kit.secretKey());
    expect(heard).not.toHaveBeenCalled();
  });
});

describe('a rate limit by principal', () => {
  let api: ObservedApi;
  beforeAll(async () => {
    api = await serveObserved({ behind: [limitByPrincipal(2)] });
  });
  afterAll(() => api.close());

  const statusesOf = async (...credentials: readonly string[]) => {
    const statuses: number[] = [];
    for (const credential of credentials) statuses.push((await api.ask(credential)).status);
    return statuses;
  };

  it('gives each key its own budget', async () => {
    const [first, second] = [api.kit.secretKey(), api.kit.secretKey()];
    expect(await statusesOf(first, first, first)).toEqual([200, 200, 429]);
    expect(await statusesOf(second, second, second)).toEqual([200, 200, 429]);
  });

  it('gives an access key one budget for all its tokens', async () => {
    const obtainToken = () => api.kit.accessToken({ clientId: 'ack_one', scopes: ['payments'] });
    expect(await statusesOf(await obtainToken(), await obtainToken(), await obtainToken())).toEqual([200, 200, 429]);
  });

  it('does not count a request that the gate refused', async () => {
    const revoked = api.kit.secretKey({ revoked: true });
    expect(await statusesOf(revoked, revoked, revoked)).toEqual([401, 401, 401]);
  });
});
