/** The token endpoint, beside oidc-provider's and a hand-written Express route. */
import { atLeast } from '../measure/bounds.js';
import { ratioOf, summaryOf } from '../measure/statistics.js';
import { digits, spread, table } from '../report/text.js';
import { BOUNDS, CONNECTIONS, SERVERS, timesTheCpu, tokenRounds } from '../token-rounds.js';

const ALGORITHMS = ['RS256', 'ES256'];
const REQUESTS = 250;

export async function tokenEndpoint({ rounds }) {
  const parts = [];
  for (const algorithm of ALGORITHMS) parts.push(partOf(algorithm, await tokenRounds(algorithm, rounds, REQUESTS)));
  return {
    title: 'The token endpoint',
    text:
      `Tokens per second, ${CONNECTIONS} requests at once, the client on another core. All use the same algorithm and claims, and ` +
      'return the same response. keyward and oidc-provider are measured in an Express app, beside other routes, and as servers of ' +
      'their own; a bound compares subjects that are mounted in the same way.',
    sections: parts.map(({ section }) => section),
    charts: parts.map(({ chart }) => chart),
    bounds: parts.flatMap(({ bounds }) => bounds),
  };
}

function partOf(algorithm, figures) {
  const of = (name) => figures[name].map(({ rate }) => rate);
  const names = Object.keys(SERVERS);
  const rows = names.map((name) => [
    ...[SERVERS[name], digits(summaryOf(of(name)).median), spread(ratioOf(of('keyward'), of(name)))],
    spread(summaryOf(timesTheCpu(figures, 'keyward', name))),
  ]);
  const bars = names.map((name) => {
    const { median: value, low, high } = summaryOf(of(name));
    return { label: SERVERS[name], value, low, high, own: name.startsWith('keyward') };
  });
  return {
    section: {
      title: algorithm,
      table: table(
        ['', 'tokens per second', 'keyward in an app: times as fast', 'CPU a token, times that of keyward in an app'],
        rows,
      ),
    },
    chart: {
      file: `token-endpoint-${algorithm.toLowerCase()}.svg`,
      title: `${algorithm}: tokens per second`,
      unit: '',
      bars,
    },
    bounds: BOUNDS.map(({ of: one, beside, least }) =>
      atLeast(`tokens, ${algorithm}, ${SERVERS[one]}: times ${SERVERS[beside]}`, ratioOf(of(one), of(beside)), least),
    ),
  };
}
