import type { RequestListener } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { accessTokens } from 'keyward';
import { FetchError } from '../../lib/http/fetch-json.js';
import { urlFromIssuerMetadata } from '../../lib/http/url-from-issuer-metadata.js';
import { type IssuerServer, json, serveIssuer, status } from '../support/issuer-server.js';
import { createManualClock } from '../support/manual-clock.js';
import { ACCEPTED, serveTokenApi } from '../support/token-api.js';
import { AUDIENCE, createKey, forge, jwksOf } from '../support/token-forge.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const { signal: never } = new AbortController();
const OAUTH = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';

let server: IssuerServer;
beforeEach(async () => {
  server = await serveIssuer();
});
afterEach(() => server.close());

/** Answers by path; 404 for a path without an answer. */
function serveAt(listeners: Readonly<Record<string, RequestListener>>) {
  server.answer((req, res) => (listeners[req.url ?? ''] ?? status(404))(req, res));
}

const discover = (issuer: string, signal = never, firstTimeout = 10_000) =>
  urlFromIssuerMetadata({ url: new URL(issuer), issuer, allowHttp: false, firstTimeout }, 'jwks_uri', signal);

describe('URLs of the metadata', () => {
  it.each([
    ['', OAUTH, OPENID],
    ['/', OAUTH, OPENID],
    ['/tenant', `${OAUTH}/tenant`, `/tenant${OPENID}`],
    ['/tenant/v2.0/', `${OAUTH}/tenant/v2.0`, `/tenant/v2.0${OPENID}`],
    ['//tenant', `${OAUTH}//tenant`, `//tenant${OPENID}`],
  ])('issuer at "%s"', async (path, first, second) => {
    serveAt({});
    await expect(discover(`${server.origin}${path}`)).rejects.toThrow(new FetchError('the response has status 404'));
    expect(server.asked).toEqual([first, second]);
  });
});

describe('content of the metadata', () => {
  const uri = 'https://keys.issuer.test/jwks';
  const good = () => json({ issuer: server.origin, jwks_uri: uri });

  it('is used from RFC 8414, without further requests', async () => {
    serveAt({ [OAUTH]: good() });
    expect((await discover(server.origin)).href).toBe(uri);
    expect(server.asked).toEqual([OAUTH]);
  });

  it.each<[string, () => RequestListener]>([
    ['is not there', () => status(404)],
    ['is of another issuer', () => json({ issuer: 'https://other.test', jwks_uri: uri })],
    ['is of an issuer that differs by a slash', () => json({ issuer: `${server.origin}/`, jwks_uri: uri })],
    ['names no issuer', () => json({ jwks_uri: uri })],
    ['is null', () => json(null)],
    ['is a text', () => json('x')],
    ['names no keys', () => json({ issuer: server.origin })],
    ['names keys by http', () => json({ issuer: server.origin, jwks_uri: 'http://keys.issuer.test/jwks' })],
    ['names keys by no URL', () => json({ issuer: server.origin, jwks_uri: ['https://keys.issuer.test/'] })],
  ])('is taken from OpenID if that of RFC 8414 %s', async (_name, first) => {
    serveAt({ [OAUTH]: first(), [OPENID]: good() });
    expect((await discover(server.origin)).href).toBe(uri);
    expect(server.asked).toEqual([OAUTH, OPENID]);
  });

  it.each<[string, () => RequestListener, string]>([
    [
      'another issuer',
      () => json({ issuer: 'https://other.test', jwks_uri: uri }),
      'the "issuer" in the metadata is not the configured issuer',
    ],
    ['null', () => json(null), 'the "issuer" in the metadata is not the configured issuer'],
    ['no keys', () => json({ issuer: server.origin }), 'the metadata has no valid jwks_uri; expected an https URL'],
    [
      'keys by http',
      () => json({ issuer: server.origin, jwks_uri: 'http://keys.issuer.test/jwks' }),
      'the metadata has no valid jwks_uri; expected an https URL',
    ],
  ])('is refused from OpenID too: %s', async (_name, second, reason) => {
    serveAt({ [OPENID]: second() });
    await expect(discover(server.origin)).rejects.toThrow(new FetchError(reason));
  });

  it.each<[string, () => RequestListener]>([
    ['is not there', () => status(404)],
    ['is refused too', () => json({ issuer: server.origin })],
  ])('is refused for the fault of RFC 8414 if that of OpenID %s', async (_name, second) => {
    serveAt({ [OAUTH]: json({ issuer: 'https://other.test', jwks_uri: uri }), [OPENID]: second() });
    await expect(discover(server.origin)).rejects.toThrow(
      new FetchError('the "issuer" in the metadata is not the configured issuer'),
    );
    expect(server.asked).toEqual([OAUTH, OPENID]);
  });

  it('is requested from OpenID if RFC 8414 gives no answer in time, also if memory is collected', async () => {
    serveAt({ [OAUTH]: () => undefined, [OPENID]: good() });
    // Not an interval: if a collection takes longer than it, timers run without end.
    let collecting: NodeJS.Timeout;
    const collectAgain = () => {
      collect();
      collecting = setTimeout(collectAgain, 50);
    };
    collecting = setTimeout(collectAgain, 50);
    expect((await discover(server.origin, AbortSignal.timeout(10_000), 1_000)).href).toBe(uri);
    clearTimeout(collecting);
    expect(server.asked).toEqual([OAUTH, OPENID]);
  });

  it('is refused for the time-out of RFC 8414 if that of OpenID is not there', async () => {
    serveAt({ [OAUTH]: () => undefined });
    await expect(discover(server.origin, never, 100)).rejects.toThrow(new FetchError('the request timed out'));
    expect(server.asked).toEqual([OAUTH, OPENID]);
  });

  it('is not requested from OpenID when the time is up', async () => {
    const time = new AbortController();
    serveAt({ [OAUTH]: () => time.abort() });
    await expect(discover(server.origin, time.signal)).rejects.toThrow(new FetchError('the request timed out'));
    expect(server.asked).toEqual([OAUTH]);
  });
});

describe('the host of the keys', () => {
  const inside = 'https://10.0.0.1/jwks';
  const found = (issuer: string, uri: string, allowHttp: boolean) => {
    const fetch = async () => Response.json({ issuer, jwks_uri: uri });
    return urlFromIssuerMetadata(
      { url: new URL(issuer), issuer, allowHttp, firstTimeout: 10_000, fetch },
      'jwks_uri',
      never,
    );
  };

  it('is refused if it is internal', async () => {
    await expect(found('https://issuer.test', inside, false)).rejects.toThrow(
      new FetchError('the jwks_uri in the metadata was refused, because it points to an internal host'),
    );
  });

  it.each([
    ['it is internal, as that of the issuer', 'https://10.0.0.1', inside, false],
    ['it is internal, and the issuer is reached by http', 'http://localhost', inside, false],
    ['it is internal, and http is allowed', 'https://issuer.test', inside, true],
    ['it is public', 'https://issuer.test', 'https://keys.test/jwks', false],
  ])('is accepted if %s', async (_name, issuer, uri, allowHttp) => {
    expect((await found(issuer, uri, allowHttp)).href).toBe(uri);
  });
});

describe('a verifier without jwks', () => {
  it.each([
    ['RFC 8414', OAUTH],
    ['OpenID', OPENID],
  ])('finds the keys of its issuer by %s, and not before the first token', async (_name, path) => {
    const key = createKey('ES256');
    const issuer = server.origin;
    serveAt({ [path]: json({ issuer, jwks_uri: `${issuer}/keys` }), '/keys': json(jwksOf(key)) });
    const api = await serveTokenApi([accessTokens({ issuer, audience: AUDIENCE, clock: createManualClock() })]);
    expect(server.asked).toEqual([]);
    expect(await api.judge(forge(key, { iss: issuer }))).toEqual(ACCEPTED);
    expect(server.asked.at(-1)).toBe('/keys');
    await api.close();
  });
});
