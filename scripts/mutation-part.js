const ofDashboard = { tests: ['dashboard'], bound: 85, seconds: 20, onSqlite: true };

/**
 * The parts in which mutants are tried: the folders of lib/ that are changed, the folders in them that are another part, the places in
 * __tests__/ that are run, how many of the mutants must be detected, in percent, and how many seconds of tests each mutant is tried by: 10,
 * or more where tests use a database or start servers. `onSqlite`: no test is run on PostgreSQL, because nearly all of
 * them do the same on each database.
 */
const PARTS = {
  protocol: {
    folders: ['api-keys', 'protocol'],
    tests: ['api-keys', 'behaviours/api-keys*', 'protocol'],
    bound: 95,
  },
  http: {
    folders: ['http', 'options', 'errors', 'events', 'contracts'],
    tests: ['contracts/{clock,contracts,instant}*', 'errors', 'events', 'http', 'options'],
    bound: 95,
  },
  tokens: {
    folders: ['tokens'],
    without: ['tokens/dpop', 'tokens/jwks'],
    tests: ['behaviours/{algorithms,claims,confirmation,introspected,jwt,token}*', 'rfc', 'tokens'],
    bound: 95,
  },
  dpop: { folders: ['tokens/dpop'], tests: ['behaviours/dpop*', 'tokens/dpop'], bound: 95 },
  jwks: { folders: ['tokens/jwks'], tests: ['behaviours/{algorithms,key-set}*', 'tokens/jwks'], bound: 95 },
  records: {
    folders: ['cache', 'credentials', 'replay'],
    tests: ['behaviours', 'cache', 'credentials', 'replay', 'testing'],
    bound: 95,
  },
  express: {
    folders: ['express'],
    without: ['express/guards', 'express/route-audit'],
    tests: ['behaviours/{headers,leakage,separation,truth}*', 'express', 'rfc'],
    bound: 95,
  },
  guards: { folders: ['express/guards'], tests: ['behaviours/separation*', 'express/guards', 'rfc'], bound: 95 },
  'route-audit': { folders: ['express/route-audit'], tests: ['express/route-audit'], bound: 95 },
  issuer: { folders: ['client', 'issuer'], tests: ['client', 'issuer', 'rfc'], bound: 90, seconds: 20 },
  management: {
    folders: ['management'],
    without: ['management/api'],
    tests: ['management/*'],
    bound: 90,
    seconds: 15,
    onSqlite: true,
  },
  'management-api': {
    folders: ['management/api'],
    tests: ['management/api', 'management/{keys-over-http,management-option}*'],
    bound: 90,
    seconds: 20,
    onSqlite: true,
  },
  store: {
    folders: ['store'],
    without: ['store/migrations', 'store/postgres', 'store/repository', 'store/sqlite'],
    tests: ['contracts/store*', 'store'],
    bound: 90,
    seconds: 20,
  },
  'store-databases': {
    folders: ['store/migrations', 'store/postgres', 'store/repository', 'store/sqlite'],
    tests: ['contracts/store*', 'store'],
    bound: 90,
    seconds: 20,
  },
  cli: {
    folders: ['cli'],
    without: ['cli/commands', 'cli/import', 'cli/scan', 'cli/serve', 'cli/terminal'],
    tests: ['cli'],
    bound: 90,
    seconds: 30,
  },
  'cli-commands': { folders: ['cli/commands'], tests: ['cli'], bound: 90, seconds: 30 },
  'cli-folders': {
    folders: ['cli/import', 'cli/scan', 'cli/serve', 'cli/terminal'],
    tests: ['cli'],
    bound: 90,
    seconds: 30,
  },
  dashboard: {
    folders: ['dashboard'],
    without: ['dashboard/components', 'dashboard/forms', 'dashboard/pages'],
    ...ofDashboard,
  },
  'dashboard-components': { folders: ['dashboard/components'], ...ofDashboard },
  'dashboard-forms': { folders: ['dashboard/forms'], ...ofDashboard },
  'dashboard-pages': { folders: ['dashboard/pages'], ...ofDashboard },
};

/** The part of this run: `KEYWARD_MUTATION=issuer npm run mutation`. */
export const name = process.env.KEYWARD_MUTATION ?? 'tokens';

if (!Object.hasOwn(PARTS, name)) throw new Error(`KEYWARD_MUTATION must be one of ${Object.keys(PARTS).join(', ')}`);

export const { folders, without = [], tests, bound, seconds = 10, onSqlite = false } = PARTS[name];

/** The version of Express that mutants are tried on: `KEYWARD_MUTATION_EXPRESS=4 npm run mutation`. */
export const express = process.env.KEYWARD_MUTATION_EXPRESS ?? '5';

/** The name of the report in reports/mutation/. */
export const report = express === '5' ? name : `${name}-express-${express}`;
