/**
 * Calls the route of the demo that requires DPoP, first as a merchant's server does, then as somebody who stole its token. While the demo
 * runs: `eval "$(cat keyward.demo.env)"`, then `node examples/payments-service/dist/call-with-dpop.js`.
 */
import { tokenClient } from 'keyward/client';

const { API: issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret } = process.env;
if (issuer === undefined || clientId === undefined || clientSecret === undefined) {
  throw new Error('API, CLIENT_ID and CLIENT_SECRET are not set; run: eval "$(cat keyward.demo.env)"');
}

const statement = `${issuer}/reports/statement`;
// It creates a key pair, obtains a token that is bound to it, and signs a proof for each request.
const client = tokenClient({ issuer, clientId, clientSecret, dpop: true });
const response = await client.fetch(statement);
console.log(`${response.status} with the token and a proof: ${await response.text()}`);

const headers = { Authorization: `Bearer ${await client.accessToken()}` };
const stolen = await fetch(statement, { headers });
console.log(`${stolen.status} with the token alone: ${await stolen.text()}`);
