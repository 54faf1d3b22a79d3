/** What is done to a key by one button. */
import type { KeyView } from '../management/key-view.js';
import { type Answer, seeOther } from './answer.js';
import { versionIn } from './key-version.js';
import { may } from './permitted.js';
import { badRequest } from './refusal.js';
import { shownOncePage } from './shown-once-page.js';
import { ACCESS_KEYS, pathOf, type Sort } from './sort.js';
import { idIn, type Page, type Visit } from './visit.js';

/** `POST …/disable`, `POST …/enable` */
export function setDisabled(sort: Sort, disabled: boolean): Page {
  return async (visit) => {
    const { site, member } = visit;
    const edit = { version: versionIn(visit), disabled };
    const key = await site.management[sort.name].edit(member, idIn(visit), edit);
    return backTo(visit, sort, key, disabled ? 'disabled' : 'enabled');
  };
}

/** `POST …/roll` */
export function rollKey(sort: Sort): Page {
  return async (visit) => {
    const grace = graceIn(visit);
    const { site, member } = visit;
    const rolled = await site.management[sort.name].roll(member, idIn(visit), grace, versionIn(visit));
    return shownOncePage(visit, sort, rolled, { status: 200, done: 'rolled' });
  };
}

/** `POST …/end-grace` */
export function endGrace(sort: Sort): Page {
  return async (visit) => {
    const key = await visit.site.management[sort.name].endGrace(visit.member, idIn(visit));
    return backTo(visit, sort, key, 'grace-ended');
  };
}

/** `POST /access-keys/:id/secrets` */
export const addSecret: Page = async (visit) => {
  const made = await visit.site.management.accessKeys.addSecret(visit.member, idIn(visit), versionIn(visit));
  return shownOncePage(visit, ACCESS_KEYS, made, { status: 201, done: 'given a Secret' });
};

/** `POST /access-keys/:id/secrets/delete` */
export const deleteSecret: Page = async (visit) => {
  const { site, member, fields } = visit;
  const key = await site.management.accessKeys.deleteSecret(member, idIn(visit), fields.one('secret') ?? '');
  return backTo(visit, ACCESS_KEYS, key, 'secret-deleted');
};

/** `POST /access-keys/:id/revoke-tokens` */
export const revokeTokens: Page = async (visit) => {
  const edit = { version: versionIn(visit), revokeTokens: true };
  const key = await visit.site.management.accessKeys.edit(visit.member, idIn(visit), edit);
  return backTo(visit, ACCESS_KEYS, key, 'tokens-revoked');
};

function backTo({ base }: Visit, sort: Sort, key: KeyView, done: string): Answer {
  return seeOther(`${base}${pathOf(sort, key)}?done=${done}`);
}

function graceIn(visit: Visit): number {
  const text = visit.fields.one('grace') ?? '';
  if (/^\d{1,7}$/.test(text)) return Number(text);
  if (!may(visit, 'roll')) return 0;
  throw badRequest('Say when the old one ends.');
}
