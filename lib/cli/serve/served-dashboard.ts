/** The Dashboard of `keyward serve`: chooses the account that it manages, and creates it with sign-in links. */
import type { Router } from 'express';
import { createDashboard } from '../../dashboard/create-dashboard.js';
import { createSignIn } from '../../dashboard/sign-in/create-sign-in.js';
import { secureUrl } from '../../http/secure-url.js';
import type { Account } from '../../management/accounts/account-view.js';
import { createManagement } from '../../management/create-management.js';
import { ManagementError } from '../../management/management-error.js';
import type { CredentialStore } from '../../store/credential-store.js';
import type { Database } from '../database.js';
import { databaseFailure, noAccount } from '../with-store.js';

export const DASHBOARD_PATH = '/dashboard';

/**
 * The signal that prints new sign-in links. It gives nobody new rights: a user who may send a signal to the process can
 * also read the memory of the process.
 */
export const NEW_LINKS = 'SIGUSR2';

export interface ServedDashboard {
  /** The routers to mount at `DASHBOARD_PATH`, in this order. */
  readonly routers: readonly [signIn: Router, dashboard: Router];
  /** Creates new sign-in links. Links that were created earlier stop working. */
  links(): DashboardLinks;
}

/**
 * The Dashboard as `--json` prints it: its URL, the ID of the account that it manages, and a sign-in link for each of
 * two roles. Without `--sign-in-links`, the links are printed at the start only if the output is a terminal.
 */
export interface DashboardLinks {
  readonly url: string;
  readonly account: string;
  readonly developer: string;
  readonly owner: string;
}

/** The options that decide which account the Dashboard manages, and whether there is a Dashboard. */
export interface DashboardChoice {
  readonly dashboard: boolean;
  readonly account?: string;
  readonly issuer?: string;
}

/** The result of `chooseAccount`. */
export type AccountChoice =
  | { readonly state: 'chosen'; readonly account: string }
  /** The account or the database is not available yet. */
  | { readonly state: 'waiting'; readonly reason: string }
  /** There will be no Dashboard. `reason` is absent if the operator passed `--no-dashboard`. */
  | { readonly state: 'none'; readonly reason?: string };

/**
 * Chooses the account that the Dashboard manages: the account of `--account`, or the only account in the database.
 * There is no Dashboard with `--no-dashboard`, with an unsuitable issuer URL, or if there are several accounts and
 * `--account` is not set.
 */
export async function chooseAccount(
  { dashboard, account: named, issuer }: DashboardChoice,
  store: CredentialStore,
  database: Database,
): Promise<AccountChoice> {
  if (!dashboard) return { state: 'none' };
  if (issuer !== undefined && secureUrl(issuer) === undefined) {
    return {
      state: 'none',
      reason: 'it needs an https URL in --issuer, because browsers send its cookies only over https',
    };
  }
  // The links on the pages start with the mount path of the Dashboard. If the issuer URL has a path, a proxy adds this
  // path to all URLs of the server, and the links would not contain it.
  if (issuer !== undefined && new URL(issuer).pathname !== '/') {
    return { state: 'none', reason: 'it needs a URL without a path in --issuer' };
  }
  const { accounts } = createManagement({ store });
  if (!(await store.ready()))
    return { state: 'waiting', reason: `the database ${database.name} cannot be reached, or is read-only` };
  try {
    if (named !== undefined) return { state: 'chosen', account: (await accounts.view(named)).id };
    return onlyOneOf((await accounts.list({ limit: 2 })).items, database.name);
  } catch (error) {
    if (!(error instanceof ManagementError)) throw error;
    const isMissing = error.code !== 'unavailable' && named !== undefined;
    const reason = isMissing ? noAccount(named, database.name).message : databaseFailure(error, database.name);
    return { state: 'waiting', reason };
  }
}

function onlyOneOf(accounts: readonly Account[], database: string): AccountChoice {
  const [only] = accounts;
  if (only === undefined) {
    return {
      state: 'waiting',
      reason: `there is no account in ${database}; to create one, run: keyward accounts put ID --api NAME`,
    };
  }
  return accounts.length === 1
    ? { state: 'chosen', account: only.id }
    : { state: 'none', reason: 'there are several accounts; choose one with --account ID' };
}

/** @param issuer - The public URL of this server, without a path. */
export function serveDashboard(
  store: CredentialStore,
  account: string,
  { issuer, audience, apiUrl }: { readonly issuer: string; readonly audience: string; readonly apiUrl?: string },
): ServedDashboard {
  const url = new URL(DASHBOARD_PATH, issuer).href;
  const signIn = createSignIn({
    url,
    members: [
      { id: 'serve:developer', account, permissions: ['developer'] },
      { id: 'serve:owner', account, permissions: ['owner'] },
    ],
    help: `"keyward serve" prints sign-in links when it starts in a terminal. To get new links, send ${NEW_LINKS} to its process.`,
    store,
  });
  const { memberOf, signInUrl, signOutUrl } = signIn;
  const dashboard = createDashboard({
    management: createManagement({ store }),
    memberOf,
    signInUrl,
    signOutUrl,
    // The audience is usually the URL of the API, but may be any text.
    apiUrl: apiUrl ?? (secureUrl(audience) === undefined ? undefined : audience),
    tokenUrl: new URL('/connect/token', issuer).href,
  });

  return {
    routers: [signIn.router, dashboard],
    links() {
      const [developer, owner] = signIn.links();
      return { url, account, developer: developer?.url ?? '', owner: owner?.url ?? '' };
    },
  };
}

/** Formats the sign-in links for a person. Each link is on its own line, so that it is easy to copy. */
export function linesOfLinks({ developer, owner }: DashboardLinks): readonly string[] {
  return [
    'Sign in as Owner (the link works once and expires after 15 minutes):',
    owner,
    'Sign in as Developer (the link works once and expires after 15 minutes):',
    developer,
  ];
}
