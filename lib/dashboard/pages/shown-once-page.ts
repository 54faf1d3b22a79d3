/**
 * The only page that shows a secret. It is the response to the form that created a key, rotated a key or added a client
 * secret. The page cannot be opened again.
 */
import type { CreatedKey } from '../../management/keys/key-service.js';
import type { KeyView } from '../../management/keys/key-view.js';
import { secretNoun } from '../../management/keys/secret-noun.js';
import { permissionTitle } from '../../management/permissions.js';
import { copyField } from '../components/copy-field.js';
import { CLOSE_QUOTE, type Html, html, join, OPEN_QUOTE, userText } from '../components/html.js';
import { ENVIRONMENTS, fullList, refusedNote, secretHint } from '../components/key-labels.js';
import { layout } from '../components/layout.js';
import { formatExpiry, timeWithAge } from '../components/times.js';
import type { DashboardSettings, PageContext } from '../http/page-context.js';
import { htmlResponse, type PageResponse } from '../http/page-response.js';
import { can } from '../http/permissions.js';
import { type KeyType, keyName, keyPath } from '../key-type.js';
import { createEnvFile } from './env-file.js';

export interface Result {
  readonly status: number;
  readonly done: 'created' | 'rotated' | 'secret added';
}

export function shownOncePage(
  context: PageContext,
  keyType: KeyType,
  created: CreatedKey,
  { status, done }: Result,
): PageResponse {
  const { key, secret: text } = created;
  if (text === undefined) return repeatedFormPage(context, keyType, created, done);
  const { site, base, now } = context;
  const { title, heading } = titleOf(keyType, key, done);
  const isPublic = key.kind === 'public';
  const label = SECRET_LABELS[key.kind];
  const file = createEnvFile(site.productName, key, text);
  const download = html` <a class="button plain" download="${file.name}" href="${file.href}"${!isPublic && html` data-saves`}>Download .env file</a>`;
  const main = html`<h1>${heading}</h1>
<p class="status" role="status">${isPublic ? PUBLIC_HINT : `Copy the ${label.toLowerCase()} now and store it safely. It is shown only once.`}</p>
${refusedNote(key)}
${done === 'created' && settingsSummary(key, now)}
<div class="once">${key.kind === 'access' && copyField('identifier', 'Client ID', key.id)}
${copyField('text', label, text, !isPublic, download)}
<p class="muted">The .env file <code>${file.name}</code> sets ${file.variables.length === 1 ? 'the variable' : 'the variables'} ${join(
    file.variables.map((name) => html`<code>${name}</code>`),
    html` and `,
  )}.</p>
${oldSecretsNote(context, created)}
${done === 'secret added' && otherSecretNote(context, keyType, key)}
<h2>Try it</h2>
${copyField('command', 'Sample command', curlCommand(site, key, text), !isPublic)}</div>
<p class="actions"><a class="button" href="${base}${keyPath(keyType, key)}"><span>Go to ${userText(keyName(key))}</span></a></p>`;
  return htmlResponse(status, layout(context, { title, tab: keyType.name, main }));
}

const SECRET_LABELS = Object.freeze({ secret: 'Secret key', public: 'Public key', access: 'Client secret' });
const PUBLIC_HINT = "A public key is not a secret. You can view it on the key's page at any time.";

/** The page for a form that the browser sent again, for example after a reload. There is no new secret to show. */
function repeatedFormPage(
  context: PageContext,
  keyType: KeyType,
  { key, doneAt }: CreatedKey,
  done: Result['done'],
): PageResponse {
  const { base, now } = context;
  const { title, heading } = titleOf(keyType, key, done, 'already ');
  const remedy =
    done === 'secret added'
      ? 'delete it and add another one'
      : can(context, 'rotate')
        ? 'rotate the key'
        : `create another key, or ask an ${permissionTitle('rotate')} to rotate this one`;
  const main = html`<h1>${heading}</h1>
<p class="status" role="status">This form was already submitted on ${timeWithAge(doneAt, now)}. Submitting it again did not change anything.</p>
${
  key.kind === 'public'
    ? html`<p>${PUBLIC_HINT}</p>`
    : html`<p>The ${secretNoun(key)} was shown only once and cannot be shown again.${key.state !== 'revoked' && ` If you did not copy it, ${remedy}.`}</p>
${refusedNote(key)}`
}
<p class="actions"><a class="button" href="${base}${keyPath(keyType, key)}"><span>Go to ${userText(keyName(key))}</span></a></p>`;
  return htmlResponse(200, layout(context, { title, tab: keyType.name, main }));
}

function titleOf({ noun }: KeyType, key: KeyView, done: Result['done'], already: '' | 'already ' = '') {
  const name = keyName(key);
  const [before, after] =
    done === 'secret added'
      ? [`A client secret was ${already}added to the ${noun} `, '']
      : [`The ${noun} `, ` was ${already}${done}`];
  return {
    title: `${before}${OPEN_QUOTE}${name}${CLOSE_QUOTE}${after}`,
    heading: html`${before}${OPEN_QUOTE}${userText(name)}${CLOSE_QUOTE}${after}`,
  };
}

/** Says until when the old secret is accepted, and which secrets are no longer accepted because of this change. */
function oldSecretsNote({ now }: PageContext, { key, doneAt }: CreatedKey): Html {
  const word = secretNoun(key);
  const old = key.secrets.find(({ state }) => state === 'grace_period');
  const ended = key.secrets.filter(
    ({ state, acceptedUntil }) => state === 'ended' && acceptedUntil?.getTime() === doneAt.getTime(),
  );
  const until =
    old !== undefined &&
    old.acceptedUntil !== null &&
    html`<p>The old ${word} ${secretHint(old.hint)} ${key.state === 'active' ? 'is accepted' : 'has a grace period'} until ${timeWithAge(old.acceptedUntil, now)}.</p>`;
  const hints = ended.map(({ hint }) => secretHint(hint));
  return html`${until}
${hints.length > 0 && html`<p>The ${word}${hints.length > 1 && 's'} ${join(hints, html`, `)} ${hints.length > 1 ? 'are' : 'is'} no longer accepted.</p>`}`;
}

/** The most important settings in one line, so that a member notices a mistake before anyone uses the key. */
function settingsSummary(key: KeyView, now: number): Html {
  const expiry = key.expiresAt === null ? html`never` : timeWithAge(key.expiresAt, now, formatExpiry);
  const access = key.apis === null ? html`Scopes: ${fullList(key.scopes ?? [])}` : html`APIs: ${fullList(key.apis)}`;
  return html`<p>Environment: ${ENVIRONMENTS[key.environment]} &middot; ${access} &middot; Expires: ${expiry}</p>`;
}

function otherSecretNote({ base }: PageContext, keyType: KeyType, key: KeyView): Html | undefined {
  const other = key.secrets.slice(1).find(({ state }) => state === 'current');
  if (other === undefined) return undefined;
  const end = secretHint(other.hint);
  return html`<p>The other client secret ${end} ${key.state === 'active' ? 'is still accepted' : 'was not replaced'}. Update your clients to use the new one. Then open <a href="${base}${keyPath(keyType, key)}#secrets">the key's page</a>, check that ${end} is no longer in use, and delete it.</p>`;
}

/** The values need no escaping for a shell: none of them contains a single quote. */
function curlCommand({ apiUrl, tokenUrl }: DashboardSettings, { kind, id }: KeyView, text: string): string {
  if (kind === 'access') return `curl '${tokenUrl}' -u '${id}:${text}' -d grant_type=client_credentials`;
  return `curl '${apiUrl}' -H 'Authorization: Bearer ${text}'`;
}
