/** The only page that shows a secret: the response to the form that created or rotated it. The page is not stored. */
import type { CreatedKey } from '../../management/keys/key-service.js';
import type { KeyView } from '../../management/keys/key-view.js';
import { copyField } from '../components/copy-field.js';
import { type Html, html, userText } from '../components/html.js';
import { layout } from '../components/layout.js';
import { timeWithAge } from '../components/times.js';
import type { DashboardSettings, PageContext } from '../http/page-context.js';
import { type Answer, answerPage } from '../http/page-response.js';
import { type KeyType, keyName, keyPath } from '../key-type.js';

export interface Happened {
  readonly status: number;
  /** The action, for the text. */
  readonly done: 'created' | 'rotated' | 'given a second secret';
}

export function shownOncePage(
  context: PageContext,
  keyType: KeyType,
  made: CreatedKey,
  { status, done }: Happened,
): Answer {
  const { key, secret: text } = made;
  if (text === undefined) return shownBefore(context, keyType, made, done);
  const { site, base } = context;
  const title = `The ${keyType.noun} was ${done}`;
  const isPublic = key.kind === 'public';
  const main = html`<h1>${title}</h1>
<p class="status" role="status">${isPublic ? PUBLIC : SECRET}</p>
<div class="once">${key.kind === 'access' && copyField('identifier', 'Client ID', key.id)}
${copyField('text', WHAT[key.kind], text, !isPublic)}
${oldOne(context, made)}
<h2>Try it</h2>
${copyField('command', 'Command', commandOf(site, key, text), !isPublic)}</div>
<p class="actions"><a class="button plain" download="keyward.env" href="${fileOf(key, text)}"${!isPublic && html` data-saves`}>Download as .env</a> <a class="button" href="${base}${keyPath(keyType, key)}"><span>Go to ${userText(keyName(key))}</span></a></p>`;
  return answerPage(status, layout(context, { title, tab: keyType.name, main }));
}

const WHAT = Object.freeze({ secret: 'Secret key', public: 'Public key', access: 'Client secret' });
const SECRET = 'Copy it now and store it safely. It is shown only once.';
const PUBLIC = 'A public key is not a secret. You can see it again on its page.';

/** For a form that was sent again, by a reload. Nothing was changed, so there is no secret to show. */
function shownBefore(
  context: PageContext,
  keyType: KeyType,
  { key, doneAt }: CreatedKey,
  done: Happened['done'],
): Answer {
  const { base, now } = context;
  const title = `The ${keyType.noun} was ${done} before`;
  const main = html`<h1>${title}</h1>
<p class="status" role="status">It was ${done} on ${timeWithAge(doneAt, now)}. The same form was sent again, so nothing was changed now.</p>
${key.kind === 'public' ? html`<p>${PUBLIC}</p>` : html`<p>The secret was shown once and cannot be shown again. If nobody has it, rotate the key.</p>`}
<p class="actions"><a class="button" href="${base}${keyPath(keyType, key)}"><span>Go to ${userText(keyName(key))}</span></a></p>`;
  return answerPage(200, layout(context, { title, tab: keyType.name, main }));
}

/** The old secret, if it has a grace period. */
function oldOne({ now }: PageContext, { key }: CreatedKey): Html | undefined {
  const old = key.secrets.find(({ state }) => state === 'grace_period');
  if (old === undefined || old.acceptedUntil === null) return undefined;
  return html`<p>The old one is <code>${old.hint}</code>. Its grace period ends ${timeWithAge(old.acceptedUntil, now)}.</p>`;
}

/** Variables for a `.env` file, as a `data:` URL, so that no second request is needed for the secret. */
function fileOf({ kind, id }: KeyView, text: string): string {
  const lines =
    kind === 'access' ? [`KEYWARD_CLIENT_ID=${id}`, `KEYWARD_CLIENT_SECRET=${text}`] : [`KEYWARD_KEY=${text}`];
  return `data:text/plain;charset=utf-8,${encodeURIComponent(`${lines.join('\n')}\n`)}`;
}

/** Quoted for a shell: neither URL, ID nor secret contains a single quote. */
function commandOf({ apiUrl, tokenUrl }: DashboardSettings, { kind, id }: KeyView, text: string): string {
  if (kind === 'access') return `curl '${tokenUrl}' -u '${id}:${text}' -d grant_type=client_credentials`;
  return `curl '${apiUrl}' -H 'Authorization: Bearer ${text}'`;
}
