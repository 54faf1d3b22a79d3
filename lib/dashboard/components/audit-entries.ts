/** Shows entries of the audit log as sentences: who did what, when, and what changed. */
import type { Kind } from '../../credentials/credential-kind.js';
import { formatRateLimit, isRateLimits } from '../../credentials/rate-limit.js';
import type { AuditEntry } from '../../management/audit-log/read-audit-log.js';
import { actionTitle, infinitiveOf, reasonOf, verbOf } from './audit-action-labels.js';
import { secretChanges } from './audit-secret-changes.js';
import { type Html, html, userText } from './html.js';
import { TOKEN_BINDINGS } from './key-labels.js';
import { formatExpiry, formatTime, timeWithAge } from './times.js';

/** Maximum characters of one value. A long value, such as metadata, would make the page large. */
const MAX_CHARACTERS = 200;

/** If an entry has more changed settings, a closed `<details>` contains them, so that the list stays short. */
const MAX_OPEN_CHANGES = 3;

export interface EntryOptions {
  /** The links of a list with entries about many keys. Without links, an entry says "this key". */
  readonly links?: EntryLinks;
  /** The kind of the key, if all entries are about one key. */
  readonly kind?: Kind;
}

export interface EntryLinks {
  /** Makes the HTML that names the key or account with this ID, usually a link. */
  readonly subject: (id: string, entry: AuditEntry) => Html;
  /** The URL of the audit log with only the entries of this member. */
  readonly actor: (id: string) => string;
}

/** The names of fields on pages, if they differ from the names in the audit log. */
const FIELDS: Readonly<Record<string, string>> = Object.freeze({
  apis: 'APIs',
  defaultScopes: 'default scopes',
  expiresAt: 'expires',
  revokedAt: 'revoked',
  tokensNotBefore: 'tokens last revoked',
  allowedAddresses: 'allowed IP addresses',
  limits: 'rate limits',
  platform: 'e-commerce platform',
  platforms: 'e-commerce platforms',
  publicKeys: 'public keys',
  requireConfirmation: 'token binding',
  // An entry counts the equal attempts that were refused within a minute.
  count: 'attempts within a minute',
});

export function auditEntries(entries: readonly AuditEntry[], now: number, { links, kind }: EntryOptions): Html {
  return html`<ol class="activity">
${entries.map(
  (entry) => html`<li><p>${sentenceOf(entry, links)}</p>${changesOf(entry, kind)}
<p class="when">${timeWithAge(entry.at, now)}${entry.origin !== null && html` from ${entry.origin}`}</p></li>
`,
)}</ol>`;
}

function sentenceOf(entry: AuditEntry, links?: EntryLinks): Html {
  const { actor, role, action, subject, outcome, after } = entry;
  const isKey = action.includes('key.') && action !== 'key.import';
  const what =
    subject !== null && links !== undefined ? links.subject(subject, entry) : isKey ? 'this key' : 'the account';
  const verb = disablingVerb(action, fieldsOf(after)) ?? verbOf(action);
  // The actor of a refused sign-in is a placeholder, not the ID of a member.
  const shown = action === 'sign_in' && outcome === 'refused' ? html`Someone` : userText(actor);
  const name = links === undefined ? shown : html`<a href="${links.actor(actor)}">${shown}</a>`;
  const who = html`<strong>${name}</strong>${role !== null && html` <span class="muted">(${role})</span>`}`;
  if (outcome === 'refused') {
    const why = reasonOf(fieldsOf(after).refused);
    const wanted = subject === null ? html`${lowerFirst(actionTitle(action))}` : html`${infinitiveOf(action)} ${what}`;
    return html`${who} tried to ${wanted}. <strong>Refused</strong>${why !== '' && html`: ${userText(why)}`}.`;
  }
  return html`${who} ${verb} ${what}`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/**
 * Returns the verb `disabled` or `enabled` for an edit that changed only the field `disabled`. The audit log records
 * both operations as an edit, so the sentence would otherwise say "edited".
 */
function disablingVerb(action: string, after: ChangedFields): string | undefined {
  if (!action.endsWith('key.edit') || Object.keys(after).join() !== 'disabled') return undefined;
  return after.disabled === true ? 'disabled' : 'enabled';
}

type ChangedFields = Readonly<Record<string, unknown>>;

function changesOf({ action, before, after }: AuditEntry, kind: Kind | undefined): Html | undefined {
  if (disablingVerb(action, fieldsOf(after)) !== undefined) return undefined;
  // `refused` is left out, because the sentence of the entry already gives the reason for the refusal.
  const { secrets, refused: _, ...newFields } = fieldsOf(after);
  const oldFields = fieldsOf(before);
  const isShown = (name: string) =>
    oldFields[name] !== undefined || (newFields[name] !== null && newFields[name] !== false);
  const names = Object.keys(newFields).filter(isShown);
  const changed = secretChanges(oldFields.secrets, secrets);
  if (names.length + changed.length === 0) return undefined;
  const format = (name: string, value: unknown) =>
    value === null ? absentValue(name, kind) : formatValue(name, value);
  const changes = html`<ul class="changes">${names.map(
    (name) =>
      html`<li>${FIELDS[name] ?? name}: ${oldFields[name] !== undefined && html`${format(name, oldFields[name])} &rarr; `}${format(name, newFields[name])}</li>`,
  )}${changed.map((text) => html`<li>${userText(text)}</li>`)}</ul>`;
  if (names.length <= MAX_OPEN_CHANGES) return changes;
  return html`<details class="changed"><summary>Show ${names.length} settings</summary>${changes}</details>`;
}

function fieldsOf(fields: unknown): ChangedFields {
  return typeof fields === 'object' && fields !== null ? { ...fields } : {};
}

const NONE = 'none';

/** What an entry shows if the value of a setting is `null`. For other settings, it shows `NONE`. */
const ABSENT: Readonly<Record<string, string>> = Object.freeze({
  expiresAt: 'never',
  tokensNotBefore: 'never',
  allowedAddresses: 'any address',
  limits: 'default',
  requireConfirmation: TOKEN_BINDINGS.none,
});

const ABSENT_SCOPES = Object.freeze({ secret: 'all', public: NONE, access: NONE });

function absentValue(name: string, kind: Kind | undefined): Html {
  // The meaning of absent scopes depends on the kind of the key. A list about many keys does not know the kind.
  const scopes = kind === undefined ? 'not set' : ABSENT_SCOPES[kind];
  return html`<span class="muted">${name === 'scopes' ? scopes : (ABSENT[name] ?? NONE)}</span>`;
}

function formatValue(name: string, value: unknown): Html {
  // Unlike `null`, an empty list always means none: a secret key with the scopes `[]` has no scopes.
  if (Array.isArray(value) && value.length === 0) return html`<span class="muted">${NONE}</span>`;
  const text =
    name === 'requireConfirmation'
      ? bindingTitle(value)
      : typeof value === 'string'
        ? withReadableTime(name, value)
        : listText(value);
  return userText(text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)} ...` : text);
}

function bindingTitle(value: unknown): string {
  return TOKEN_BINDINGS[(value === true ? 'any' : value) as keyof typeof TOKEN_BINDINGS] ?? String(value);
}

/** Replaces an ISO time, such as `2027-01-31T12:00:00.000Z`, with `31 Jan 2027, 12:00 UTC`. */
function withReadableTime(name: string, text: string): string {
  const format = name === 'expiresAt' ? formatExpiry : formatTime;
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? format(new Date(text)) : text;
}

function listText(value: unknown): string {
  if (isRateLimits(value)) return value.map(formatRateLimit).join(', ');
  if (!Array.isArray(value)) return JSON.stringify(value) ?? '';
  return value.map((member) => (typeof member === 'string' ? member : JSON.stringify(member))).join(', ');
}
