/** Entries of the audit log as sentences: who did what, when, and what changed. */

import type { Kind } from '../../credentials/kind.js';
import { formatRateLimit, isRateLimits } from '../../credentials/rate-limit.js';
import type { AuditEntry } from '../../management/audit-log/audit-log.js';
import { actionTitle, infinitiveOf, reasonOf, verbOf } from './audit-words.js';
import { type Html, html, userText } from './html.js';
import { secretChanges } from './secret-changes.js';
import { formatExpiry, formatTime, timeWithAge } from './times.js';

/** Maximum characters of one value: enough for a name, and too few to make the page large. */
const MAX_CHARACTERS = 200;

/** Changes that are more than these are closed at first, so that the list stays short. */
const MAX_OPEN_CHANGES = 3;

/** Without links, all entries are of one key. */
export interface EntryOptions {
  readonly links?: EntryLinks;
  /** The kind of that key. */
  readonly kind?: Kind;
}

/** Links of a list with entries of many keys. */
export interface EntryLinks {
  /** Makes the HTML for the ID of a subject. */
  readonly subject: (id: string) => Html;
  /** The address of the entries of one member. */
  readonly actor: (id: string) => string;
}

/** The names of the fields of a key on pages. */
const FIELDS: Readonly<Record<string, string>> = Object.freeze({
  apis: 'APIs',
  defaultScopes: 'default scopes',
  expiresAt: 'expires',
  revokedAt: 'revoked',
  tokensNotBefore: 'tokens accepted from',
  allowedAddresses: 'allowed IP addresses',
  limits: 'rate limits',
});

export function auditEntries(entries: readonly AuditEntry[], now: number, { links, kind }: EntryOptions): Html {
  return html`<ol class="activity">
${entries.map(
  (entry) => html`<li><p>${sentenceOf(entry, links)}</p>${changesOf(entry, kind)}
<p class="when">${timeWithAge(entry.at, now)}${entry.origin !== null && html` from ${entry.origin}`}</p></li>
`,
)}</ol>`;
}

function sentenceOf({ actor, role, action, subject, outcome, after }: AuditEntry, links?: EntryLinks): Html {
  const isKey = action.includes('key.') && action !== 'key.import';
  const what = subject !== null && links !== undefined ? links.subject(subject) : isKey ? 'this key' : 'the account';
  const verb = switchVerb(action, fieldsOf(after)) ?? verbOf(action);
  const name = links === undefined ? userText(actor) : html`<a href="${links.actor(actor)}">${userText(actor)}</a>`;
  const who = html`<strong>${name}</strong>${role !== null && html` <span class="muted">(${role})</span>`}`;
  if (outcome === 'refused') {
    const why = reasonOf(fieldsOf(after).refused);
    const wanted = subject === null ? html`${lowerFirst(actionTitle(action))}` : html`${infinitiveOf(action)} ${what}`;
    return html`${who} tried to ${wanted}; <strong>refused</strong>${why !== '' && html`: ${userText(why)}`}`;
  }
  return html`${who} ${verb} ${what}`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Disabling and enabling are stored as edits, but readers look for these words. */
function switchVerb(action: string, after: ChangedFields): string | undefined {
  if (!action.endsWith('key.edit') || Object.keys(after).join() !== 'disabled') return undefined;
  return after.disabled === true ? 'disabled' : 'enabled';
}

type ChangedFields = Readonly<Record<string, unknown>>;

function changesOf({ action, before, after }: AuditEntry, kind: Kind | undefined): Html | undefined {
  if (switchVerb(action, fieldsOf(after)) !== undefined) return undefined;
  // Why it was refused is in the sentence.
  const { secrets, refused: _, ...is } = fieldsOf(after);
  const was = fieldsOf(before);
  const names = Object.keys(is).filter((name) => was[name] !== undefined || (is[name] !== null && is[name] !== false));
  const changed = secretChanges(was.secrets, secrets);
  if (names.length + changed.length === 0) return undefined;
  const shown = (name: string, value: unknown) => (value === null ? absentValue(name, kind) : shownValue(name, value));
  const changes = html`<ul class="changes">${names.map(
    (name) =>
      html`<li>${FIELDS[name] ?? name}: ${was[name] !== undefined && html`${shown(name, was[name])} &rarr; `}${shown(name, is[name])}</li>`,
  )}${changed.map((text) => html`<li>${userText(text)}</li>`)}</ul>`;
  if (names.length <= MAX_OPEN_CHANGES) return changes;
  return html`<details class="changed"><summary>${names.length} settings</summary>${changes}</details>`;
}

function fieldsOf(fields: unknown): ChangedFields {
  return typeof fields === 'object' && fields !== null ? { ...fields } : {};
}

/** What the absence of a setting means: for some of them, that nothing is limited. */
const ABSENT: Readonly<Record<string, string>> = Object.freeze({
  expiresAt: 'never',
  allowedAddresses: 'any address',
  limits: 'the limits of the API',
});

const ABSENT_SCOPES = Object.freeze({ secret: 'every scope of its APIs', public: 'none', access: 'none' });

function absentValue(name: string, kind: Kind | undefined): Html {
  // The entry of an edit does not say the kind of its key.
  const scopes = kind === undefined ? 'every scope of its APIs (of a public key: none)' : ABSENT_SCOPES[kind];
  return html`<span class="muted">${name === 'scopes' ? scopes : (ABSENT[name] ?? 'none')}</span>`;
}

function shownValue(name: string, value: unknown): Html {
  const text = typeof value === 'string' ? withReadableTime(name, value) : listText(value);
  return userText(text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)} ...` : text);
}

/** Replaces an ISO time, such as `2027-01-31T12:00:00.000Z`, by a readable one. */
function withReadableTime(name: string, text: string): string {
  const format = name === 'expiresAt' ? formatExpiry : formatTime;
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? format(new Date(text)) : text;
}

function listText(value: unknown): string {
  if (isRateLimits(value)) return value.map(formatRateLimit).join(', ');
  if (!Array.isArray(value)) return JSON.stringify(value) ?? '';
  return value.map((member) => (typeof member === 'string' ? member : JSON.stringify(member))).join(', ');
}
