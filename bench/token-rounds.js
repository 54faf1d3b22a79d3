/**
 * Tokens per second at keyward's token endpoint, beside oidc-provider's and beside a hand-written Express route that parses
 * the form, checks the secret by SHA-256 and signs. Each server has a process of its own; in each round every server gets as many requests, one server after the
 * other, and the ratios are of the same round: what else the machine does falls on each alike.
 */
import { start, withProcesses } from './measure/processes.js';
import { inRounds } from './measure/rounds.js';
import { openClient } from './token-client.js';

const PROGRAM = new URL('token-server.js', import.meta.url);
/** Concurrent requests. */
export const CONNECTIONS = 8;
const SIGNATURE = 'signature';

/** Who is measured, by name, and what tables call it. */
export const SERVERS = {
  keyward: 'keyward, in an Express app',
  'oidc-provider': 'oidc-provider, in an Express app',
  'hand-written': 'a hand-written Express route',
  express: 'an Express route that answers one text',
  'keyward-alone': 'keyward, without an app',
  'oidc-provider-alone': 'oidc-provider, without an app',
};

/** How many times as many tokens one must issue as another that is mounted alike. */
export const BOUNDS = [
  { of: 'keyward', beside: 'hand-written', least: 0.85 },
  { of: 'keyward-alone', beside: 'oidc-provider-alone', least: 1.1 },
];

/**
 * Measures all servers.
 *
 * @returns For each server, and for one signature alone, by round: `rate`, tokens per second, and `cost`, microseconds of CPU
 *   on each.
 */
export function tokenRounds(algorithm, rounds, requests) {
  const begin = (name) => () => start(PROGRAM, { name, algorithm }, { name });
  return withProcesses([...Object.keys(SERVERS), SIGNATURE].map(begin), async (running) => {
    const servers = running.filter(({ name }) => name !== SIGNATURE);
    for (const server of servers) await assertServes(server, algorithm);
    return inRounds(running, rounds, async (subject) =>
      subject.name === SIGNATURE ? { cost: await subject.ask('sign') } : measure(subject, requests),
    );
  });
}

/** How many times the CPU of one another spends, by round; on what is left when both have paid for a signature. */
export function timesTheCpu(figures, one, another, { besideTheSignature = false } = {}) {
  return figures[one].map(({ cost }, round) => {
    const paid = besideTheSignature ? figures[SIGNATURE][round].cost : 0;
    return (figures[another][round].cost - paid) / (cost - paid);
  });
}

/** One round: tokens per second, and the CPU time that the server spent on each. */
async function measure(server, requests) {
  // Connections of a round's own: servers close those that rest while the others have their turn.
  const client = await openClient(server.first, CONNECTIONS);
  await client.post(CONNECTIONS);
  const spent = await server.ask('cpu');
  const started = performance.now();
  await client.post(requests);
  const rate = requests / ((performance.now() - started) / 1_000);
  const cost = ((await server.ask('cpu')) - spent) / requests;
  client.close();
  return { rate, cost };
}

/** A server that issues something else is no peer. */
async function assertServes({ name, first: url }, algorithm) {
  const client = await openClient(url, 1);
  const body = await client.postOnce();
  client.close();
  const [header, payload] = (JSON.parse(body).access_token ?? '').split('.').map(decoded);
  if (header?.alg !== algorithm || payload?.exp - payload?.iat !== 3_600) {
    throw new Error(`${name} does not issue the token that is measured: ${body}`);
  }
}

function decoded(part) {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
