/** What pages say of an entry of the audit. */
import type { AuditEntry } from '../management/audit-log.js';
import { chosen, type Html, html } from './html.js';
import { ago } from './times.js';

/** Characters of one value: enough for a name, and too few for a page to become large. */
const LONGEST = 200;

/** @param subjectOf - What the id of a subject is shown as; absent: all are of one. */
export function auditTable(caption: string, entries: readonly AuditEntry[], now: number, subjectOf?: SubjectOf): Html {
  const columns = ['When', 'Who', 'What', ...(subjectOf === undefined ? [] : ['On']), 'Outcome', 'Changes', 'From'];
  return html`<div class="scroll"><table role="table">
<caption>${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map(
    (title) => html`<th scope="col" role="columnheader">${title}</th>`,
  )}</tr></thead>
<tbody role="rowgroup">
${entries.map(
  (entry) => html`<tr role="row"><th scope="row" role="rowheader">${ago(entry.at, now)}</th>
<td role="cell" data-title="Who">${actorOf(entry)}</td>
<td role="cell" data-title="What"><code>${entry.action}</code></td>
${subjectOf !== undefined && html`<td role="cell" data-title="On">${entry.subject !== null && subjectOf(entry.subject)}</td>`}
<td role="cell" data-title="Outcome"><span class="badge ${entry.outcome}">${OUTCOMES[entry.outcome]}</span></td>
<td role="cell" data-title="Changes">${changesOf(entry)}</td>
<td role="cell" data-title="From">${entry.origin ?? ''}</td></tr>
`,
)}</tbody>
</table></div>`;
}

const OUTCOMES = Object.freeze({ done: 'Done', refused: 'Refused' });

/** What the id of a subject is shown as. */
export type SubjectOf = (id: string) => Html;

function actorOf({ actor, role }: AuditEntry): Html {
  return html`${chosen(actor)}${role !== null && html` <span class="muted">${role}</span>`}`;
}

function changesOf({ before, after }: AuditEntry): Html {
  const [was, is] = [membersOf(before), membersOf(after)];
  const names = Object.keys(is).filter((name) => was[name] !== undefined || (is[name] !== null && is[name] !== false));
  return html`<ul class="changes">${names.map(
    (name) =>
      html`<li>${name}: ${was[name] !== undefined && html`${shownValue(was[name])} &rarr; `}${shownValue(is[name])}</li>`,
  )}</ul>`;
}

function membersOf(fields: unknown): Readonly<Record<string, unknown>> {
  return typeof fields === 'object' && fields !== null ? { ...fields } : {};
}

function shownValue(value: unknown): Html {
  if (value === null) return html`<span class="muted">none</span>`;
  const text = typeof value === 'string' ? value : textOf(value);
  return chosen(text.length > LONGEST ? `${text.slice(0, LONGEST)} ...` : text);
}

function textOf(value: unknown): string {
  if (!Array.isArray(value)) return JSON.stringify(value) ?? '';
  return value.map((member) => (typeof member === 'string' ? member : secretOf(member))).join(', ');
}

/** One text of a key that was rolled. */
function secretOf(member: unknown): string {
  const { hint, retiresAt } = membersOf(member);
  if (typeof hint !== 'string') return JSON.stringify(member) ?? '';
  return typeof retiresAt === 'string' ? `${hint} until ${retiresAt}` : hint;
}
