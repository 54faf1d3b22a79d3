/** The Dashboard that `keyward serve` has: of one account, with links to sign in. */
import type { Router } from 'express';
import { createDashboard } from '../dashboard/create-dashboard.js';
import { createSignIn } from '../dashboard/sign-in.js';
import type { Account } from '../management/account-view.js';
import { createManagement } from '../management/create-management.js';
import { ManagementError } from '../management/management-error.js';
import type { CredentialStore } from '../store/credential-store.js';
import { secureUrl } from '../verify/secure-url.js';
import type { Database } from './database.js';
import { noAccount } from './session.js';

export const DASHBOARD_PATH = '/dashboard';

/** Sent to the process, it prints new links: whoever can send it runs the process. */
export const NEW_LINKS = 'SIGUSR2';

export interface ServedDashboard {
  /** To be mounted at `DASHBOARD_PATH`, one behind the other. */
  readonly routers: readonly [signIn: Router, dashboard: Router];
  /** Makes new links; those before them are good no more. */
  links(): DashboardLinks;
}

/** As `--json` prints them. */
export interface DashboardLinks {
  readonly url: string;
  readonly account: string;
  readonly developer: string;
  readonly owner: string;
}

/** What was typed of it. */
export interface DashboardChoice {
  readonly dashboard: boolean;
  readonly account?: string;
  readonly issuer?: string;
}

/** Whose Dashboard it is; where there is none, why: nothing where none was wanted. */
export interface ChosenAccount {
  readonly account?: string;
  readonly reason?: string;
}

/**
 * Chooses the account: the one that was named, or the only one there is.
 *
 * @throws CliError where there is none of that name.
 */
export async function chooseAccount(
  { dashboard, account: named, issuer }: DashboardChoice,
  store: CredentialStore,
  database: Database,
): Promise<ChosenAccount> {
  if (!dashboard) return {};
  // The links of its pages begin where it is mounted, which a path before that would not be part of.
  if (issuer !== undefined && URL.canParse(issuer) && new URL(issuer).pathname !== '/') {
    return { reason: 'it needs an --issuer without a path.' };
  }
  const { accounts } = createManagement({ store });
  // The first look may come before the first connection.
  await store.ready();
  try {
    if (named !== undefined) return { account: (await accounts.view(named)).id };
    return onlyOneOf(await accounts.list(), database.name);
  } catch (error) {
    if (!(error instanceof ManagementError)) throw error;
    if (error.code === 'not_found' && named !== undefined) throw noAccount(named, database.name, ` ${MAKE_ONE}`);
    // The database may come later: an account that was named is believed until then.
    if (named !== undefined) return { account: named };
    const away = `the database ${database.name} cannot be reached`;
    return { reason: `${away}. Start again when it can, or name an account: --account ID` };
  }
}

const MAKE_ONE = 'Make one: keyward accounts put ID --api NAME';

function onlyOneOf(accounts: readonly Account[], database: string): ChosenAccount {
  const [only] = accounts;
  if (only === undefined) return { reason: `there is no account in ${database} yet. ${MAKE_ONE}; then start again.` };
  return accounts.length === 1
    ? { account: only.id }
    : { reason: 'there are several accounts. Name one: --account ID' };
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
    help: `"keyward serve" prints links when it starts. For new ones start it again, or send it ${NEW_LINKS}.`,
    store,
  });
  const { memberOf, signInUrl, signOutUrl } = signIn;
  const dashboard = createDashboard({
    management: createManagement({ store }),
    memberOf,
    signInUrl,
    signOutUrl,
    // The audience of tokens is most often the URL of the API; it need not be one.
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

/** What is told of a Dashboard at the start, and of new links. */
export function textOfLinks({ url, account, developer, owner }: DashboardLinks): string {
  return [
    `Dashboard ${url}, of the account ${account}. To sign in, open`,
    `  Developer ${developer}`,
    `  Owner     ${owner}`,
    `Each works once, within 15 minutes. For new ones: kill -${NEW_LINKS.replace('SIG', '')} ${process.pid}, or start again.`,
  ].join('\n');
}
