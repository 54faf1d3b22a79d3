/** `keyward routes`: the gates and guards of every route of an app. */
import type { Command } from 'commander';
import { auditRoutes, type RouteReport } from '../express/audit-routes.js';
import { CliError, EXIT, type Io } from './io.js';
import { loadApp } from './load-app.js';
import { printJson, printLine, printTable } from './output.js';
import { collect } from './read-options.js';

interface RoutesOptions {
  readonly except?: readonly string[];
  readonly json?: boolean;
}

export function addRoutesCommand(program: Command, io: Io): void {
  program
    .command('routes <module>')
    .description('the gates and guards of every route; exits with 1 when one is open')
    .option('--except <route>', "a route that may be open, such as 'GET /health'; may be repeated", collect)
    .option('--json', 'print one line of JSON')
    .addHelpText('after', '\nThe module exports an Express app, or a function that makes one, by default or as "app".')
    .action(async (module: string, { except = [], json }: RoutesOptions) => {
      const routes = auditRoutes(await loadApp(module));
      const stale = except.filter((name) => !routes.some((route) => nameOf(route) === name));
      if (stale.length > 0) throw new CliError(`There is no route ${stale.join(', ')}.`, EXIT.usage);
      const open = routes.filter((route) => isOpen(route) && !except.includes(nameOf(route)));
      if (json) printJson(io, { routes, open: open.map(nameOf) });
      else show(routes, open);
      if (open.length > 0) throw new CliError(`${open.length} open: ${open.map(nameOf).join(', ')}`, EXIT.refused);
    });

  function show(routes: readonly RouteReport[], open: readonly RouteReport[]): void {
    const rows = routes.map((route) => [
      ...[route.method, route.path, open.includes(route) ? 'OPEN' : isOpen(route) ? 'excepted' : 'guarded'],
      ...[String(route.gates.length), route.guards.join(' ') || '-'],
    ]);
    printTable(io, ['METHOD', 'PATH', 'STATE', 'GATES', 'GUARDS'], rows, 'The app has no routes.');
    printLine(io, '');
  }
}

function nameOf({ method, path }: RouteReport): string {
  return `${method} ${path}`;
}

/** As `assertGuarded` sees it. */
function isOpen({ open, namesKinds }: RouteReport): boolean {
  return open || !namesKinds;
}
