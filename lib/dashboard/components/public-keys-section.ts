/**
 * The section about public keys on the page of an access key: each public key with its last use, a form that adds a
 * public key, and a form that requires bound tokens.
 */
import type { KeyView, PublicKeyView } from '../../management/keys/key-view.js';
import { describedBy, messageOf } from '../forms/field-errors.js';
import { formIdField } from '../forms/form-id.js';
import { type PublicKeyFormValues, shownAgain } from '../forms/public-key-form-values.js';
import { tokenField } from '../http/csrf-token.js';
import type { PageContext } from '../http/page-context.js';
import { missingPermission } from '../http/permissions.js';
import { queryString } from '../http/query-string.js';
import { ACCESS_KEYS, keyPath } from '../key-type.js';
import { actionForm, actionLink, areaContent, hidden, select } from './controls.js';
import { type Html, html } from './html.js';
import { TOKEN_BINDINGS } from './key-labels.js';
import { lastUse } from './recent-use.js';
import { timeWithAge } from './times.js';

/**
 * @param isAccountDisabled - Whether the account of the key is disabled. A key then cannot get a new public key.
 * @param refused - The form that adds a public key, if management has refused it. It is shown again with its error.
 */
export function publicKeysSection(
  context: PageContext,
  key: KeyView,
  isAccountDisabled: boolean,
  refused?: PublicKeyFormValues,
): Html | undefined {
  const canEdit = key.state !== 'revoked';
  if (key.publicKeys.length === 0 && !canEdit) return undefined;
  return html`<h2>Public keys of the client</h2>
<p>A client with a key pair can authenticate without a client secret (<code>private_key_jwt</code>).</p>
<div class="panels">${key.publicKeys.map((publicKey) => publicKeyPanel(context, key, publicKey))}
${canEdit && !isAccountDisabled && addPanel(context, key, refused)}
${canEdit && bindingPanel(context, key)}</div>`;
}

function publicKeyPanel(context: PageContext, key: KeyView, publicKey: PublicKeyView): Html {
  const { kid, type, createdAt } = publicKey;
  const { now } = context;
  // Management refuses to remove the last public key of a key without a current secret. A secret is current if
  // `acceptedUntil` is `null`. `state` cannot be used here: it is `ended` for all secrets of an expired key.
  const hasSecret = key.secrets.some(({ acceptedUntil }) => acceptedUntil === null);
  const isLast = key.publicKeys.length === 1 && !hasSecret;
  const link = actionLink({
    href: `${context.base}${keyPath(ACCESS_KEYS, key)}/public-keys/remove/confirm${queryString({ kid })}`,
    ...{ title: 'Remove this public key', missing: missingPermission(context, 'rotate') },
  });
  return html`<section class="panel"><h3><code>${kid}</code></h3>
<p>This ${type} key was added on ${timeWithAge(createdAt, now)}. ${lastUse(publicKey, now)}</p>
${key.state !== 'revoked' && !isLast && link}
</section>`;
}

function addPanel(context: PageContext, key: KeyView, refused: PublicKeyFormValues | undefined): Html {
  const error = refused && messageOf(refused.error);
  const content = html`<div class="field"><label for="field-publicKey">Public key (PEM or JWK)</label>
<p class="hint" id="publicKey-hint">Paste only the public key. Keep the private key on the client. This server refuses private keys.</p>
${error !== undefined && html`<p class="error" id="publicKey-error">${error}</p>`}
<textarea id="field-publicKey" name="publicKey" rows="6" maxlength="12000" spellcheck="false" autocomplete="off" required data-public-key${describedBy('publicKey', error)}${areaContent(refused === undefined ? '' : shownAgain(refused.text))}</div>`;
  return html`<details class="panel"${refused !== undefined && html` open`}><summary>Add a public key</summary>
${actionForm({
  action: `${context.base}${keyPath(ACCESS_KEYS, key)}/public-keys`,
  hidden: [tokenField(context.formToken), formIdField(refused?.formId)],
  ...{ button: 'Add a public key', tone: 'plain', content, missing: missingPermission(context, 'rotate') },
})}
</details>`;
}

const BINDINGS = Object.entries(TOKEN_BINDINGS).map(([value, title]) => ({ value, title }));

function bindingPanel(context: PageContext, key: KeyView): Html {
  const current = key.requireConfirmation === true ? 'any' : (key.requireConfirmation ?? 'none');
  return html`<details class="panel"><summary>Token binding</summary>
<p>A bound token works only together with the private key of the client. Nobody can use a stolen token without that private key.</p>
${actionForm({
  action: `${context.base}${keyPath(ACCESS_KEYS, key)}/require-confirmation`,
  hidden: [tokenField(context.formToken), formIdField(), hidden('version', key.version)],
  ...{ button: 'Save', tone: 'plain', missing: missingPermission(context, 'edit') },
  content: select('confirmation', 'Token binding', BINDINGS, current),
})}
</details>`;
}
