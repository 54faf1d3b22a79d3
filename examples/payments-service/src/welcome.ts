/** What `npm start -- --all` prints: all credentials, and commands with the status of their responses. */
import type { DemoCredentials } from './demo-credentials.js';
import type { Dispute } from './disputes.js';
import type { Payment } from './payments.js';

/** The values that the demo prints: credentials, tokens, and sign-in links of the Dashboard. */
export interface Demo extends DemoCredentials {
  readonly baseUrl: string;
  readonly tokenEndpoint: string;
  readonly accessToken: string;
  readonly expiredToken: string;
  readonly replaced: readonly string[];
  readonly dashboard: { readonly developer: string; readonly owner: string };
}

/** @param envFile - The path of the file that `writeEnvFile` wrote. */
export function welcome(demo: Demo, payment: Payment, dispute: Dispute, envFile: string): string {
  const { baseUrl, tokenEndpoint, accessKeyId, accessKeySecret, replaced } = demo;
  const curl = (path: string, credential?: string, body?: object, authorization = `Bearer ${credential}`) =>
    [
      `curl -i ${baseUrl}${path}`,
      ...(credential === undefined ? [] : [`-H "Authorization: ${authorization}"`]),
      ...(body === undefined ? [] : [`-H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`]),
    ].join(' ');
  const requestToken = (how: string, scope = '', secret = accessKeySecret) =>
    [
      `curl ${how} ${tokenEndpoint} -u '${accessKeyId}:${secret}' -d grant_type=client_credentials`,
      ...(scope === '' ? [] : [`-d scope='${scope}'`]),
    ].join(' ');
  // The shell replaces the command with the token that it obtains.
  const accessToken = (scope?: string) =>
    `$(${requestToken('-s', scope)} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`;

  const card = { type: 'card', number: '4242424242424242', expiry_month: 12, expiry_year: 2030 };
  const order = { source: card, amount: 1000, currency: 'GBP', reference: 'order-1' };
  const refund = { amount: 100 };
  const payPath = `/payments/${payment.id}`;

  const commands: readonly (readonly [status: number, what: string, command: string])[] = [
    [201, 'a secret key takes a payment', curl('/payments', demo.secretAll, order)],
    [200, 'a secret key for payments only reads the payment', curl(payPath, demo.secretPayments)],
    [
      201,
      'a key of an e-commerce platform takes a payment on its only channel',
      curl('/payments', demo.secretEcommerce, order),
    ],
    [
      201,
      'a public key exchanges a card number for a card token, as a browser does',
      curl('/tokens', demo.public, card),
    ],
    [
      201,
      'the same request without "Bearer" before the key, as some SDKs send it',
      curl('/tokens', demo.public, card, demo.public),
    ],
    [200, 'a public key: the response names the key and its APIs', curl('/caller', demo.public)],
    [200, 'a secret key for disputes only reads a dispute', curl(`/disputes/${dispute.id}`, demo.secretDisputes)],
    [200, 'an access key obtains an access token with its default scopes', requestToken('-i')],
    [
      200,
      'an access key obtains an access token with the requested scopes',
      requestToken('-i', 'payments payments:refund'),
    ],
    [200, 'an access token, on a route that accepts no keys', curl('/reports', demo.accessToken)],
    [200, 'a new access token, on a route that accepts no keys', curl('/reports', accessToken())],
    [
      201,
      'an access token with the scope payments:refund refunds the payment',
      curl(`${payPath}/refunds`, accessToken('payments payments:refund'), refund),
    ],
    [403, 'wrong API: a key for disputes only, used for a payment', curl(payPath, demo.secretDisputes)],
    [
      403,
      'wrong channel: the key may not use the channel pc_other',
      curl('/payments', demo.secretEcommerce, { processing_channel_id: 'pc_other' }),
    ],
    [400, 'wrong scope: the access key does not have the requested scope', requestToken('-i', 'payouts')],
    [
      403,
      'wrong scope: an access token without the scope payments:refund',
      curl(`${payPath}/refunds`, demo.accessToken, {}),
    ],
    [401, 'wrong kind: a public key, on a route that accepts secret keys', curl(payPath, demo.public)],
    [401, 'wrong kind: a secret key, on a route that accepts no keys', curl('/reports', demo.secretAll)],
    [401, 'wrong secret: not a secret of the access key', requestToken('-i', '', 'not-the-secret')],
    [
      401,
      'mistyped: one character of the key is wrong, so the store is not queried',
      curl(payPath, mistyped(demo.secretAll)),
    ],
    [401, 'expired: a secret key', curl(payPath, demo.expiredKey)],
    [401, 'expired: an access token', curl(payPath, demo.expiredToken)],
    [401, 'missing: the request has no credential', curl(payPath)],
    [400, 'malformed: two words after "Bearer"', curl(payPath, `${demo.secretAll} and-more`)],
  ];

  return `
payments-service listens on ${baseUrl}. Press Ctrl-C to stop it.

The credentials of the demo, which it created when it was first started:
${replaced.map((sentence) => `\n  ${sentence}`).join('')}${replaced.length > 0 ? '\n' : ''}
  secret key, all APIs         ${demo.secretAll}
  secret key, payments only    ${demo.secretPayments}
  secret key, disputes only    ${demo.secretDisputes}
  secret key, e-commerce       ${demo.secretEcommerce}  (channel pc_shop)
  public key                   ${demo.public}
  access key, client ID        ${demo.accessKeyId}
  access key, client secret    ${demo.accessKeySecret}
  access token, for an hour    ${demo.accessToken}

You can manage keys in the Dashboard. Each of these sign-in links works once and expires after 15 minutes:

  as Developer                 ${demo.dashboard.developer}
  as Owner                     ${demo.dashboard.owner}

Run these commands in another terminal. The number above each command is the status of the response.

${commands.map(([status, what, command]) => `  ${status}  ${what}\n       ${command}\n`).join('\n')}
An access token that is bound to the key pair of its client (DPoP), first with a proof and then without one:

  200, then 401
       eval "$(cat ${envFile})"; node examples/payments-service/dist/call-with-dpop.js

Each decision is printed here with its reason, which the caller does not get. A gate verifies the credential; a guard after it
can still refuse the request.
`;
}

function mistyped(key: string): string {
  return key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a');
}
