/** Every form of the Dashboard, with every field that the server takes there, and the hostile texts for them. */
import { generateKeyPairSync } from 'node:crypto';
import { ROUTES } from '../../../lib/dashboard/pages/routes.js';
import type { BrowserSite } from '../../support/browser-site.js';
import { HOSTILE } from './hostile-texts.js';

/**
 * Ids by what the keys are: one of each kind, one that is disabled, and an access key with two client secrets, of which one is
 * named too, and a public key.
 */
export type Ids = Readonly<
  Record<'secret' | 'public' | 'access' | 'off' | 'offAccess' | 'two' | 'twoSecret' | 'twoKid' | 'twoVersion', string>
>;

export interface HostileForm {
  readonly what: string;
  /** Whether the account has lists of its APIs and channels, to be ticked; else they are written by name. */
  readonly listed: boolean;
  readonly method: 'get' | 'post';
  /** The page that has the form, and where the form goes; below the mount. */
  page(ids: Ids): string;
  action(ids: Ids): string;
  /** The same, as the Dashboard's routes have it. */
  readonly route: string;
  /** Fields that stop a form before the others are looked at, with the status that such a form gets. */
  readonly gates: Readonly<Record<string, number>>;
  /** All other fields. */
  readonly free: readonly string[];
}

export type Texts = Readonly<Record<string, string>>;

const GATES: Readonly<Record<string, number>> = {
  ...{ csrf: 403, formId: 400, version: 400, grace: 400, secret: 404 },
  ...{ kind: 400, state: 400, limit: 400, confirmation: 400, publicKey: 400, kid: 404 },
};
/** Filters that are refused; as fields of a form they do not stop it. */
const FILTER_GATES: Readonly<Record<string, number>> = { environment: 400, sort: 400, from: 400, to: 400, unused: 400 };

/** Not of a form, but of the addresses that pages link. */
const LINKED = ['after', 'done', 'key'];

function formOf(what: string, page: string, method: 'get' | 'post', goesTo = page, listed = true): HostileForm {
  const path = goesTo.replace(/:\w+/, ':id');
  const route = ROUTES.find((one) => one.path === path && one[method] !== undefined);
  const allowed = method === 'get' ? route?.query?.filter((name) => !LINKED.includes(name)) : route?.form;
  const names = [...(method === 'post' ? ['csrf'] : []), ...(allowed ?? [])];
  // A new access key has one kind, whatever is said.
  const gates = method === 'get' ? { ...GATES, ...FILTER_GATES } : GATES;
  const isGate = (name: string) => name in gates && !(name === 'kind' && goesTo === '/access-keys');
  const pathIn = (text: string) => (ids: Ids) => text.replaceAll(/:(\w+)/g, (_, which: keyof Ids) => ids[which]);
  return {
    ...{ what, listed, method, page: pathIn(page), action: pathIn(goesTo), route: path },
    gates: Object.fromEntries(names.filter(isGate).map((name) => [name, gates[name] ?? 0])),
    free: names.filter((name) => !isGate(name)),
  };
}

const ofOne = (noun: string, path: string, live: string, off: string) => [
  formOf(`the deletion of ${noun}`, `${path}/${live}/revoke`, 'post'),
  formOf(`the rotation of ${noun}`, `${path}/${live}/rotate/confirm`, 'post', `${path}/${live}/rotate`),
  formOf(`the end of the grace of ${noun}`, `${path}/${live}/end-grace/confirm`, 'post', `${path}/${live}/end-grace`),
  formOf(`disabling ${noun}`, `${path}/${live}/disable/confirm`, 'post', `${path}/${live}/disable`),
  formOf(`enabling ${noun}`, `${path}/${off}/enable/confirm`, 'post', `${path}/${off}/enable`),
];

export const FORMS: readonly HostileForm[] = [
  formOf('the filters of API keys', '/?limit=5', 'get', '/', false),
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
  formOf('a second Secret', '/access-keys/:access/secrets/confirm', 'post', '/access-keys/:access/secrets'),
  formOf(
    'the deletion of a Secret',
    '/access-keys/:two/secrets/delete/confirm?secret=:twoSecret',
    'post',
    '/access-keys/:two/secrets/delete',
  ),
  formOf(
    'the end of tokens',
    '/access-keys/:access/revoke-tokens/confirm',
    'post',
    '/access-keys/:access/revoke-tokens',
  ),
  formOf('a new public key of a client', '/access-keys/:two', 'post', '/access-keys/:two/public-keys'),
  formOf(
    'the removal of a public key',
    '/access-keys/:two/public-keys/remove/confirm?kid=:twoKid',
    'post',
    '/access-keys/:two/public-keys/remove',
  ),
  formOf('the binding of tokens', '/access-keys/:two', 'post', '/access-keys/:two/require-confirmation'),
  formOf('the sign-out', '/', 'post', '/sign-out'),
];

export const TEXTS: readonly string[] = Object.values(HOSTILE).flat();

type Site = Pick<BrowserSite, 'owner' | 'management'>;

/** Makes the keys: the public one in the account without lists. */
export async function keysIn(listed: Site, unlisted: Site): Promise<Ids> {
  const { owner } = listed;
  const { keys, accessKeys } = listed.management;
  const makeKey = async () => (await keys.create(owner, { kind: 'secret', apis: 'all' })).key.id;
  const makeAccessKey = async () => (await accessKeys.create(owner, { scopes: ['payments'] })).key.id;
  const [secret, off] = [await makeKey(), await makeKey()];
  const [access, offAccess, two] = [await makeAccessKey(), await makeAccessKey(), await makeAccessKey()];
  await keys.rotate(owner, secret, 3_600);
  await keys.edit(owner, off, { version: 1, disabled: true });
  await accessKeys.rotate(owner, access, 3_600);
  await accessKeys.edit(owner, offAccess, { version: 1, disabled: true });
  await accessKeys.addSecret(owner, two);
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const client = await accessKeys.addPublicKey(
    owner,
    two,
    publicKey.export({ format: 'pem', type: 'spki' }).toString(),
  );
  const open = await unlisted.management.keys.create(unlisted.owner, { kind: 'public', apis: ['payments'] });
  const [twoSecret = '', twoKid = ''] = [client.secrets[0]?.id, client.publicKeys[0]?.kid];
  const twoVersion = String(client.version);
  return { secret, public: open.key.id, access, off, offAccess, two, twoSecret, twoKid, twoVersion };
}

/** The answer to a body with one field: a body of more than 400 KiB is refused. */
const sizeOf = (text: string) => new URLSearchParams({ text }).toString().length;
export const isTooLong = (text: string) => sizeOf(text) > 409_000;

/** The same for the forms to sign in and out: 16 KiB. */
export const isTooLongToSignIn = (text: string) => sizeOf(text) > 16_200;

/** Beside other texts there is no room for those, nor in an address. */
const LONG = TEXTS.filter((text) => sizeOf(text) > 12_000);
export const shortened = (text: string) => (LONG.includes(text) ? text.slice(0, 1_500) : text);

/** A hundred forms in which each field has each text once; in one form the fields have texts of different kinds. */
export function everyTextInEach(names: readonly string[]): readonly Texts[] {
  return TEXTS.map((_, at) =>
    Object.fromEntries(
      names.map((name, field) => {
        const text = TEXTS[(at + 10 * field) % TEXTS.length] ?? '';
        // Of two of ten kilobytes one comes whole.
        return [name, field < 10 ? shortened(text) : text.slice(0, 100)];
      }),
    ),
  );
}
