/** Everything about one key. */
import type { KeyView } from '../management/key-view.js';
import { answerPage } from './answer.js';
import { auditTable } from './audit-words.js';
import { copyable } from './copyable.js';
import { doneIn } from './done.js';
import { chosen, type Html, html } from './html.js';
import { panelsOf } from './key-panels.js';
import { textsOf } from './key-texts.js';
import { viewed } from './key-version.js';
import { ENVIRONMENTS, every, KINDS, stateOf } from './key-words.js';
import { layout } from './layout.js';
import { lacking } from './permitted.js';
import { queryText } from './query-text.js';
import { nameOf, pathOf, type Sort } from './sort.js';
import { exact } from './times.js';
import type { Page, Visit } from './visit.js';

/** Entries of its history. */
const LATEST = 10;

export function keyPage(sort: Sort): Page {
  return async (visit) => {
    const { site, member, base, now } = visit;
    const key = await viewed(visit, sort);
    const story = await site.management.audit(member, { subject: key.id, limit: LATEST });
    const main = html`<div class="head"><h1>${chosen(nameOf(key))} ${stateOf(key)}</h1>${editLink(visit, sort, key)}</div>
${doneIn(visit)}
${key.publicText !== null && copyable('text', 'Public key', key.publicText)}
${factsOf(sort, key, now)}
${textsOf(visit, sort, key)}
${key.state !== 'revoked' && panelsOf(visit, sort, key)}
<h2>History</h2>
${auditTable('What was done with it, the latest first', story.items, now)}
<p><a href="${base}/audit${queryText({ subject: key.id })}">All of its history</a></p>`;
    return answerPage(200, layout(visit, { title: nameOf(key), tab: sort.name, main }));
  };
}

function editLink(visit: Visit, sort: Sort, key: KeyView): Html | undefined {
  if (key.state === 'revoked') return undefined;
  const needs = lacking(visit, 'edit');
  if (needs === undefined) return html`<a class="button" href="${visit.base}${pathOf(sort, key)}/edit">Edit</a>`;
  return html`<span><button disabled>Edit</button> <span class="needs">Needs the permission ${needs}.</span></span>`;
}

function factsOf(sort: Sort, key: KeyView, now: number): Html {
  const never = html`<span class="muted">Never</span>`;
  const time = (at: Date | null) => (at === null ? never : exact(at, now));
  const facts: readonly (readonly [string, Html] | undefined)[] = [
    ['Kind', html`${KINDS[key.kind].title}`],
    [sort.name === 'keys' ? 'Id' : 'Identifier', html`<code>${key.id}</code>`],
    ['Environment', html`${ENVIRONMENTS[key.environment]}`],
    key.apis === null ? undefined : ['APIs', every(key.apis)],
    ['Scopes', scopesOf(key)],
    key.defaultScopes === null ? undefined : ['Default scopes', every(key.defaultScopes)],
    ['Channels', every(key.channels)],
    key.platform === null ? undefined : ['E-commerce platform', chosen(key.platform)],
    ['Created', html`${exact(key.createdAt, now)} by ${chosen(key.createdBy)}`],
    ['Last used', time(key.lastUsedAt)],
    ['Expires', time(key.expiresAt)],
    key.disabledAt === null ? undefined : ['Disabled', exact(key.disabledAt, now)],
    key.revokedAt === null ? undefined : ['Deleted', exact(key.revokedAt, now)],
  ];
  return html`<dl>${facts.flatMap((fact) => (fact === undefined ? [] : [html`<dt>${fact[0]}</dt><dd>${fact[1]}</dd>\n`]))}</dl>`;
}

function scopesOf({ kind, scopes }: KeyView): Html {
  if (scopes !== null) return every(scopes);
  return kind === 'secret' ? html`Every scope of its APIs` : every([]);
}
