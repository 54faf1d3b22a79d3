/**
 * The changes that one can make to a key: two buttons, and a menu for the rest. Each leads to a page that explains the
 * effect.
 */
import type { KeyView } from '../../management/keys/key-view.js';
import type { Action } from '../../management/permissions.js';
import type { PageContext } from '../http/page-context.js';
import { missingPermission, roleTitle } from '../http/permissions.js';
import { ACCESS_KEYS, type KeyType, keyPath } from '../key-type.js';
import { type Html, html } from './html.js';

interface KeyAction {
  readonly title: string;
  /** The path of its page, relative to the page of the key. */
  readonly path: string;
  /** The action that the member must be allowed to perform. */
  readonly action: Action;
  readonly isFinal?: true;
}

const ROTATE: KeyAction = { title: 'Rotate', path: 'rotate/confirm', action: 'rotate' };
const EDIT: KeyAction = { title: 'Edit', path: 'edit', action: 'edit' };
const DISABLE: KeyAction = { title: 'Disable', path: 'disable/confirm', action: 'edit' };
const ENABLE: KeyAction = { title: 'Enable', path: 'enable/confirm', action: 'edit' };
const ADD_SECRET: KeyAction = { title: 'Add a secret', path: 'secrets/confirm', action: 'rotate' };
const REVOKE_TOKENS: KeyAction = { title: 'Revoke tokens', path: 'revoke-tokens/confirm', action: 'edit' };
const REVOKE: KeyAction = { title: 'Revoke', path: 'revoke', action: 'revoke', isFinal: true };

export function keyActionsMenu(context: PageContext, keyType: KeyType, key: KeyView): Html {
  const ofAccessKeys = keyType === ACCESS_KEYS ? [ADD_SECRET, REVOKE_TOKENS] : [];
  const more = [key.disabledAt === null ? DISABLE : ENABLE, ...ofAccessKeys, REVOKE];
  const own = `${context.base}${keyPath(keyType, key)}`;

  function link({ title, path, action, isFinal }: KeyAction, className: string): Html {
    const needs = missingPermission(context, action);
    if (needs !== undefined) return html`<button class="${className}" disabled>${title}</button>`;
    return html`<a class="${isFinal ? `${className} danger` : className}" href="${own}/${path}">${title}</a>`;
  }

  return html`<div class="actions">${link(ROTATE, 'button plain')} ${link(EDIT, 'button plain')}
<details class="menu"><summary>More</summary><div class="items"><ul>
${more.map((action) => html`<li>${link(action, 'item')}</li>\n`)}</ul></div></details>${needsOf(context)}</div>`;
}

/** Says once why every change on the page is disabled. */
function needsOf(context: PageContext): Html | undefined {
  const needs = missingPermission(context, 'edit');
  if (needs === undefined) return undefined;
  return html`<p class="needs">You are a ${roleTitle(context.member)}. Changes to this key need the ${needs} permission.</p>`;
}
