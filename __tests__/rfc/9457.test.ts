import { STATUS_CODES } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { bearerErrors, requireApi, requireBearer } from 'keyward';
import { createTestKit } from 'keyward/testing';
import { getRaw, type Served, serve } from '../support/raw-http.js';

const kit = createTestKit();
const outage = createTestKit();
outage.outage(true);

const app = express();
app.use('/payments', requireBearer({ accept: kit.accept }), requireApi('payments'));
app.use('/outage', requireBearer({ accept: outage.accept }));
app.use(bearerErrors({ format: 'problem' }));

let served: Served;
beforeAll(async () => {
  served = await serve(app);
});
afterAll(() => served.close());

const get = (credential: string | undefined, target: string, method = 'GET') =>
  getRaw(served.port, credential === undefined ? [] : [`Authorization: Bearer ${credential}`], target, method);

/** Every code, with what brings it about. */
const PROBLEMS: [string, number, string | undefined, string][] = [
  ['credential_missing', 401, undefined, '/payments'],
  ['invalid_request', 400, 'a b', '/payments'],
  ['invalid_token', 401, kit.secretKey({ foreign: true }), '/payments'],
  ['insufficient_scope', 403, kit.secretKey({ apis: ['disputes'] }), '/payments'],
  ['temporarily_unavailable', 503, outage.secretKey(), '/outage'],
];

const problemOf = async (...request: Parameters<typeof get>): Promise<Record<string, unknown>> =>
  JSON.parse((await get(...request)).body);

describe('RFC 9457 section 3, problem details', () => {
  it.each(PROBLEMS)('3 %s, %i: the media type is application/problem+json', async (_code, _status, sent, target) => {
    expect((await get(sent, target)).headers['content-type']).toBe('application/problem+json');
  });

  it.each(PROBLEMS)('3 %s, %i: the body is one JSON object, and says which', async (code, _status, sent, target) => {
    expect(await problemOf(sent, target)).toMatchObject({ code });
  });

  it.each(PROBLEMS)('3.1 %s, %i: each member has the type that it is given', async (_code, _status, sent, target) => {
    const text = expect.any(String);
    expect(await problemOf(sent, target)).toEqual({
      type: text,
      title: text,
      status: expect.any(Number),
      detail: text,
      code: text,
    });
  });

  it.each(PROBLEMS)('3.1.1 %s, %i: type is a URI reference', async (_code, _status, sent, target) => {
    const { type } = await problemOf(sent, target);
    expect(new URL(String(type), 'https://api.test').protocol).toMatch(/^(https|about):$/);
  });

  it.each(PROBLEMS)('3.1.2 %s: status is %i, as the answer itself has it', async (_code, status, sent, target) => {
    const response = await get(sent, target);
    expect([response.status, JSON.parse(response.body).status]).toEqual([status, status]);
  });

  it.each(PROBLEMS)('3.1.3 %s, %i: title is the phrase of the status, as about:blank asks', async (...problem) => {
    const [, status, sent, target] = problem;
    const { type, title } = await problemOf(sent, target);
    expect([type, title]).toEqual(['about:blank', STATUS_CODES[status]]);
  });

  it('3.1.4 detail helps the client and names no cause: it is one for every bad credential', async () => {
    const bad = [
      kit.secretKey({ foreign: true }),
      kit.secretKey({ revoked: true }),
      kit.secretKey({ expired: true }),
      'not-a-key',
      await kit.accessToken({ foreign: true }),
    ];
    const details = await Promise.all(bad.map(async (credential) => (await problemOf(credential, '/payments')).detail));
    expect(new Set(details)).toEqual(new Set(['The credential is invalid, expired or revoked']));
  });

  it('3.1.4 detail echoes nothing of the request', async () => {
    const { body } = await get('echo-me-nowhere', '/payments?echo-me-nowhere');
    expect(body).not.toContain('echo-me-nowhere');
  });

  it.each(PROBLEMS)('3.2 %s, %i: an extension member has a plain name', async (_code, _status, sent, target) => {
    const registered = ['type', 'title', 'status', 'detail', 'instance'];
    const extensions = Object.keys(await problemOf(sent, target)).filter((name) => !registered.includes(name));
    expect(extensions).not.toHaveLength(0);
    for (const name of extensions) expect(name).toMatch(/^[A-Za-z]\w{2,}$/);
  });

  it('3 HEAD gets the head of the same answer', async () => {
    const { status, headers, body } = await get(undefined, '/payments', 'HEAD');
    expect([status, headers['content-type'], body]).toEqual([401, 'application/problem+json', '']);
  });
});
