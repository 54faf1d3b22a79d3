/**
 * Prints what the operator must know when `keyward serve` starts: its URLs, the account of the Dashboard or why there
 * is no Dashboard yet, and sign-in links. Requests are logged by serve-log.ts.
 */
import type { Io } from '../io.js';
import { jsonLine, printJson, printLine, printWarning } from '../terminal/output.js';
import {
  type AccountChoice,
  type DashboardLinks,
  linesOfLinks,
  NEW_LINKS,
  type ServedDashboard,
} from './served-dashboard.js';

export interface Announcement {
  start(where: Where, choice: AccountChoice, dashboard: ServedDashboard | undefined): void;
  /**
   * Prints what has changed since the start: the URL of the Dashboard, if its account was found in the meantime, or the
   * new reason why there is no Dashboard.
   */
  later(choice: AccountChoice, dashboard: ServedDashboard | undefined): void;
  /**
   * Prints new sign-in links when the process receives the signal `NEW_LINKS`. The operator has asked for them, so they
   * are printed even if the output is not a terminal.
   */
  readonly printNewLinks: () => void;
}

interface Where {
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly port: number;
}

export function announcementOn(
  io: Io,
  { json = false, signInLinks = false }: { readonly json?: boolean; readonly signInLinks?: boolean },
): Announcement {
  // Anyone who reads a sign-in link can sign in, and more people can read logs than a terminal. So without
  // `--sign-in-links`, links are printed at the start only if the output is a terminal.
  const hasLinks = signInLinks || io.stdout.isTerminal;
  let current: ServedDashboard | undefined;

  function shown(dashboard: ServedDashboard): Partial<DashboardLinks> {
    const { developer, owner, ...place } = dashboard.links();
    return hasLinks ? { ...place, developer, owner } : place;
  }

  function printDashboard(dashboard: ServedDashboard): void {
    const links = dashboard.links();
    printLine(io, `Dashboard  ${links.url}, account ${links.account}`);
    for (const line of hasLinks ? linesOfLinks(links) : []) printLine(io, line);
    const again = `kill -${NEW_LINKS.replace('SIG', '')} ${process.pid}`;
    const why = 'Sign-in links are not printed here, because the output is not a terminal.';
    printLine(io, hasLinks ? `For new sign-in links, run: ${again}` : `${why} To print them anyway, run: ${again}`);
  }

  function printReason(choice: AccountChoice): void {
    if (choice.state === 'chosen' || choice.reason === undefined) return;
    const prefix = choice.state === 'waiting' ? 'the Dashboard is not available yet' : 'the Dashboard is not available';
    printWarning(io, json, `${prefix}: ${choice.reason}`);
  }

  return {
    start({ issuer, tokenEndpoint, port }, choice, dashboard) {
      current = dashboard;
      if (json) {
        printJson(io, { issuer, tokenEndpoint, port, dashboard: dashboard === undefined ? null : shown(dashboard) });
      } else {
        printLine(io, `Issuer     ${issuer}`);
        printLine(io, `Tokens     curl -u ID:SECRET -d grant_type=client_credentials ${tokenEndpoint}`);
        printLine(io, `Health     ${issuer.replace(/\/$/, '')}/healthz and /readyz`);
        if (dashboard !== undefined) printDashboard(dashboard);
        printLine(io, 'Press Ctrl-C to stop.');
      }
      printReason(choice);
    },
    later(choice, dashboard) {
      current = dashboard ?? current;
      if (dashboard !== undefined && json) printJson(io, { dashboard: shown(dashboard) });
      else if (dashboard !== undefined) printDashboard(dashboard);
      else printReason(choice);
    },
    printNewLinks() {
      if (current === undefined) return;
      const links = current.links();
      if (json) printJson(io, { dashboard: links });
      else for (const line of linesOfLinks(links)) printLine(io, line);
      io.stdout.flush().catch(() => {
        // The output failed, but somebody may have read a part of it. Creating new links makes the printed links
        // invalid.
        current?.links();
        const message = `the new sign-in links could not be printed, so they were invalidated; to get other links, send ${NEW_LINKS} again`;
        io.stderr.write(json ? jsonLine({ warning: { message } }) : `${message}\n`);
      });
    },
  };
}
