/** The requests of a key by day: a chart that needs no color, and a table with the same numbers. */
import type { KeyUsage, UsageDay } from '../../management/keys/usage.js';
import { type Html, html } from './html.js';

const [BAR, GAP, HEIGHT] = [16, 4, 96];

export function usageChart({ days, accepted, refused }: KeyUsage): Html {
  const first = days[0]?.day ?? '';
  const last = days.at(-1)?.day ?? '';
  const total = `${countText(accepted)} accepted and ${countText(refused)} refused requests from ${first} to ${last}`;
  if (accepted + refused === 0)
    return html`<p class="muted">No requests counted from ${first} to ${last}. Counts are up to a minute late.</p>`;
  const most = Math.max(...days.map((day) => day.accepted + day.refused));
  const width = days.length * (BAR + GAP);
  // Refused requests are hatched with an outline, and accepted ones are solid: the chart can be printed in one color.
  return html`<figure>
<svg role="img" aria-label="${total}" viewBox="0 0 ${width} ${HEIGHT + 16}" width="100%" height="128" preserveAspectRatio="none">
<defs><pattern id="usage-refused" width="4" height="4" patternUnits="userSpaceOnUse"><path d="M0 4 4 0" stroke="currentColor" stroke-width="1"/></pattern></defs>
${days.map((day, index) => barsOf(day, index * (BAR + GAP), most))}<path d="M0 ${HEIGHT}H${width}" stroke="currentColor" stroke-width="1"/>
</svg>
<figcaption>${total}. Solid: accepted; hatched: refused. The highest day has ${countText(most)}.</figcaption>
</figure>
<details><summary>Requests by day</summary>
<div class="scroll"><table role="table">
<caption>Requests by day, in UTC</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Day</th><th scope="col" role="columnheader">Accepted</th><th scope="col" role="columnheader">Refused</th></tr></thead>
<tbody role="rowgroup">
${days.toReversed().map(
  (day) =>
    html`<tr role="row"><th scope="row" role="rowheader">${day.day}</th><td role="cell" data-title="Accepted">${countText(day.accepted)}</td><td role="cell" data-title="Refused">${countText(day.refused)}</td></tr>
`,
)}</tbody>
</table></div></details>`;
}

function barsOf({ day, accepted, refused }: UsageDay, x: number, most: number): Html {
  const [solid, hatched] = [heightOf(accepted, most), heightOf(refused, most)];
  return html`<g><title>${day}: ${countText(accepted)} accepted, ${countText(refused)} refused</title><rect x="${x}" y="${HEIGHT - solid}" width="${BAR}" height="${solid}" fill="currentColor"/>${
    refused > 0 &&
    html`<rect x="${x}" y="${HEIGHT - solid - hatched}" width="${BAR}" height="${hatched}" fill="url(#usage-refused)" stroke="currentColor"/>`
  }</g>
`;
}

/** At least one unit high, so that a day with one request does not look like a day without requests. */
function heightOf(count: number, most: number): number {
  return count === 0 ? 0 : Math.max(1, Math.round((count / most) * HEIGHT));
}

/** `12,345`. */
function countText(count: number): string {
  return count.toLocaleString('en-US');
}
