/** N16 and R17: which URLs may be fetched from: those of metadata, and http within a private network. */
import dns from 'node:dns';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { accessTokens, type KeySetFetch } from 'keyward';
import { A5 } from '../support/answers.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { type IssuerServer, json, serveIssuer } from '../support/issuer-server.js';
import { createManualClock } from '../support/manual-clock.js';
import { ACCEPTED, refusal, serveTokenApi, type TokenApi } from '../support/token-api.js';
import { AUDIENCE, createKey, forge, jwksOf } from '../support/token-forge.js';

const key = createKey('ES256');
const PUBLIC = 'https://issuer.test';
const OAUTH = '/.well-known/oauth-authorization-server';

let server: IssuerServer;
let events: Eavesdropper;
let requested: string[];
/** Public origins that are served on this machine; a request to any other one is made as it is. */
let served: string[];
const apis: TokenApi[] = [];

beforeEach(async () => {
  server = await serveIssuer();
  events = eavesdrop();
  requested = [];
  served = [PUBLIC];
  const { fetch } = globalThis;
  jest.spyOn(globalThis, 'fetch').mockImplementation((url, init) => {
    requested.push(String(url));
    const { origin, href } = new URL(String(url));
    return fetch(served.includes(origin) ? href.replace(origin, server.origin) : href, init);
  });
});
afterEach(async () => {
  jest.restoreAllMocks();
  events.stop();
  await Promise.all([server, ...apis.splice(0)].map(({ close }) => close()));
});

/** Serves metadata that name the URL of the keys, and the keys at every other path. */
function serveMetadata(issuer: string, jwksUri: string): void {
  server.answer((req, res) => {
    const isMetadata = req.url?.includes('/.well-known/') === true;
    json(isMetadata ? { issuer, jwks_uri: jwksUri } : jwksOf(key))(req, res);
  });
}

async function judge(issuer: string, options: { readonly allowHttp?: boolean } = {}) {
  const api = await serveTokenApi([
    accessTokens({ issuer, audience: AUDIENCE, clock: createManualClock(), ...options }),
  ]);
  apis.push(api);
  return api.judge(forge(key, { iss: issuer }));
}

const lastReason = () => events.heard<KeySetFetch>('keyward:key-set').at(-1)?.reason;

describe('the jwks_uri of an https issuer', () => {
  const port = () => new URL(server.origin).port;

  it.each<[string, () => string]>([
    ['loopback by http', () => `${server.origin}/keys`],
    ['loopback by https', () => `https://127.0.0.1:${port()}/keys`],
    ['loopback by name', () => `https://localhost:${port()}/keys`],
    ['loopback by a name under localhost', () => `https://keys.localhost:${port()}/keys`],
    ['loopback by name with the dot of the root', () => `https://localhost.:${port()}/keys`],
    ['loopback as one number', () => `https://2130706433:${port()}/keys`],
    ['loopback over IPv6', () => `https://[::1]:${port()}/keys`],
    ['loopback, IPv4-mapped', () => `https://[::ffff:127.0.0.1]:${port()}/keys`],
    ['no address', () => `https://0.0.0.0:${port()}/keys`],
    ['10.0.0.0/8', () => 'https://10.1.2.3/keys'],
    ['172.16.0.0/12', () => 'https://172.31.255.254/keys'],
    ['192.168.0.0/16', () => 'https://192.168.0.1/keys'],
    ['100.64.0.0/10', () => 'https://100.64.0.1/keys'],
    ['the metadata service of a cloud', () => 'https://169.254.169.254/latest/meta-data'],
    ['multicast', () => 'https://224.0.0.1/keys'],
    ['unique local IPv6', () => 'https://[fd00:ec2::254]/keys'],
    ['link-local IPv6', () => 'https://[fe80::1]/keys'],
    ['NAT64 of a private address', () => 'https://[64:ff9b::10.0.0.1]/keys'],
    ['6to4 of a private address', () => 'https://[2002:a00:1::]/keys'],
    ['Teredo', () => 'https://[2001::1]/keys'],
    ['IPv6 for documentation', () => 'https://[2001:db8::1]/keys'],
  ])('N16 on %s: not fetched', async (_name, uriOf) => {
    serveMetadata(PUBLIC, uriOf());
    expect(await judge(PUBLIC)).toEqual(refusal(A5, 'keys_unavailable'));
    expect(requested.map((url) => new URL(url).origin)).toEqual([PUBLIC, PUBLIC]);
    expect(lastReason()).toMatch(
      /^(?:the jwks_uri in the metadata was refused, because it points to an internal host|the metadata has no valid jwks_uri; expected an https URL)$/,
    );
  });

  it.each(['http://keys.issuer.test/keys', 'http://10.1.2.3/keys', 'http://issuer.test/keys'])(
    'N16 over http: %s is not fetched',
    async (uri) => {
      serveMetadata(PUBLIC, uri);
      expect(await judge(PUBLIC)).toEqual(refusal(A5, 'keys_unavailable'));
      expect(requested.map((url) => new URL(url).origin)).toEqual([PUBLIC, PUBLIC]);
      expect(lastReason()).toBe('the metadata has no valid jwks_uri; expected an https URL');
    },
  );

  it.each([
    'https://issuer.test/keys',
    'https://8.8.8.8/keys',
    'https://172.32.0.1/keys',
    'https://[2001:4860::1]/keys',
  ])('N16 %s is fetched', async (uri) => {
    serveMetadata(PUBLIC, uri);
    served.push(new URL(uri).origin);
    expect(await judge(PUBLIC)).toEqual(ACCEPTED);
  });

  it('N16 at the origin of the issuer itself is fetched, also in a private network', async () => {
    const issuer = 'https://10.1.2.3:8443/realms/shop';
    served.push(new URL(issuer).origin);
    serveMetadata(issuer, 'https://10.1.2.3:8443/realms/shop/keys');
    expect(await judge(issuer)).toEqual(ACCEPTED);
  });

  it('N16 is taken from the OpenID document if that of RFC 8414 names an internal host', async () => {
    server.answer((req, res) => {
      const uri = req.url?.startsWith(OAUTH) === true ? `${server.origin}/keys` : `${PUBLIC}/keys`;
      json(req.url === '/keys' ? jwksOf(key) : { issuer: PUBLIC, jwks_uri: uri })(req, res);
    });
    expect(await judge(PUBLIC)).toEqual(ACCEPTED);
    expect(requested.at(-1)).toBe(`${PUBLIC}/keys`);
  });
});

describe('http within a private network', () => {
  const ISSUER = () => `http://keyward:${new URL(server.origin).port}`;

  beforeEach(() => {
    const { lookup } = dns;
    const local = (name: string, ...rest: unknown[]) =>
      (lookup as (...given: unknown[]) => void)(name === 'keyward' ? '127.0.0.1' : name, ...rest);
    jest.spyOn(dns, 'lookup').mockImplementation(local as unknown as typeof dns.lookup);
  });

  it('R17 with allowHttp an issuer over http works', async () => {
    serveMetadata(ISSUER(), `${ISSUER()}/keys`);
    expect(await judge(ISSUER(), { allowHttp: true })).toEqual(ACCEPTED);
    expect(server.asked).toEqual([OAUTH, '/keys']);
  });

  it('R17 with allowHttp an https issuer may have its keys in a private network', async () => {
    serveMetadata(PUBLIC, `${ISSUER()}/keys`);
    expect(await judge(PUBLIC, { allowHttp: true })).toEqual(ACCEPTED);
  });

  it('R17 with allowHttp a key set over http works', async () => {
    serveMetadata('unused', 'unused');
    const [issuer, jwks] = ['urn:issuer', `${ISSUER()}/keys`];
    const tokens = accessTokens({ issuer, jwks, audience: AUDIENCE, clock: createManualClock(), allowHttp: true });
    const api = await serveTokenApi([tokens]);
    apis.push(api);
    expect(await api.judge(forge(key, { iss: issuer }))).toEqual(ACCEPTED);
  });

  it.each([{}, { allowHttp: false }])('R17 without allowHttp it throws: %j', (options) => {
    const expected =
      /^accessTokens: option "(?:issuer|jwks)" must be an https URL \(http only for a loopback host, or with "allowHttp"\)/;
    const audience = AUDIENCE;
    expect(() => accessTokens({ issuer: 'http://keyward:4000', audience, ...options })).toThrow(expected);
    expect(() => accessTokens({ issuer: 'a', audience, jwks: 'http://keyward/jwks', ...options })).toThrow(expected);
  });

  it('R17 with allowHttp userinfo, a fragment and other schemes still throw', () => {
    for (const issuer of ['http://user@keyward', 'http://keyward/#a', 'ftp://keyward', 'file:///keys']) {
      expect(() => accessTokens({ issuer, audience: AUDIENCE, allowHttp: true })).toThrow(TypeError);
    }
  });
});
