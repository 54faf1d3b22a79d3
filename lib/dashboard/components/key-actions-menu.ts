/** The actions on the page of a key: two buttons, and a menu for the others. Each leads to a form or a confirmation. */
import type { KeyView } from '../../management/keys/key-view.js';
import type { Action } from '../../management/permissions.js';
import type { PageContext } from '../http/page-context.js';
import { missingPermission, roleTitle } from '../http/permissions.js';
import { ACCESS_KEYS, type KeyType, keyPath } from '../key-type.js';
import { rotationObstacle, secretObstacle } from '../rotation-obstacle.js';
import { type Html, html } from './html.js';

interface KeyAction {
  readonly title: string;
  /** The path of the form or confirmation, relative to the page of the key. */
  readonly path: string;
  /** The action that the member must be allowed to perform. */
  readonly action: Action;
  /** Whether the action cannot be undone. */
  readonly isFinal?: true;
}

const ROTATE: KeyAction = { title: 'Rotate', path: 'rotate/confirm', action: 'rotate' };
const EDIT: KeyAction = { title: 'Edit', path: 'edit', action: 'edit' };
const DISABLE: KeyAction = { title: 'Disable', path: 'disable/confirm', action: 'edit' };
const ENABLE: KeyAction = { title: 'Enable', path: 'enable/confirm', action: 'edit' };
const ADD_SECRET: KeyAction = { title: 'Add a client secret', path: 'secrets/confirm', action: 'rotate' };
const REVOKE_TOKENS: KeyAction = { title: 'Revoke tokens', path: 'revoke-tokens/confirm', action: 'edit' };
const REVOKE: KeyAction = { title: 'Revoke', path: 'revoke', action: 'revoke', isFinal: true };

/** @param isAccountDisabled - Whether the account of the key is disabled. A key then cannot get a new secret. */
export function keyActionsMenu(context: PageContext, keyType: KeyType, key: KeyView, isAccountDisabled: boolean): Html {
  const obstacle = rotationObstacle(key, isAccountDisabled);
  const addSecret = secretObstacle(key, isAccountDisabled) === undefined ? [ADD_SECRET] : [];
  const accessKeyActions = keyType === ACCESS_KEYS ? [...addSecret, REVOKE_TOKENS] : [];
  const more = [key.disabledAt === null ? DISABLE : ENABLE, ...accessKeyActions, REVOKE];
  const keyUrl = `${context.base}${keyPath(keyType, key)}`;

  function link({ title, path, action, isFinal }: KeyAction, className: string, isPossible = true): Html {
    if (!isPossible || missingPermission(context, action) !== undefined)
      return html`<button class="${className}" disabled>${title}</button>`;
    return html`<a class="${isFinal ? `${className} danger` : className}" href="${keyUrl}/${path}">${title}</a>`;
  }

  return html`<div class="actions">${link(ROTATE, 'button plain', obstacle === undefined)} ${link(EDIT, 'button plain')}
<details class="menu"><summary>More<span class="unseen"> actions</span></summary><div class="items"><ul>
${more.map((action) => html`<li>${link(action, 'item')}</li>\n`)}</ul></div></details>${note(context, obstacle)}</div>`;
}

/** Says why some actions are disabled. All actions need the same permission, so one sentence is enough. */
function note(context: PageContext, obstacle: string | undefined): Html | undefined {
  const missing = missingPermission(context, 'edit');
  if (missing !== undefined)
    return html`<p class="needs">You need the ${missing} role to change this key. You have the ${roleTitle(context.member)} role.</p>`;
  return obstacle === undefined ? undefined : html`<p class="needs">${obstacle}</p>`;
}
