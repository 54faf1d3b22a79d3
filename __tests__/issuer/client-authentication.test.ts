import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import express from 'express';
import { authenticateClients } from '../../lib/issuer/clients/authenticate-client.js';
import { ClientAssertions } from '../../lib/issuer/clients/verify-assertion.js';
import { createIssuer, memorySigningKeys } from '../../lib/issuer/index.js';
import { deferred } from '../support/deferred.js';
import { eavesdrop } from '../support/eavesdrop.js';
import { createManualClock } from '../support/manual-clock.js';
import { type RawResponse, sendRaw, serve } from '../support/raw-http.js';
import {
  AUDIENCE,
  basic,
  digestOf,
  GRANT,
  ID,
  record,
  SECRET,
  type TokenService,
  tokenService,
} from '../support/token-service.js';

const encoded = (text: string) => Buffer.from(text).toString('base64');
const inBody = (id: string, secret: string) => `${GRANT}&client_id=${id}&client_secret=${secret}`;

describe('client authentication', () => {
  let service: TokenService;
  beforeAll(async () => {
    service = await tokenService({ limits: { perClient: 1_000_000, perAddress: 1_000_000 } });
  });
  afterAll(() => service.close());

  const raw = (lines: readonly string[], body = GRANT): Promise<RawResponse> => {
    const type = 'Content-Type: application/x-www-form-urlencoded';
    const head = [
      'POST /connect/token HTTP/1.1',
      'Host: x',
      'Connection: close',
      type,
      `Content-Length: ${body.length}`,
    ];
    return sendRaw(service.port, [...head, ...lines, '', body].join('\r\n'));
  };

  it.each(['basic', 'BASIC'])('T17 %s: 200', async (scheme) => {
    expect((await raw([`Authorization: ${scheme} ${encoded(`${ID}:${SECRET}`)}`])).status).toBe(200);
  });

  it.each([
    ['T18 Basic', 'Basic'],
    ['T18 bad base64', 'Basic %%%%'],
    ['T18 base64 + !', `Basic ${encoded(`${ID}:${SECRET}`)}!`],
    ['T18 base64 without its padding', `Basic ${encoded('ab:c').slice(0, -1)}x=`],
    ['T18 no colon', `Basic ${encoded(ID)}`],
    ['T18 empty id', `Basic ${encoded(`:${SECRET}`)}`],
    ['T18 empty secret', `Basic ${encoded(`${ID}:`)}`],
    ['T18 two parts', `Basic ${encoded(`${ID}:${SECRET}`)} more`],
    ['T21 %zz', `Basic ${encoded(`${ID}:%zz`)}`],
    ['T21 lone %', `Basic ${encoded(`${ID}:a%`)}`],
    ['T21 invalid UTF-8', `Basic ${Buffer.from([0x61, 0x3a, 0xff, 0xfe, 0x61, 0x61]).toString('base64')}`],
    ['T21 invalid UTF-8 after decoding', `Basic ${encoded(`${ID}:%ff`)}`],
    ['T21 control characters after decoding', `Basic ${encoded(`${ID}:a%00`)}`],
    ['T23 id of 257 characters', `Basic ${encoded(`${'i'.repeat(257)}:${SECRET}`)}`],
    ['T23 secret of 257 characters', `Basic ${encoded(`${ID}:${'s'.repeat(257)}`)}`],
    ['T28 Bearer', 'Bearer token'],
  ])('%s: invalid_client with a challenge, and no lookup', async (_name, authorization) => {
    const before = service.lookups;
    const response = await raw([`Authorization: ${authorization}`]);
    expect([response.status, response.body]).toEqual([401, '{"error":"invalid_client"}']);
    expect(response.headers['www-authenticate']).toBe(`Basic realm="127.0.0.1:${service.port}"`);
    expect(service.lookups).toBe(before);
  });

  it.each([
    ['id', `%01&client_secret=${SECRET}`],
    ['id, NUL', `%00&client_secret=${SECRET}`],
    ['secret', `${ID}&client_secret=a%7F`],
  ])(
    'control characters after decoding, in the body: invalid_client, and no lookup: %s',
    async (_what, credentials) => {
      const before = service.lookups;
      const response = await service.post(`${GRANT}&client_id=${credentials}`);
      expect([response.status, await response.text()]).toEqual([401, '{"error":"invalid_client"}']);
      expect(service.lookups).toBe(before);
    },
  );

  it.each([' ', '%', '+', '&', ':', 'é'])('T19 id and secret form-encoded, with %j: 200', async (character) => {
    const [id, secret] = [`id${character}`, `secret${character}`];
    service.table.set(id, record({ id, secrets: [{ digest: digestOf(secret) }] }));
    const header = basic(encodeURIComponent(id), encodeURIComponent(secret));
    expect((await service.post(GRANT, header)).status).toBe(200);
  });

  it('T20 generated id and secret sent raw: 200', async () => {
    expect((await service.post(GRANT, basic(ID, SECRET))).status).toBe(200);
  });

  it('T20 generated id and secret sent form-encoded, with every character escaped: 200', async () => {
    const header = basic(ID.replaceAll('_', '%5F'), SECRET.replace('S', '%53'));
    expect((await service.post(GRANT, header)).status).toBe(200);
  });

  it('T22 secret with a colon: split at the first', async () => {
    service.table.set('ack_colon', record({ id: 'ack_colon', secrets: [{ digest: digestOf('a:b:c') }] }));
    expect((await service.post(GRANT, basic('ack_colon', 'a:b:c'))).status).toBe(200);
  });

  it('T24 in the body, no header: 200', async () => {
    expect((await service.post(inBody(ID, SECRET))).status).toBe(200);
  });

  it('T24 in the body, wrong: invalid_client without a challenge', async () => {
    const response = await service.post(inBody(ID, 'wrong'));
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, null]);
  });

  it('T25 header and, in the body, the same id and secret: the operator can see it', async () => {
    const events = eavesdrop();
    await service.post(inBody(ID, SECRET), basic(ID, SECRET));
    events.stop();
    expect(events.heard('keyward:token')).toMatchObject([{ outcome: 'issued', authentication: 'both' }]);
  });

  it.each([
    ['the same id and secret', inBody(ID, SECRET), 200],
    ['an equal client_id alone', `${GRANT}&client_id=${ID}`, 200],
    ['another secret', inBody(ID, 'other'), 400],
    ['another client_id', `${GRANT}&client_id=other`, 400],
  ])('T25 header and, in the body, %s', async (_name, body, status) => {
    expect((await service.post(body, basic(ID, SECRET))).status).toBe(status);
  });

  it('T26 everything in the query: invalid_client, and no lookup', async () => {
    const before = service.lookups;
    const response = await fetch(`${service.url}/connect/token?${inBody(ID, SECRET)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([response.status, service.lookups]).toEqual([401, before]);
  });

  it('T27 two Authorization headers: invalid_request', async () => {
    const line = `Authorization: Basic ${encoded(`${ID}:${SECRET}`)}`;
    expect((await raw([line, line])).status).toBe(400);
  });

  it.each(['header', 'body'])('id and secret of 256 characters are looked up: in the %s', async (where) => {
    const before = service.lookups;
    const [id, secret] = ['i'.repeat(256), 's'.repeat(256)];
    const response = await (where === 'body'
      ? service.post(inBody(id, secret))
      : service.post(GRANT, basic(id, secret)));
    expect(response.status).toBe(401);
    expect(service.lookups).toBe(before + 1);
  });

  it('a body without a secret: invalid_client', async () => {
    expect((await service.post(`${GRANT}&client_id=${ID}`)).status).toBe(401);
  });

  const header = `Authorization: Basic ${encoded(`${ID}:${SECRET}`)}`;
  it.each<[reason: string, lines: readonly string[], body: string]>([
    ['repeated_authorization', [header, header], GRANT],
    ['no_credentials', [], GRANT],
    ['body_malformed', [], inBody('%01', SECRET)],
    ['header_malformed', ['Authorization: Basic'], GRANT],
    ['header_and_body_differ', [header], inBody(ID, 'other')],
    ['credentials_too_long', [], inBody(ID, 's'.repeat(257))],
  ])('the event names the reason %s', async (reason, lines, body) => {
    const events = eavesdrop();
    await raw(lines, body);
    events.stop();
    expect(events.heard('keyward:token')).toMatchObject([{ outcome: 'refused', reason }]);
  });

  it('the event of a client that authenticates in the body says so', async () => {
    const events = eavesdrop();
    await service.post(inBody(ID, SECRET));
    events.stop();
    expect(events.heard('keyward:token')).toMatchObject([{ outcome: 'issued', authentication: 'body' }]);
  });
});

it('a network that sends many unknown client IDs does not take the lookups of another network', async () => {
  let record = deferred<null>();
  const authenticate = authenticateClients({
    accessKeys: { resolveAccessKey: () => record.promise },
    assertions: new ClientAssertions({ firstUse: () => true }),
    clock: createManualClock(),
  });
  const reasonOf = (id: string, address: string) =>
    authenticate({ by: 'basic', id, secret: 'guess' }, address).catch(({ reason }) => reason as unknown);
  const flood = () => Promise.all(Array.from({ length: 101 }, (_, number) => reasonOf(`ack_${number}`, '192.0.2.1')));
  const first = flood();
  record.resolve(null);
  expect(await first).toContain('lookup_too_many');
  record = deferred();
  const second = flood();
  const other = reasonOf('ack_other', '198.51.100.7');
  record.resolve(null);
  expect(await second).toContain('lookup_too_many');
  expect(await other).toBe('unknown');
});

describe('credentials of 16 KiB, on a server that accepts such headers', () => {
  const accessKeys = { resolveAccessKey: jest.fn(() => record()) };
  let port: number;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const issuer = { issuer: 'https://access.example.com', audience: AUDIENCE, signingKeys: memorySigningKeys() };
    ({ port, close } = await serve(express().use(createIssuer({ ...issuer, accessKeys })), { maxHeaderSize: 65_536 }));
  });
  afterAll(() => close());

  it.each([
    ['id', 'i'.repeat(16_384), SECRET],
    ['secret', ID, 's'.repeat(16_384)],
  ])('T23 %s: invalid_client, and no lookup', async (_what, id, secret) => {
    const headers = { ...basic(id, secret), 'content-type': 'application/x-www-form-urlencoded' };
    const response = await fetch(`http://127.0.0.1:${port}/connect/token`, { method: 'POST', headers, body: GRANT });
    expect([response.status, await response.text()]).toEqual([401, '{"error":"invalid_client"}']);
    expect(accessKeys.resolveAccessKey).not.toHaveBeenCalled();
  });
});

describe('clientAuthentication', () => {
  it('T24 only Basic: the body is refused, also together with a header', async () => {
    const service = await tokenService({ clientAuthentication: ['client_secret_basic'] });
    const events = eavesdrop();
    expect((await service.post(inBody(ID, SECRET))).status).toBe(401);
    expect((await service.post(inBody(ID, SECRET), basic(ID, SECRET))).status).toBe(400);
    events.stop();
    const refused = { outcome: 'refused', reason: 'body_not_accepted' };
    expect(events.heard('keyward:token')).toMatchObject([refused, refused]);
    expect((await service.post(GRANT, basic(ID, SECRET))).status).toBe(200);
    await service.close();
  });

  it('only the body: the header is refused', async () => {
    const service = await tokenService({ clientAuthentication: ['client_secret_post'] });
    const events = eavesdrop();
    expect((await service.post(GRANT, basic(ID, SECRET))).status).toBe(401);
    events.stop();
    expect(events.heard('keyward:token')).toMatchObject([{ outcome: 'refused', reason: 'header_not_accepted' }]);
    expect((await service.post(inBody(ID, SECRET))).status).toBe(200);
    await service.close();
  });
});
