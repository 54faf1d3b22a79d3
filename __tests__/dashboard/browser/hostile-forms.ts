/** Every form of the Dashboard, with every field that the server takes there, and the hostile texts for them. */
import { ROUTES } from '../../../lib/dashboard/routes.js';
import { HOSTILE } from './hostile-texts.js';

/** Ids by what the keys are: one of each kind, one that is disabled, and an access key with two Secrets. */
export type Ids = Readonly<Record<'secret' | 'public' | 'access' | 'off' | 'offAccess' | 'two', string>>;

export interface HostileForm {
  readonly what: string;
  /** Whether the account has lists of its APIs and channels, to be ticked; else they are written by name. */
  readonly listed: boolean;
  readonly method: 'get' | 'post';
  /** The page that has the form, and where the form goes; below the mount. */
  page(ids: Ids): string;
  action(ids: Ids): string;
  /** Fields that stop a form before the others are looked at, with the status that such a form gets. */
  readonly gates: Readonly<Record<string, number>>;
  /** All other fields. */
  readonly free: readonly string[];
}

type Texts = Readonly<Record<string, string>>;

const GATES: Readonly<Record<string, number>> = {
  ...{ csrf: 403, formId: 400, version: 400, grace: 400, secret: 404 },
  ...{ kind: 400, state: 400, limit: 400 },
};

/** Not of a form, but of the addresses that pages link. */
const LINKED = ['after', 'done'];

function formOf(what: string, page: string, method: 'get' | 'post', goesTo = page, listed = true): HostileForm {
  const route = ROUTES.find((one) => one.path === goesTo.replace(/:\w+/, ':id') && one[method] !== undefined);
  const taken = method === 'get' ? route?.query?.filter((name) => !LINKED.includes(name)) : route?.form;
  const names = [...(method === 'post' ? ['csrf'] : []), ...(taken ?? [])];
  // A new access key has one kind, whatever is said.
  const isGate = (name: string) => name in GATES && !(name === 'kind' && goesTo === '/access-keys');
  const pathOf = (path: string) => (ids: Ids) => path.replace(/:(\w+)/, (_, which: keyof Ids) => ids[which]);
  return {
    ...{ what, listed, method, page: pathOf(page), action: pathOf(goesTo) },
    gates: Object.fromEntries(names.filter(isGate).map((name) => [name, GATES[name] ?? 0])),
    free: names.filter((name) => !isGate(name)),
  };
}

const ofOne = (noun: string, path: string, live: string, off: string) => [
  formOf(`the deletion of ${noun}`, `${path}/${live}/delete`, 'post'),
  formOf(`the rolling of ${noun}`, `${path}/${live}`, 'post', `${path}/${live}/roll`),
  formOf(`the end of the grace of ${noun}`, `${path}/${live}`, 'post', `${path}/${live}/end-grace`),
  formOf(`disabling ${noun}`, `${path}/${live}`, 'post', `${path}/${live}/disable`),
  formOf(`enabling ${noun}`, `${path}/${off}`, 'post', `${path}/${off}/enable`),
];

export const FORMS: readonly HostileForm[] = [
  formOf('the filters of API keys', '/?limit=5', 'get', '/'),
  formOf('the filters of API keys, where nobody has a list of APIs', '/?limit=5', 'get', '/', false),
  formOf('the filters of access keys', '/access-keys?limit=5', 'get', '/access-keys'),
  formOf('the filters of the audit', '/audit?limit=5', 'get', '/audit'),
  formOf('a new secret key', '/keys/new?kind=secret', 'post', '/keys'),
  formOf('a new public key', '/keys/new?kind=public', 'post', '/keys', false),
  formOf('a new access key', '/access-keys/new', 'post', '/access-keys'),
  formOf('the edit of a secret key', '/keys/:secret/edit', 'post'),
  formOf('the edit of a public key', '/keys/:public/edit', 'post', undefined, false),
  formOf('the edit of an access key', '/access-keys/:access/edit', 'post'),
  ...ofOne('an API key', '/keys', ':secret', ':off'),
  ...ofOne('an access key', '/access-keys', ':access', ':offAccess'),
  formOf('a second Secret', '/access-keys/:access', 'post', '/access-keys/:access/secrets'),
  formOf('the deletion of a Secret', '/access-keys/:two', 'post', '/access-keys/:two/secrets/delete'),
  formOf('the end of tokens', '/access-keys/:access', 'post', '/access-keys/:access/revoke-tokens'),
  formOf('the sign-out', '/', 'post', '/sign-out'),
];

export const TEXTS: readonly string[] = Object.values(HOSTILE).flat();

/** Of a body more is not taken, and of an address Node takes no more. */
const MOST = 16_384;
const isTooLong = (text: string) => new URLSearchParams({ text }).toString().length > MOST;
export const TOO_LONG = TEXTS.filter(isTooLong);

/** A hundred forms in which each free field has each text once; in one form the fields have texts of different sorts. */
export function everyTextInEach(names: readonly string[]): readonly Texts[] {
  return TEXTS.map((_, at) =>
    Object.fromEntries(
      names.map((name, field) => {
        const text = TEXTS[(at + 10 * field) % TEXTS.length] ?? '';
        // Two of ten kilobytes are too long together.
        return [name, text.slice(0, field >= 10 ? 200 : isTooLong(text) ? 1_500 : text.length)];
      }),
    ),
  );
}

/** The share of one of several forms that have a field: all of them together get each text, and each some of every sort. */
export function shareOf<T>(form: T, forms: readonly T[]): readonly string[] {
  const shares = Math.min(forms.length, 10);
  return TEXTS.filter((_, at) => at % shares === forms.indexOf(form) % shares);
}
