/**
 * The issuer of oidc-provider, in a process of its own: `node <this file> CLIENT_ID CLIENT_SECRET AUDIENCE [CLIENT]`. CLIENT is
 * JSON: more metadata of the client, such as `token_endpoint_auth_method` and `jwks`. DPoP is on, and a nonce is required. A client
 * presents its certificate in the field `Client-Cert` (RFC 9440).
 *
 * It sends its URL. Then it takes orders `{ publish: [name, …] }`: from there on it has the keys of these names and
 * signs with the first; it sends `'published'`. An audience that ends in `/opaque` gets tokens that are no JWT.
 */
import { X509Certificate } from 'node:crypto';
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';

const [, , clientId, clientSecret, defaultAudience, more = '{}'] = process.argv;
const nonceSecret = Buffer.alloc(32, 1);

process.on('disconnect', () => process.exit());

const jwks = new Map();
let handle;
const server = createServer((req, res) => handle(req, res));
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;

await publish(['first']);
process.send(issuer);
process.on('message', (order) => publish(order.publish).then(() => process.send('published')));

/** A provider cannot change its keys: another one takes its place, at the same URL. */
async function publish(names) {
  const keys = await Promise.all(names.map(keyOf));
  handle = new Provider(issuer, configurationOf(keys)).callback();
}

async function keyOf(kid) {
  if (!jwks.has(kid)) {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    jwks.set(kid, { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' });
  }
  return jwks.get(kid);
}

function configurationOf(keys) {
  const client = { client_id: clientId, client_secret: clientSecret, grant_types: ['client_credentials'] };
  return {
    clients: [{ ...client, redirect_uris: [], response_types: [], ...JSON.parse(more) }],
    jwks: { keys },
    scopes: ['payments', 'disputes'],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: { enabled: true },
      revocation: { enabled: true },
      // As behind a proxy that ends TLS and passes the certificate on.
      mTLS: {
        enabled: true,
        certificateBoundAccessTokens: true,
        getCertificate: (context) => {
          const field = context.get('client-cert');
          return field === '' ? undefined : new X509Certificate(Buffer.from(field.slice(1, -1), 'base64'));
        },
      },
      dPoP: { enabled: true, nonceSecret, requireNonce: () => true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => defaultAudience,
        getResourceServerInfo: (_context, audience) => ({
          audience,
          scope: 'payments disputes',
          accessTokenFormat: audience.endsWith('/opaque') ? 'opaque' : 'jwt',
          accessTokenTTL: 3_600,
        }),
      },
    },
  };
}
