import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { law } from '../support/law.js';
import { sendRaw } from '../support/raw-http.js';
import { ID, record, SECRET, type TokenService, tokenService } from '../support/token-service.js';

/** Requests that are sent over one connection. */
const BATCH = 50;

/** What the endpoint may say to who has no good credentials. */
const STATUSES = ['400', '401', '405', '415'];

let service: TokenService;
beforeAll(async () => {
  service = await tokenService({ limits: { perClient: 1_000_000, perAddress: 1_000_000 } });
  service.table.set('ack_revoked', record({ id: 'ack_revoked', revokedAt: new Date(0) }));
});
afterAll(() => service.close());

const encoded = (text: string) => Buffer.from(text, 'latin1').toString('base64');

/** Bytes that a parser of HTTP lets through: no control characters. */
const noise = (maxLength: number) =>
  fc
    .string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)), maxLength })
    .map((text) => text.replaceAll('\x7f', ''));

const ids = fc.constantFrom(ID, 'ack_revoked', 'ack_unknown', '', '__proto__', '%00', '%zz', 'é', 'i'.repeat(300));
const secrets = fc.oneof(
  fc.constantFrom('', 'wrong', `${SECRET}S`, SECRET.slice(1), SECRET.toLowerCase(), 's'.repeat(300), '%', 'a:b'),
  noise(90),
);

/** From nearly right to noise. The right secret is never among it. */
const authorizations = fc.oneof(
  fc.constant(undefined),
  fc
    .tuple(fc.constantFrom('Basic ', 'basic  ', 'Basic', 'Bearer ', ''), ids, secrets)
    .map(([scheme, id, secret]) => `${scheme}${encoded(`${id}:${secret}`)}`),
  noise(60),
);
/** Most often right, so that many requests come as far as to the credentials. */
const mostly = <T>(right: T, ...others: readonly T[]) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(right) }, { weight: 1, arbitrary: fc.constantFrom(...others) });

const FORM = 'application/x-www-form-urlencoded';
const types = mostly<string | undefined>(FORM, `${FORM}; charset=utf-16`, 'application/json', 'x', undefined);
const parameters = fc.oneof(
  fc.constantFrom('grant_type=client_credentials', 'grant_type=password', 'scope=payments', 'scope=%22', '&', 'a[b]=c'),
  fc
    .tuple(fc.constantFrom('client_id', 'client_secret', 'scope', '__proto__'), fc.oneof(ids, secrets))
    .map(([name, value]) => `${name}=${value.replaceAll('&', '')}`),
  noise(40),
);
const bodies = fc.array(parameters, { maxLength: 6 }).map((all) => all.join('&'));
const requests = fc
  .record({
    method: mostly('POST', 'PUT', 'GET', 'DELETE'),
    target: fc.constantFrom('/connect/token', '/connect/token?grant_type=client_credentials', '/connect/token?'),
    authorization: authorizations,
    type: types,
    encoding: mostly<string | undefined>(undefined, 'gzip', 'br', 'identity'),
    body: bodies,
  })
  .filter(
    ({ authorization, body }) => !body.includes(SECRET) && authorization !== `Basic ${encoded(`${ID}:${SECRET}`)}`,
  );

type Draw = typeof requests extends fc.Arbitrary<infer R> ? R : never;

function written({ method, target, authorization, type, encoding, body }: Draw, connection: string): string {
  const fields = { Authorization: authorization, 'Content-Type': type, 'Content-Encoding': encoding };
  const lines = Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  const length = `Content-Length: ${Buffer.byteLength(body, 'latin1')}`;
  const head = [`${method} ${target} HTTP/1.1`, 'Host: a', `Connection: ${connection}`, length, ...lines];
  return [...head, '', body].join('\r\n');
}

describe('token requests without valid credentials', () => {
  law(
    'T44 get one of the answers that are listed each, and no token',
    () =>
      fc.asyncProperty(fc.array(requests, { minLength: BATCH, maxLength: BATCH }), async (draws) => {
        const sent = draws.map((draw, index) => written(draw, index + 1 < BATCH ? 'keep-alive' : 'close'));
        const { text } = await sendRaw(service.port, sent.join(''));
        const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status ?? '');
        expect(statuses).toHaveLength(BATCH);
        expect(statuses.filter((status) => !STATUSES.includes(status))).toEqual([]);
        expect(text).not.toContain('access_token');
      }),
    { triesPerRun: BATCH },
  );
});
