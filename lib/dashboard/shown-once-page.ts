/** The one page with the text of a key: the answer to the form that made it, which nothing keeps. */
import type { ShownOnce } from '../management/key-desk.js';
import type { KeyView } from '../management/key-view.js';
import { type Answer, answerPage } from './answer.js';
import { copyable } from './copyable.js';
import { chosen, type Html, html } from './html.js';
import { layout } from './layout.js';
import { nameOf, pathOf, type Sort } from './sort.js';
import { exact } from './times.js';
import type { Site, Visit } from './visit.js';

export interface Happened {
  readonly status: number;
  /** What became of the key. */
  readonly done: 'created' | 'rolled' | 'given a Secret';
}

export function shownOncePage(visit: Visit, sort: Sort, made: ShownOnce, { status, done }: Happened): Answer {
  const { key, text } = made;
  if (text === undefined) return shownBefore(visit, sort, key);
  const { site, base } = visit;
  const title = `The ${sort.noun} was ${done}`;
  const isPublic = key.kind === 'public';
  const main = html`<h1>${title}</h1>
<p class="status" role="status">${isPublic ? PUBLIC : SECRET}</p>
${key.kind === 'access' && copyable('identifier', 'Identifier', key.id)}
${copyable('text', WHAT[key.kind], text, !isPublic)}
${oldOne(visit, made)}
<h2>Try it</h2>
${copyable('command', 'Command', commandOf(site, key, text), !isPublic)}
<p class="actions"><a class="button" href="${base}${pathOf(sort, key)}"><span>To ${chosen(nameOf(key))}</span></a></p>`;
  return answerPage(status, layout(visit, { title, tab: sort.name, main }));
}

const WHAT = Object.freeze({ secret: 'Secret key', public: 'Public key', access: 'Secret' });
const SECRET = 'Copy it now and keep it safe: it is shown this once, and nobody can show it to you again.';
const PUBLIC = 'It is no secret: you can see it again on the page of the key.';

/** The form came again, as by a reload: nothing was made, and there is nothing to show. */
function shownBefore(visit: Visit, sort: Sort, key: KeyView): Answer {
  const { base } = visit;
  const title = `The ${sort.noun} was made before`;
  const main = html`<h1>${title}</h1>
<p class="status" role="status">This form was sent twice. It made one key, whose text was shown once and cannot be shown again.</p>
<p>If nobody has the text, roll the key, or delete it and create another.</p>
<p class="actions"><a class="button" href="${base}${pathOf(sort, key)}"><span>To ${chosen(nameOf(key))}</span></a></p>`;
  return answerPage(200, layout(visit, { title, tab: sort.name, main }));
}

/** The text before it, where it is taken a while longer. */
function oldOne({ now }: Visit, { key }: ShownOnce): Html | undefined {
  const old = key.secrets.find(({ retiresAt }) => retiresAt !== null && retiresAt.getTime() > now);
  if (old === undefined || old.retiresAt === null) return undefined;
  return html`<p>The old one, <code>${old.hint}</code>, is taken until ${exact(old.retiresAt, now)}.</p>`;
}

/** For a shell, in single quotes: none of the three has one. */
function commandOf({ apiUrl, tokenUrl }: Site, { kind, id }: KeyView, text: string): string {
  if (kind === 'access') return `curl '${tokenUrl}' -u '${id}:${text}' -d grant_type=client_credentials`;
  return `curl '${apiUrl}' -H 'Authorization: Bearer ${text}'`;
}
