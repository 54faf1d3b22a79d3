import type { RequestListener } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { accessTokens } from 'keyward';
import { PresentedCredential } from '../../lib/http/presented-credential.js';
import { createTestClock } from '../../lib/testing/test-clock.js';
import { body, type IssuerServer, json, serveIssuer } from '../support/issuer-server.js';
import { AUDIENCE, createKey, forge, jwkOf, jwksOf, NOW } from '../support/token-forge.js';

const OAUTH = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';

const key = createKey('ES256');
const clock = createTestClock(NOW * 1_000);

let server: IssuerServer;
beforeEach(async () => {
  server = await serveIssuer();
});
afterEach(() => server.close());

/** Answers the given paths, and any other with 404. */
const at =
  (answers: Readonly<Record<string, RequestListener>>): RequestListener =>
  (req, res) => {
    const answer = answers[req.url ?? ''];
    if (answer === undefined) res.writeHead(404).end();
    else answer(req, res);
  };
const keys = json(jwksOf(key));
const metadata = (issuer: unknown, more: object = {}) => json({ issuer, jwks_uri: `${server.origin}/jwks`, ...more });

/** Verifies a token of an issuer by the keys that its metadata leads to. */
const outcomeAt = async (issuer: string) => {
  const tokens = accessTokens({ issuer, audience: AUDIENCE, clock });
  const { outcome } = await tokens.verify(new PresentedCredential(forge(key, { iss: issuer })));
  return outcome;
};

describe('RFC 8414, for a client that reads the metadata of an issuer', () => {
  it.each([
    ['', OAUTH],
    ['/', OAUTH],
    ['/tenant', `${OAUTH}/tenant`],
    ['/tenant/', `${OAUTH}/tenant`],
    ['/a/b', `${OAUTH}/a/b`],
    ['/a/b/', `${OAUTH}/a/b`],
  ])('3 the well-known text goes between host and path, without the last slash: "%s"', async (path, document) => {
    const issuer = server.origin + path;
    server.answer(at({ [document]: metadata(issuer), '/jwks': keys }));
    expect(await outcomeAt(issuer)).toBe('accepted');
    expect(server.asked).toEqual([document, '/jwks']);
  });

  it.each(['http://issuer.test', 'http://192.168.0.1/tenant', 'ftp://issuer.test', 'issuer.test'])(
    '3 the path has the scheme https: %s is refused at start',
    (issuer) => {
      expect(() => accessTokens({ issuer, audience: AUDIENCE })).toThrow(/"issuer"/);
    },
  );

  it.each(['https://issuer.test/?tenant=1', 'https://issuer.test/#tenant', 'https://issuer.test?'])(
    '2 an issuer has no query and no fragment: %s is refused at start',
    (issuer) => {
      expect(() => accessTokens({ issuer, audience: AUDIENCE })).toThrow(/"issuer"/);
    },
  );

  it('3.1 the document is asked for by GET', async () => {
    const methods: (string | undefined)[] = [];
    server.answer((req, res) => {
      methods.push(req.method);
      at({ [OAUTH]: metadata(server.origin), '/jwks': keys })(req, res);
    });
    expect(await outcomeAt(server.origin)).toBe('accepted');
    expect(methods).toEqual(['GET', 'GET']);
  });

  it.each([201, 203, 206, 301, 302, 404, 500])('3.2 a document comes with 200: %i brings none', async (status) => {
    const text = JSON.stringify({ issuer: server.origin, jwks_uri: `${server.origin}/jwks` });
    const answer: RequestListener = (_req, res) => {
      res.writeHead(status, { 'Content-Type': 'application/json', Location: '/moved' }).end(text);
    };
    server.answer(at({ [OAUTH]: answer, [OPENID]: answer, '/moved': metadata(server.origin), '/jwks': keys }));
    expect(await outcomeAt(server.origin)).toBe('unavailable');
    expect(server.asked).toEqual([OAUTH, OPENID]);
  });

  it.each(['null', '[]', '"x"', '1', '', '{', '<html></html>'])(
    '3.2 a document is a JSON object: not %j',
    async (text) => {
      const answer = body(text, 'application/json');
      server.answer(at({ [OAUTH]: answer, [OPENID]: answer, '/jwks': keys }));
      expect(await outcomeAt(server.origin)).toBe('unavailable');
    },
  );

  it.each([
    ['has a slash more', (origin: string) => `${origin}/`],
    ['is in another case', (origin: string) => origin.replace('http', 'HTTP')],
    ['is another', () => 'https://issuer.test'],
    ['is a list of it', (origin: string) => [origin]],
    ['is not there', () => undefined],
  ])('3.3 metadata is not used whose issuer %s', async (_name, issuerOf) => {
    const answer = metadata(issuerOf(server.origin));
    server.answer(at({ [OAUTH]: answer, [OPENID]: answer, '/jwks': keys }));
    expect(await outcomeAt(server.origin)).toBe('unavailable');
    expect(server.asked).not.toContain('/jwks');
  });

  it('3.3 the issuer of one tenant is not that of another', async () => {
    server.answer(at({ [`${OAUTH}/a`]: metadata(`${server.origin}/b`), '/jwks': keys }));
    expect(await outcomeAt(`${server.origin}/a`)).toBe('unavailable');
    expect(server.asked).not.toContain('/jwks');
  });

  it.each(['http://keys.test/jwks', 'file:///jwks', '/jwks', undefined, null, ['https://keys.test/jwks']])(
    '2 jwks_uri is an https URL: %j is not fetched',
    async (uri) => {
      const answer = metadata(server.origin, { jwks_uri: uri });
      server.answer(at({ [OAUTH]: answer, [OPENID]: answer, '/jwks': keys }));
      expect(await outcomeAt(server.origin)).toBe('unavailable');
      expect(server.asked).toEqual([OAUTH, OPENID]);
    },
  );

  it('5 an issuer that keeps to OpenID alone is found by its document, behind the path', async () => {
    const issuer = `${server.origin}/tenant`;
    server.answer(at({ [`/tenant${OPENID}`]: metadata(issuer), '/jwks': json({ keys: [jwkOf(key)] }) }));
    expect(await outcomeAt(issuer)).toBe('accepted');
    expect(server.asked).toEqual([`${OAUTH}/tenant`, `/tenant${OPENID}`, '/jwks']);
  });
});
