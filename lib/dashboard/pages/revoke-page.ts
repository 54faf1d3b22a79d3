/** The page that revokes a key. The member must type the name of the key, because revoking cannot be undone. */
import type { KeyView } from '../../management/keys/key-view.js';
import { FLASH, FLASH_KEY } from '../components/flash-message.js';
import { CLOSE_QUOTE, html, OPEN_QUOTE, userText } from '../components/html.js';
import { refusedRequests } from '../components/key-labels.js';
import { layout } from '../components/layout.js';
import { recentUse } from '../components/recent-use.js';
import { formIdField, formIdIn } from '../forms/form-id.js';
import { tokenField } from '../http/csrf-token.js';
import { memberAccount } from '../http/member-account.js';
import { keyIdIn, type Page, type PageContext, viewKey } from '../http/page-context.js';
import { htmlResponse, type PageResponse, seeOther } from '../http/page-response.js';
import { assertCan, can } from '../http/permissions.js';
import { queryString } from '../http/query-string.js';
import { assertNotRevoked, type KeyType, keyName, keyPath } from '../key-type.js';
import { rotationObstacle } from '../rotation-obstacle.js';

export function revokePage(keyType: KeyType): Page {
  return async (context) => {
    assertCan(context, 'revoke');
    return confirmation(context, keyType, await viewKey(context, keyType));
  };
}

export function revokeKey(keyType: KeyType): Page {
  return async (context) => {
    const { site, member, base, fields } = context;
    const formId = formIdIn(context);
    // For a member without the permission, the typed name is not checked. `revoke` below refuses the request, and
    // writes the denied attempt to the audit log.
    if (can(context, 'revoke')) {
      const key = await viewKey(context, keyType);
      const typed = fields.one('confirm') ?? '';
      const isConfirmed = normalizeName(typed) === normalizeName(keyName(key));
      if (!isConfirmed)
        return confirmation(context, keyType, key, {
          typed,
          error:
            'What you typed does not match. Type the text as shown, with the same uppercase and lowercase letters.',
        });
    }
    const { id } = await site.management[keyType.name].revoke(member, keyIdIn(context), formId);
    return seeOther(`${base}${keyType.list}${queryString({ [FLASH]: 'revoked', [FLASH_KEY]: id })}`);
  };
}

/**
 * Makes texts equal that look the same. A keyboard may produce different code points or spaces, for example a letter
 * with a separate accent.
 */
function normalizeName(text: string): string {
  return text.normalize('NFKC').replace(/\s+/g, ' ').trim();
}

async function confirmation(
  context: PageContext,
  keyType: KeyType,
  key: KeyView,
  { typed = '', error }: { readonly typed?: string; readonly error?: string } = {},
): Promise<PageResponse> {
  assertNotRevoked(keyType, key);
  const { base, formToken } = context;
  const keyUrl = `${base}${keyPath(keyType, key)}`;
  const name = keyName(key);
  const account = await memberAccount(context);
  const canRotate = key.state === 'active' && rotationObstacle(key, account.disabled) === undefined;
  const title = `Revoke ${name}`;
  const main = html`<p class="crumb"><a href="${keyUrl}">${userText(name)}</a></p>
<h1>Revoke ${userText(name)}</h1>
<div class="panel ask"><p>${refusedRequests(key)} will be refused immediately. This cannot be undone. ${await recentUse(context, key)}</p>
${key.state === 'active' && html`<p>To refuse requests only temporarily, <a href="${keyUrl}/disable/confirm">disable the key</a> instead. You can enable it again later.</p>`}
${canRotate && html`<p>If the key was ${key.kind === 'public' ? 'misused' : 'leaked'} and you still need it, <a href="${keyUrl}/rotate/confirm">rotate the key</a> instead and choose ${OPEN_QUOTE}Now${CLOSE_QUOTE}. The key keeps its settings.${key.kind === 'access' && ' Tokens that were already issued stay valid until they expire, unless you also revoke the tokens of the key.'}</p>`}
<form method="post" action="${keyUrl}/revoke">${tokenField(formToken)}${formIdField()}
<div class="field"><label for="field-confirm">To confirm, type <code>${userText(name)}</code></label>
${error !== undefined && html`<p class="error" id="confirm-error" role="alert">${error}</p>`}
<input id="field-confirm" name="confirm" value="${typed}" required autocomplete="off" spellcheck="false"${
    error !== undefined && html` aria-invalid="true" aria-describedby="confirm-error"`
  }></div>
<p class="actions"><button class="danger">Revoke</button> <a href="${keyUrl}">Cancel</a></p>
</form></div>`;
  const page = { title: error === undefined ? title : `Error: ${title}`, tab: keyType.name, main };
  return htmlResponse(error === undefined ? 200 : 400, layout(context, page));
}
