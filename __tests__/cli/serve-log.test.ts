import { channel } from 'node:diagnostics_channel';
import { afterEach, describe, expect, it } from '@jest/globals';
import express from 'express';
import { createKeyText } from 'keyward';
import request from 'supertest';
import { type ServeLog, serveLog } from '../../lib/cli/serve/serve-log.js';
import { outputInto } from '../support/command-line.js';
import { eventually } from '../support/store-wait.js';

let log: ServeLog;

afterEach(() => log.stop());

/** What is logged, and an app whose requests are. */
function logging(isJson: boolean) {
  const lines: string[] = [];
  log = serveLog(outputInto(lines), isJson);
  const app = express().use(log.middleware);
  app.get('/aborted', (req) => void req.socket.destroy());
  app.use((_req, res) => void res.status(201).end());
  return { lines, app };
}

describe('the log of keyward serve', () => {
  it('has each request, without its query', async () => {
    const { lines, app } = logging(true);
    await request(app).post('/connect/token?secret=x').set('X-Forwarded-For', '203.0.113.1');
    await eventually(() => lines.length === 1);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      ...{ at: expect.stringMatching(/^\d{4}-.*Z$/), event: 'request', ip: expect.stringContaining('127.0.0.1') },
      ...{ method: 'POST', path: '/connect/token', status: 201, ms: expect.any(Number) },
    });
    const { ms } = JSON.parse(lines[0] ?? '');
    expect(Number.isInteger(ms)).toBe(true);
    // This process is older than the request.
    expect(ms).toBeLessThan(performance.now());
  });

  it('has the first 200 characters of a path', async () => {
    const { lines, app } = logging(true);
    await request(app).get(`/${'a'.repeat(300)}`);
    await eventually(() => lines.length === 1);
    expect(JSON.parse(lines[0] ?? '').path).toBe(`/${'a'.repeat(199)}`);
  });

  it.each([true, false])(
    'has only the hint of a secret in a path, also where the path is cut (JSON: %s)',
    async (isJson) => {
      const { lines, app } = logging(isJson);
      const [key, secret] = [createKeyText({ kind: 'secret', environment: 'live' }), `${'A1_-b'.repeat(17)}c`];
      const start = `/${'b'.repeat(150)}`;
      await request(app).get(`/api/keys/${key}/secrets/${secret}?key=${key}`);
      await request(app).get(`${start}/${secret}`);
      await eventually(() => lines.length === 2);
      expect(lines[0]).toContain(`/api/keys/sk_\u2026${key.slice(-4)}/secrets/\u2026${secret.slice(-4)}`);
      expect(lines[1]).toContain(`${start}/\u2026`);
      for (const part of [key.slice(3, 10), secret.slice(0, 10)]) expect(lines.join()).not.toContain(part);
    },
  );

  it('has no health checks', async () => {
    const { lines, app } = logging(true);
    for (const path of ['/healthz', '/readyz?x=1', '/healthz/other']) await request(app).get(path);
    await eventually(() => lines.length > 0);
    expect(lines.map((line) => JSON.parse(line).path)).toEqual(['/healthz/other']);
  });

  it('says of a request that its client aborted it', async () => {
    const { lines, app } = logging(true);
    await request(app)
      .get('/aborted')
      .catch(() => undefined);
    await eventually(() => lines.length === 1);
    expect(JSON.parse(lines[0] ?? '').status).toBe('aborted');
  });

  it('has token decisions, and whether the database can be reached; nothing after it was stopped', () => {
    const { lines } = logging(true);
    const token = (outcome: string) =>
      channel('keyward:token').publish({ outcome, reason: 'invalid_client', clientId: 'ack_1', secret: 'hidden' });
    const store = (warning: string) => channel('keyward:store').publish({ warning, detail: 'down' });
    token('refused');
    for (const warning of ['unreachable', 'unusable', 'reachable', 'listening', 'replaced']) store(warning);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { at: expect.any(String), event: 'token', outcome: 'refused', reason: 'invalid_client', client: 'ack_1' },
      { at: expect.any(String), event: 'database', outcome: 'unreachable', reason: 'down' },
      { at: expect.any(String), event: 'database', outcome: 'unusable', reason: 'down' },
      { at: expect.any(String), event: 'database', outcome: 'reachable', reason: 'down' },
    ]);
    log.stop();
    token('refused');
    store('unreachable');
    expect(lines).toHaveLength(4);
  });

  it('for people has one line for each, in which nothing is hidden', () => {
    const { lines } = logging(false);
    channel('keyward:token').publish({ outcome: 'refused', reason: 'x\u001b[2J\ny', clientId: undefined });
    expect(lines).toEqual([expect.stringMatching(/^\S+Z token refused x\\u001b\[2J\\ny\n$/)]);
  });

  it.each(['%3F', '%3f', '%253F', '%25253f'])('has no query whose question mark is escaped as %s', async (mark) => {
    const { lines, app } = logging(true);
    await request(app).get(`/dashboard/sign-in${mark}token=canary`);
    await eventually(() => lines.length === 1);
    expect(JSON.parse(lines[0] ?? '').path).toBe('/dashboard/sign-in');
  });
});
