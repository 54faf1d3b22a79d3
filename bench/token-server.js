/**
 * One server that issues tokens by the client credentials grant: `node bench/token-server.js keyward`, `oidc-provider` or
 * `bare`, and an algorithm. Each signs claims that are alike; an RSA key has 2,048 bits. It sends
 * the URL of its token endpoint to its parent, and the microseconds of CPU that it has used whenever it is asked.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import express from 'express';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { createIssuer, memorySigningKeys } from 'keyward/issuer';
import Provider from 'oidc-provider';
import { AUDIENCE, ID, LIFETIME, SCOPE, SECRET } from './token-request.js';

const [name, algorithm] = process.argv.slice(2);

function keyward(issuer) {
  const secrets = [{ digest: createHash('sha256').update(SECRET).digest('hex') }];
  const record = { id: ID, account: 'acc', environment: 'live', secrets, scopes: [SCOPE], defaultScopes: [SCOPE] };
  const accessKeys = { resolveAccessKey: async (id) => (id === ID ? record : undefined) };
  return express().use(
    createIssuer({ issuer, audience: AUDIENCE, accessKeys, signingKeys: memorySigningKeys(), algorithm }),
  );
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

/** What any token endpoint has to do, and nothing else: nobody is asked for a secret. */
async function bare(issuer) {
  const { privateKey } = await generateKeyPair(algorithm);
  return express().post('/token', express.urlencoded({ extended: false }), async (req, res) => {
    const { scope } = req.body;
    const iat = Math.floor(Date.now() / 1_000);
    const claims = { iss: issuer, aud: AUDIENCE, sub: ID, client_id: ID, scope, jti: randomUUID() };
    const token = await new SignJWT({ ...claims, iat, exp: iat + LIFETIME })
      .setProtectedHeader({ alg: algorithm, typ: 'at+jwt', kid: 'bench' })
      .sign(privateKey);
    res.json({ access_token: token, token_type: 'Bearer', expires_in: LIFETIME, scope });
  });
}

const servers = {
  keyward: { make: keyward, path: '/connect/token' },
  'oidc-provider': { make: oidcProvider, path: '/token' },
  bare: { make: bare, path: '/token' },
};
const { make, path } = servers[name];
const server = createServer();
server.listen(0, '127.0.0.1', async () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  server.on('request', await make(issuer));
  process.send(`${issuer}${path}`);
});
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send(user + system);
});
process.on('disconnect', () => process.exit());
