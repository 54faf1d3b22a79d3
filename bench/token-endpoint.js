/**
 * `npm run bench:token`: tokens per second at keyward's token endpoint, beside oidc-provider's and beside a bare Express
 * route that only parses the form and signs. Each server has a process of its own; in each round every server gets as
 * many requests, one server after the other, and the ratios are of the same round: what else the machine does falls on
 * each alike. `--check` exits 1 when a ratio is under its bound.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { parseArgs } from 'node:util';
import { BODY, HEADERS } from './token-request.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '30' },
    requests: { type: 'string', default: '500' },
    algorithm: { type: 'string', default: 'RS256' },
    check: { type: 'boolean', default: false },
  },
});
const { algorithm } = values;
const rounds = Number(values.rounds);
const requests = Number(values.requests);
/** Requests under way at once. */
const CONNECTIONS = 8;
const WARM_UP = 3;
const BOUNDS = { 'oidc-provider': 1.2, bare: 0.85 };

const servers = await Promise.all(['keyward', ...Object.keys(BOUNDS)].map(start));
for (const server of servers) await assertServes(server);

const measured = () => Object.fromEntries(servers.map(({ name }) => [name, []]));
const [rates, costs] = [measured(), measured()];
for (let round = -WARM_UP; round < rounds; round += 1) {
  // Every other round backwards: none is always the one that comes after another.
  for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
    const { rate, cost } = await measure(server);
    if (round < 0) continue;
    rates[server.name].push(rate);
    costs[server.name].push(cost);
  }
}
for (const { child, agent } of servers) {
  agent.destroy();
  child.disconnect();
}

process.stdout.write(`${rounds} rounds of ${requests} requests, ${CONNECTIONS} at once, ${algorithm}\n`);
for (const { name } of servers) {
  const [rate, cost] = [rates, costs].map((figures) => Math.round(median(figures[name])));
  process.stdout.write(`  ${name}: ${rate} tokens per second, ${cost} µs of CPU each\n`);
}
for (const [name, bound] of Object.entries(BOUNDS)) {
  const ratio = median(rates.keyward.map((rate, round) => rate / rates[name][round]));
  const held = ratio >= bound;
  process.stdout.write(`  ${held ? 'ok    ' : 'MISSED'} keyward / ${name}: ${ratio.toFixed(2)} (at least ${bound})\n`);
  if (!held && values.check) process.exitCode = 1;
}

async function start(name) {
  const child = fork(new URL('token-server.js', import.meta.url), [name, algorithm], {
    ...{ stdio: ['ignore', 'ignore', 'pipe', 'ipc'], env: { ...process.env, NODE_ENV: 'production' } },
  });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    complaints += text;
  });
  const [url] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error(`${name} ended:\n${complaints}`))),
  ]);
  return { name, url, child, agent: new Agent({ keepAlive: true, maxSockets: CONNECTIONS }) };
}

/** One round: tokens per second, and the CPU time that the server spent on each. */
async function measure(server) {
  const spent = await cpuOf(server);
  let left = requests;
  const started = performance.now();
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      const { status } = await post(server);
      if (status !== 200) throw new Error(`${server.name} answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  const rate = requests / ((performance.now() - started) / 1_000);
  return { rate, cost: ((await cpuOf(server)) - spent) / requests };
}

async function cpuOf({ child }) {
  child.send('cpu');
  const [microseconds] = await once(child, 'message');
  return microseconds;
}

/** A server that issues something else is no peer. */
async function assertServes(server) {
  const { status, text } = await post(server);
  const [header, payload] = (JSON.parse(text).access_token ?? '').split('.').map(decoded);
  if (status !== 200 || header?.alg !== algorithm || payload?.exp - payload?.iat !== 3_600) {
    throw new Error(`${server.name} does not issue the token that is measured: ${status} ${text}`);
  }
}

function decoded(part) {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

function post({ url, agent }) {
  return new Promise((resolve, reject) => {
    const headers = { ...HEADERS, 'Content-Length': BODY.length };
    const sent = request(url, { method: 'POST', agent, headers }, (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      res.once('end', () => resolve({ status: res.statusCode, text }));
    });
    sent.once('error', reject).end(BODY);
  });
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}
