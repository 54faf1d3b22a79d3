/** What the demo prints at its start: its URL, a sign-in link and five commands. With npm's own lines these are 25 lines. */
import type { Demo } from './welcome.js';

const COMMANDS: readonly (readonly [status: number, what: string, command: string])[] = [
  [200, 'a secret key: the response names the key and its APIs', 'curl -i $API/caller -H "Authorization: Bearer $KEY"'],
  [
    200,
    'an access key obtains an access token',
    'curl -i $API/connect/token -u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials',
  ],
  [200, 'an access token, on a route that accepts no keys', 'curl -i $API/reports -H "Authorization: Bearer $TOKEN"'],
  [
    403,
    'a key for disputes only, used for a payment: the gate accepts it, but a guard refuses it',
    'curl -i $API/payments/1 -H "Authorization: Bearer $DISPUTES_KEY"',
  ],
  [401, 'a request without a credential', 'curl -i $API/caller'],
];

/** @param envFile - The path of the file that `writeEnvFile` wrote. */
export function shortWelcome({ baseUrl, dashboard, replaced }: Demo, envFile: string): string {
  return [
    `payments-service listens on ${baseUrl}. Press Ctrl-C to stop it.`,
    ...replaced,
    '',
    'Dashboard: sign in as Owner with this link, which works once and expires after 15 minutes:',
    dashboard.owner,
    '',
    `In another terminal, in this folder, load the credentials: eval "$(cat ${envFile})"`,
    'Then run one of these commands. The number above each command is the status of the response.',
    '',
    ...COMMANDS.flatMap(([status, what, command]) => [`  ${status}  ${what}`, `       ${command}`]),
    '',
    'More commands: stop this, and run npm start -- --all. Each decision of a gate is printed below.',
  ].join('\n');
}
