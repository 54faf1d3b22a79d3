/** The section with the requests of a key: totals, a chart by day, and a table with the numbers of the chart. */
import type { KeyUsage, UsageDay } from '../../management/keys/usage.js';
import { type Html, html } from './html.js';
import { formatDay } from './times.js';

/** The width of a bar, the gap between bars and the height of the chart, in units of its `viewBox`. */
const [BAR, GAP, HEIGHT] = [16, 4, 96];
const WEEK = 7;

export const USAGE_DELAY = 'Usage data can be delayed by up to a minute.';

export function usageSection(usage: KeyUsage): Html {
  return html`<section class="usage" aria-labelledby="usage"><h2 id="usage">Usage</h2>
${usage.accepted + usage.refused === 0 ? noRequests(usage) : html`${totals(usage)}\n${chart(usage)}\n${table(usage)}`}
</section>`;
}

function noRequests({ days }: KeyUsage): Html {
  return html`<p class="muted">No requests in the last ${days.length} days. ${USAGE_DELAY}</p>`;
}

function totals({ days, accepted, refused }: KeyUsage): Html {
  const week = days.slice(-WEEK).reduce((sum, day) => sum + day.accepted, 0);
  const total = (title: string, count: number) => html`<div><dt>${title}</dt><dd>${formatCount(count)}</dd></div>`;
  const period = `last ${days.length} days`;
  return html`<dl class="totals">${total(`Accepted in the last ${WEEK} days`, week)}${total(`Accepted in the ${period}`, accepted)}${total(`Refused in the ${period}`, refused)}</dl>`;
}

function chart({ days, accepted, refused }: KeyUsage): Html {
  const [first, last] = [formatDay(days[0]?.day ?? ''), formatDay(days.at(-1)?.day ?? '')];
  const highest = Math.max(...days.map((day) => day.accepted + day.refused));
  const width = days.length * (BAR + GAP);
  const label = `Requests from ${first} to ${last}: ${formatCount(accepted)} accepted, ${formatCount(refused)} refused`;
  // Bars of refused requests are hatched, and bars of accepted requests are solid, so the chart needs no colors.
  return html`<figure>
<svg role="img" aria-label="${label}" viewBox="0 0 ${width} ${HEIGHT}" width="100%" height="${HEIGHT}" preserveAspectRatio="none">
<defs><pattern id="usage-refused" width="4" height="4" patternUnits="userSpaceOnUse"><path d="M0 4 4 0" stroke="currentColor" stroke-width="1"/></pattern></defs>
${days.map((day, index) => bars(day, index * (BAR + GAP), highest))}<path d="M0 ${HEIGHT}H${width}" stroke="currentColor" stroke-width="1"/>
</svg>
<figcaption><span>${first}</span> <span>Busiest day: ${formatCount(highest)} ${highest === 1 ? 'request' : 'requests'}.${refused > 0 && ' Striped bars show refused requests.'}</span> <span>${last}</span></figcaption>
</figure>`;
}

function table({ days }: KeyUsage): Html {
  return html`<details><summary>Requests by day</summary>
<div class="scroll"><table role="table" class="days">
<caption>Days are in UTC. Days without requests are not listed. ${USAGE_DELAY}</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Day</th><th scope="col" role="columnheader">Accepted</th><th scope="col" role="columnheader">Refused</th></tr></thead>
<tbody role="rowgroup">
${days
  .filter(({ accepted, refused }) => accepted + refused > 0)
  .toReversed()
  .map(
    (day) =>
      html`<tr role="row"><th scope="row" role="rowheader">${formatDay(day.day)}</th><td role="cell" data-title="Accepted">${formatCount(day.accepted)}</td><td role="cell" data-title="Refused">${formatCount(day.refused)}</td></tr>
`,
  )}</tbody>
</table></div></details>`;
}

function bars({ day, accepted, refused }: UsageDay, x: number, highest: number): Html {
  const [solid, hatched] = [heightOf(accepted, highest), heightOf(refused, highest)];
  return html`<g><title>${formatDay(day)}: ${formatCount(accepted)} accepted, ${formatCount(refused)} refused</title><rect x="${x}" y="${HEIGHT - solid}" width="${BAR}" height="${solid}" fill="currentColor"/>${
    refused > 0 &&
    html`<rect x="${x}" y="${HEIGHT - solid - hatched}" width="${BAR}" height="${hatched}" fill="url(#usage-refused)" stroke="currentColor"/>`
  }</g>
`;
}

/** The height of a bar. It is at least 1, so that a day with one request does not look like a day without requests. */
function heightOf(count: number, highest: number): number {
  return count === 0 ? 0 : Math.max(1, Math.round((count / highest) * HEIGHT));
}

/** `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}
