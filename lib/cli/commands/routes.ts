/** `keyward routes`: shows the gates and guards of every route of an app, and fails if a route is not guarded. */
import type { Command } from 'commander';
import { auditRoutes, type RouteReport } from '../../express/route-audit/audit-routes.js';
import { CliError, EXIT } from '../cli-error.js';
import type { Io } from '../io.js';
import { loadApp } from '../load-app.js';
import { collect } from '../option-values.js';
import { printJson, printLine, printTable, printWarning, textOfCount } from '../terminal/output.js';
import { wrapped } from '../wrapped-text.js';

interface RoutesOptions {
  readonly except?: readonly string[];
  readonly json?: boolean;
}

export function addRoutesCommand(program: Command, io: Io): void {
  program
    .command('routes <module>')
    .description(
      'show the gates (authentication middleware, such as requireBearer) and the guards (such as requireScopes) of every route, and exit with code 1 if a route accepts requests without a credential or does not restrict the kinds of keys that it accepts',
    )
    .option(
      '--except <route>',
      "a route that does not have to be guarded, such as 'GET /health'; may be repeated",
      collect,
    )
    .option('--json', 'print the result as one line of JSON')
    .addHelpText(
      'after',
      wrapped(
        'The module must export an Express app, or a function that returns one, as the default export or as "app".',
      ),
    )
    .action(async (module: string, { except = [], json }: RoutesOptions) => {
      const routes = auditRoutes(await loadApp(module));
      const stale = except.filter((name) => !routes.some((route) => nameOf(route) === name));
      if (stale.length > 0) throw new CliError(`--except: the app has no route ${stale.join(' or ')}`, EXIT.usage);
      const open = routes.filter((route) => isOpen(route) && !except.includes(nameOf(route)));
      if (json) printJson(io, { routes, open: open.map(nameOf) });
      else show(routes, open);
      if (routes.length === 0)
        printWarning(io, json, 'no route was checked; check that the module exports the whole app');
      if (open.length > 0)
        throw new CliError(
          `${textOfCount(open.length, 'route is', 'routes are')} not guarded: ${open.map(nameOf).join(', ')}`,
          EXIT.refused,
        );
    });

  function show(routes: readonly RouteReport[], open: readonly RouteReport[]): void {
    const stateOf = (route: RouteReport) => {
      if (open.includes(route)) return 'OPEN';
      if (route.openByDocument) return 'documented';
      if (route.ownEndpoint && route.open) return 'keyward';
      return isOpen(route) ? 'excepted' : 'guarded';
    };
    const rows = routes.map((route) => [
      ...[route.method, route.path, stateOf(route)],
      ...[String(route.gates.length), route.guards.join(' ') || '-'],
    ]);
    printTable(io, ['METHOD', 'PATH', 'STATE', 'GATES', 'GUARDS'], rows, 'The app has no routes.');
    printLine(io, '');
  }
}

function nameOf({ method, path }: RouteReport): string {
  return `${method} ${path}`;
}

/** Whether `assertGuarded` would report this route. Routes of `--except` are not considered here. */
function isOpen({ open, openByDocument, ownEndpoint, openByParam, namesKinds }: RouteReport): boolean {
  if (openByDocument || ownEndpoint) return false;
  return open || openByParam.length > 0 || !namesKinds;
}
