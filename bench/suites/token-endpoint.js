/** The token endpoint, beside oidc-provider's and beside a bare route that parses the form and signs. */
import { ratioOf, summaryOf } from '../measure/statistics.js';
import { digits, spread, table } from '../report/text.js';
import { CONNECTIONS, SERVERS, timesTheCpu, tokenRounds } from '../token-rounds.js';

const ALGORITHMS = ['RS256', 'ES256'];
const REQUESTS = 250;
const TITLES = {
  keyward: 'keyward',
  'oidc-provider': 'oidc-provider',
  bare: 'Express that parses the form and signs',
  express: 'Express that answers one text',
};

export async function tokenEndpoint({ rounds }) {
  const parts = [];
  for (const algorithm of ALGORITHMS) parts.push(partOf(algorithm, await tokenRounds(algorithm, rounds, REQUESTS)));
  return {
    title: 'The token endpoint',
    text: `Tokens per second, ${CONNECTIONS} requests at once, the client on another core. The same algorithm, claims and answer each.`,
    sections: parts.map(({ section }) => section),
    charts: parts.map(({ chart }) => chart),
    bounds: [],
  };
}

function partOf(algorithm, figures) {
  const of = (name) => figures[name].map(({ rate }) => rate);
  const rows = SERVERS.map((name) => [
    ...[TITLES[name], digits(summaryOf(of(name)).median), spread(ratioOf(of('keyward'), of(name)))],
    spread(summaryOf(timesTheCpu(figures, name))),
  ]);
  const bars = SERVERS.map((name) => {
    const { median: value, low, high } = summaryOf(of(name));
    return { label: TITLES[name], value, low, high, own: name === 'keyward' };
  });
  return {
    section: {
      title: algorithm,
      table: table(['', 'tokens per second', 'keyward is times as fast', 'CPU a token, times that of keyward'], rows),
    },
    chart: {
      file: `token-endpoint-${algorithm.toLowerCase()}.svg`,
      title: `${algorithm}: tokens per second`,
      unit: '',
      bars,
    },
  };
}
