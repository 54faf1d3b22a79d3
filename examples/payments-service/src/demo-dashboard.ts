/** The Dashboard of the demo: members of its account list, create and edit its keys. */
import { Router } from 'express';
import { createDashboard, createSignIn } from 'keyward/dashboard';
import { createManagement } from 'keyward/management';
import type { CredentialStore } from 'keyward/store';
import { ACCOUNT } from './demo-keys.js';

const PATH = '/dashboard';

export interface DemoDashboard {
  readonly router: Router;
  /** Each link signs in once, within 15 minutes. */
  readonly links: { readonly developer: string; readonly owner: string };
}

/** A platform has its own sign-in: it mounts only the Dashboard, with a `memberOf` that reads the platform's session. */
export function demoDashboard(store: CredentialStore, baseUrl: string): DemoDashboard {
  // The service accepts only live keys, so the members manage only these.
  const signIn = createSignIn({
    url: baseUrl + PATH,
    members: [
      { id: 'demo:developer', account: ACCOUNT, permissions: ['developer'], environment: 'live' },
      { id: 'demo:owner', account: ACCOUNT, permissions: ['owner'], environment: 'live' },
    ],
    help: '"npm start" prints sign-in links. To get new links, run "npm start" again.',
    store,
  });
  const { memberOf, signInUrl, signOutUrl } = signIn;
  const dashboard = createDashboard({
    management: createManagement({ store }),
    memberOf,
    signInUrl,
    signOutUrl,
    apiUrl: `${baseUrl}/caller`,
    tokenUrl: `${baseUrl}/connect/token`,
  });
  const [developer, owner] = signIn.links();
  return {
    router: Router().use(PATH, signIn.router, dashboard),
    links: { developer: developer?.url ?? '', owner: owner?.url ?? '' },
  };
}
