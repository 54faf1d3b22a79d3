import { X509Certificate } from 'node:crypto';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import {
  accessTokens,
  apiKeys,
  bearerErrors,
  type MtlsOptions,
  requireAny,
  requireBearer,
  requireConfirmation,
  requireScopes,
} from 'keyward';
import { type SelfSigned, selfSigned } from '../../lib/testing/self-signed.js';
import { certificateThumbprint } from '../../lib/tokens/mtls/certificate.js';
import { ALGS } from '../support/dpop-api.js';
import { createDpopClient, type DpopClient, ORIGIN } from '../support/dpop-client.js';
import { createKeyTable } from '../support/key-table.js';
import { createManualClock } from '../support/manual-clock.js';
import { AUDIENCE, createKey, forge, ISSUER, jwksOf } from '../support/token-forge.js';

const issuerKey = createKey('RS256');
const table = createKeyTable();
const thumbprintOf = ({ cert }: SelfSigned) => String(certificateThumbprint({}, () => new X509Certificate(cert).raw));
const [own, other] = [selfSigned('client.test'), selfSigned('thief.test')];
const x5t = thumbprintOf(own);
const bound = forge(issuerKey, { cnf: { 'x5t#S256': x5t } });

/** How a request was answered: status, challenge, and whether the handler ran. */
interface Reply {
  readonly status: number;
  readonly challenge: string | undefined;
  readonly confirmation: unknown;
}

let client: DpopClient;
const opened: { close(): void }[] = [];

/** A TLS server that asks for client certificates, with a gate. */
async function serveTls(mtls: MtlsOptions | undefined, withDpop = false, ...guards: ReturnType<typeof requireAny>[]) {
  const tokens = accessTokens({
    ...{ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(issuerKey), clock: createManualClock() },
    mtls,
    dpop: withDpop ? { origin: ORIGIN } : undefined,
  });
  const keys = apiKeys({ resolver: table.resolveKey, kinds: ['secret'], environment: 'live' });
  const app = express();
  app.use(requireBearer({ accept: [tokens, keys] }), ...guards, (req, res) => {
    res.json({ confirmation: (req as { auth?: { confirmation?: string } }).auth?.confirmation });
  });
  app.use(bearerErrors());
  const server = createServer({ ...selfSigned('api.test'), requestCert: true, rejectUnauthorized: false }, app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push(server);
  const { port } = server.address() as AddressInfo;
  return (authorization: string, certificate?: SelfSigned, proof?: string): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const headers = { authorization, ...(proof === undefined ? {} : { dpop: proof }) };
      const options = { port, host: '127.0.0.1', headers, rejectUnauthorized: false, agent: false, ...certificate };
      const sent = request(options, (res) => {
        let body = '';
        res.on('data', (chunk) => {
          body += chunk;
        });
        res.on('end', () => {
          const challenge = res.headers['www-authenticate'];
          const { confirmation } = body.startsWith('{') ? JSON.parse(body) : { confirmation: undefined };
          resolve({ status: res.statusCode ?? 0, challenge, confirmation });
        });
      });
      sent.on('error', reject);
      sent.end();
    });
}

beforeAll(async () => {
  client = await createDpopClient(issuerKey);
});
afterAll(() => {
  for (const server of opened) server.close();
});

const T1 =
  'Bearer realm="api", error="invalid_token", error_description="The credential is invalid, expired or revoked"';
const DPOP_T1 = T1.replace('Bearer', 'DPoP');

describe('a token that is bound to a certificate', () => {
  it.each<[string, SelfSigned | undefined, number]>([
    ['the certificate', own, 200],
    ['another one', other, 401],
    ['none', undefined, 401],
  ])('D25 %s', async (_name, certificate, status) => {
    const send = await serveTls({});
    const reply = await send(`Bearer ${bound}`, certificate);
    expect(reply).toEqual({
      status,
      challenge: status === 200 ? undefined : T1,
      confirmation: status === 200 ? 'mtls' : undefined,
    });
  });

  it('D25 the same token from another client after it was cached', async () => {
    const send = await serveTls({});
    expect((await send(`Bearer ${bound}`, own)).status).toBe(200);
    expect((await send(`Bearer ${bound}`, other)).status).toBe(401);
    expect((await send(`Bearer ${bound}`, own)).status).toBe(200);
  });

  const failing = () => {
    throw new Error('no such field');
  };
  it.each<[string, () => unknown, number]>([
    ['throws', failing, 503],
    ['returns a text', () => 'certificate', 503],
    ['returns a promise', () => Promise.resolve(Buffer.of()), 503],
    ['returns no bytes', () => Buffer.of(), 503],
    ['returns nothing', () => undefined, 401],
    ['returns the certificate', () => new X509Certificate(own.cert).raw, 200],
  ])('D25 certificateOf that %s', async (_name, certificateOf, status) => {
    const send = await serveTls({ certificateOf: certificateOf as MtlsOptions['certificateOf'] });
    expect((await send(`Bearer ${bound}`)).status).toBe(status);
  });

  it('D25 in the scheme DPoP', async () => {
    const send = await serveTls({}, true);
    expect((await send(`DPoP ${bound}`, own, client.proof(bound))).status).toBe(401);
  });

  it.each([
    ['in hex', Buffer.from(x5t, 'base64url').toString('hex')],
    ['padded', `${x5t}=`],
    ['with unused bits', `${x5t.slice(0, -1)}${x5t.endsWith('A') ? 'B' : 'Z'}`],
    ['a number', 7],
  ])('D26 x5t#S256 %s', async (_name, value) => {
    const send = await serveTls({});
    expect((await send(`Bearer ${forge(issuerKey, { cnf: { 'x5t#S256': value } })}`, own)).status).toBe(401);
  });

  it('mtls.required refuses a Bearer token', async () => {
    const send = await serveTls({ required: true });
    expect((await send(`Bearer ${forge(issuerKey)}`, own)).status).toBe(401);
    expect((await send(`Bearer ${bound}`, own)).status).toBe(200);
  });
});

describe('the claim cnf', () => {
  it('D23 both keys named: proving one is not enough, proving both is', async () => {
    const send = await serveTls({}, true);
    const both = client.token({ cnf: { jkt: client.thumbprint, 'x5t#S256': x5t } });
    const replies = [
      await send(`Bearer ${both}`, own),
      await send(`DPoP ${both}`, undefined, client.proof(both)),
      await send(`DPoP ${both}`, other, client.proof(both)),
      await send(`DPoP ${both}`, own, client.proof(both)),
    ];
    expect(replies.map(({ status }) => status)).toEqual([401, 401, 401, 200]);
    expect(replies.map(({ confirmation }) => confirmation)).toEqual([undefined, undefined, undefined, 'dpop']);
    for (const { challenge } of replies.slice(0, 3)) expect(challenge).toContain('error="invalid_token"');
  });

  it('D23 both keys named, at a gate that can check only one', async () => {
    const both = client.token({ cnf: { jkt: client.thumbprint, 'x5t#S256': x5t } });
    expect((await (await serveTls({}))(`Bearer ${both}`, own)).status).toBe(401);
    expect((await (await serveTls(undefined, true))(`DPoP ${both}`, own, client.proof(both))).status).toBe(401);
  });

  it.each<[string, unknown]>([
    ['{}', {}],
    ['a text', 'x'],
    ['null', null],
    ['a list', ['x']],
    ['kid', { kid: 'x' }],
    ['jwk', { jwk: { kty: 'EC' } }],
    ['an unknown method beside a proven one', { 'x5t#S256': x5t, jku: 'https://client.test' }],
  ])('D24 %s', async (_name, cnf) => {
    const send = await serveTls({}, true);
    const token = forge(issuerKey, { cnf });
    const replies = [await send(`Bearer ${token}`, own), await send(`DPoP ${token}`, own, client.proof(token))];
    for (const { status, challenge } of replies) {
      expect({ status, isT1: challenge?.includes('error="invalid_token"') }).toEqual({ status: 401, isT1: true });
    }
  });
});

describe('requireConfirmation', () => {
  it('D27 dpop, and an unbound token, a key or a token that is bound to a certificate', async () => {
    const send = await serveTls({}, true, requireConfirmation('dpop'));
    const challenge = `${DPOP_T1}, algs="${ALGS}"`;
    for (const [credential, certificate] of [[forge(issuerKey)], [table.add()], [bound, own]] as const) {
      expect(await send(`Bearer ${credential}`, certificate)).toEqual({
        status: 401,
        challenge,
        confirmation: undefined,
      });
    }
    const token = client.token();
    expect((await send(`DPoP ${token}`, undefined, client.proof(token))).status).toBe(200);
  });

  it('D27 either method, and an unbound token', async () => {
    const send = await serveTls({}, true, requireConfirmation('dpop', 'mtls'));
    expect(await send(`Bearer ${forge(issuerKey)}`)).toMatchObject({
      status: 401,
      challenge: `${T1}, DPoP realm="api", algs="${ALGS}"`,
    });
    expect((await send(`Bearer ${bound}`, own)).status).toBe(200);
  });

  it('mtls accepts a token that is bound to both', async () => {
    const send = await serveTls({}, true, requireConfirmation('mtls'));
    const both = client.token({ cnf: { jkt: client.thumbprint, 'x5t#S256': x5t } });
    const token = client.token();
    expect((await send(`DPoP ${both}`, own, client.proof(both))).status).toBe(200);
    expect(await send(`DPoP ${token}`, own, client.proof(token))).toMatchObject({ status: 401, challenge: T1 });
  });

  it('works in requireAny, together with a scope', async () => {
    const send = await serveTls({}, true, requireAny(requireConfirmation('dpop'), requireScopes('payments')));
    expect((await send(`Bearer ${forge(issuerKey)}`)).status).toBe(200);
    expect((await send(`Bearer ${forge(issuerKey, { scope: '' })}`)).status).toBe(403);
  });

  it.each([[[]], [['bearer']], [[undefined]]])('throws for %j', (methods) => {
    expect(() => requireConfirmation(...(methods as never[]))).toThrow(TypeError);
  });
});
