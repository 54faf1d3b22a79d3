/**
 * One server that issues tokens by the client credentials grant, of those that `servers` names, with an algorithm. Each but
 * `express` signs claims that are alike; an RSA key has 2,048 bits. It sends its parent the URL of its token endpoint, and
 * then, whenever it is asked, the microseconds of CPU that it has used.
 *
 * `signature` serves nothing: asked to sign, it returns the microseconds of CPU that one signature of such a token takes.
 */
import { createHash, KeyObject, randomUUID, sign, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import express from 'express';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { createIssuer, memorySigningKeys } from 'keyward/issuer';
import Provider from 'oidc-provider';
import { answer, given } from './measure/answers.js';
import { cpuTime } from './measure/cpu-time.js';
import { AUDIENCE, ID, LIFETIME, SCOPE, SECRET } from './token-request.js';

const { name, algorithm } = given;

function keyward(issuer) {
  const secrets = [{ digest: createHash('sha256').update(SECRET).digest('hex') }];
  const record = { id: ID, account: 'acc', environment: 'live', secrets, scopes: [SCOPE], defaultScopes: [SCOPE] };
  const accessKeys = { resolveAccessKey: async (id) => (id === ID ? record : undefined) };
  return createIssuer({ issuer, audience: AUDIENCE, accessKeys, signingKeys: memorySigningKeys(), algorithm });
}

async function oidcProvider(issuer) {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const resource = {
    ...{ scope: SCOPE, audience: AUDIENCE, accessTokenTTL: LIFETIME },
    ...{ accessTokenFormat: 'jwt', jwt: { sign: { alg: algorithm } } },
  };
  const provider = new Provider(issuer, {
    clients: [
      {
        ...{ client_id: ID, client_secret: SECRET, grant_types: ['client_credentials'] },
        ...{ redirect_uris: [], response_types: [], id_token_signed_response_alg: algorithm },
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: algorithm, use: 'sig', kid: 'bench' }] },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        ...{ enabled: true, defaultResource: () => AUDIENCE },
        ...{ useGrantedResource: () => true, getResourceServerInfo: () => resource },
      },
    },
  });
  return provider.callback();
}

/** What an engineer writes by hand: parse the form, compare the SHA-256 of the secret, sign with `node:crypto`. */
async function handWritten(issuer) {
  const digest = createHash('sha256').update(SECRET).digest();
  const { privateKey } = await generateKeyPair(algorithm);
  const key = { key: KeyObject.from(privateKey), dsaEncoding: 'ieee-p1363' };
  const header = encoded({ alg: algorithm, typ: 'at+jwt', kid: 'bench' });
  const signed = promisify(sign);
  return express().post('/token', express.urlencoded({ extended: false }), async (req, res) => {
    const [id, secret] = Buffer.from((req.headers.authorization ?? '').slice('Basic '.length), 'base64')
      .toString()
      .split(':');
    const isKnown = id === ID && timingSafeEqual(createHash('sha256').update(secret).digest(), digest);
    if (!isKnown) return res.status(401).json({ error: 'invalid_client' });
    if (req.body.grant_type !== 'client_credentials') return res.status(400).json({ error: 'unsupported_grant_type' });
    const { scope } = req.body;
    if (scope !== SCOPE) return res.status(400).json({ error: 'invalid_scope' });
    const iat = Math.floor(Date.now() / 1_000);
    const claims = { iss: issuer, aud: AUDIENCE, sub: ID, client_id: ID, scope, jti: randomUUID() };
    const input = `${header}.${encoded({ ...claims, iat, exp: iat + LIFETIME })}`;
    const signature = await signed('sha256', Buffer.from(input), key);
    const token = `${input}.${signature.toString('base64url')}`;
    res.set('Cache-Control', 'no-store');
    res.json({ access_token: token, token_type: 'Bearer', expires_in: LIFETIME, scope });
  });
}

const encoded = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** What Express itself costs: every request gets the one token that was made at the start. */
async function onlyExpress(issuer) {
  const text = JSON.stringify(await (await signer(issuer))(SCOPE));
  const headers = { 'Content-Type': 'application/json', 'Content-Length': text.length, 'Cache-Control': 'no-store' };
  return express().post('/token', (req, res) => {
    req.on('data', () => {}).once('end', () => res.writeHead(200, headers).end(text));
  });
}

async function signer(issuer) {
  const { privateKey } = await generateKeyPair(algorithm);
  return async (scope) => {
    const iat = Math.floor(Date.now() / 1_000);
    const claims = { iss: issuer, aud: AUDIENCE, sub: ID, client_id: ID, scope, jti: randomUUID() };
    const token = await new SignJWT({ ...claims, iat, exp: iat + LIFETIME })
      .setProtectedHeader({ alg: algorithm, typ: 'at+jwt', kid: 'bench' })
      .sign(privateKey);
    return { access_token: token, token_type: 'Bearer', expires_in: LIFETIME, scope };
  };
}

const SIGNATURES = 200;

async function signatures() {
  const { privateKey } = await generateKeyPair(algorithm);
  const key = { key: KeyObject.from(privateKey), dsaEncoding: 'ieee-p1363' };
  const input = Buffer.alloc(400, 'a');
  return () => {
    const before = cpuTime();
    for (let i = 0; i < SIGNATURES; i += 1) sign('sha256', input, key);
    return (cpuTime() - before) / SIGNATURES;
  };
}

/** Both can be mounted in an app, as in a service that has other routes too, and can serve by themselves. */
const inApp = (make) => async (issuer) => express().use(await make(issuer));
const alone = (make) => async (issuer) => {
  const handle = await make(issuer);
  return (req, res) => handle(req, res, () => res.writeHead(404).end());
};

const servers = {
  keyward: { make: inApp(keyward), path: '/connect/token' },
  'oidc-provider': { make: inApp(oidcProvider), path: '/token' },
  'hand-written': { make: handWritten, path: '/token' },
  express: { make: onlyExpress, path: '/token' },
  'keyward-alone': { make: alone(keyward), path: '/connect/token' },
  'oidc-provider-alone': { make: alone(oidcProvider), path: '/token' },
};

if (name === 'signature') await answer(() => 'ready', { sign: await signatures() });
else await answer(() => serve(servers[name]), { cpu: cpuTime });

async function serve({ make, path }) {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const issuer = `http://127.0.0.1:${server.address().port}`;
  server.on('request', await make(issuer));
  return `${issuer}${path}`;
}
