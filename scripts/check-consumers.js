/**
 * Packs keyward, installs the tarball into fresh projects as its users would, and has them load, compile and run it:
 * every entry point, from ES modules and CommonJS, typed and not, with Express 5 and 4, beside other middlewares.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const SOURCES = join(ROOT, 'scripts/consumers');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

/** What may be shipped, in bytes. */
const MAX_PACKED = 700_000;
const MAX_UNPACKED = 2_100_000;
const SHIPPED =
  /^(?:package\.json|README\.md|LICENSE|CHANGELOG\.md|SECURITY\.md|docs\/.+\.md|docs\/dashboard\/overview\.png|dist\/.+(?:\.js|\.d\.ts))$/;
/** The core's two, the command line's, and the issuer's. */
const DEPENDENCIES = ['commander', 'jose', 'lru-cache', 'rate-limiter-flexible'];

/** npm runs these when the package is installed, or warns that it does not. */
const RUN_AT_INSTALL = ['preinstall', 'install', 'postinstall', 'prepare'];
/** What a project that is tested by Jest as CommonJS has beside keyward. */
const JEST = ['express', '@types/express', '@types/node', '@jest/globals', 'jest', 'ts-jest', 'typescript'];

/** The optional packages that keyward loads itself, and Express. */
const PEERS = ['better-sqlite3', 'csv-parse', 'express', 'kysely', 'pg', 'yaml'];

const OPTIONS = {
  ...{ target: 'ES2022', lib: ['ES2023'], types: ['node'], strict: true, exactOptionalPropertyTypes: true },
  ...{ noUncheckedIndexedAccess: true, esModuleInterop: true, skipLibCheck: false },
};
const EMITTING = { outDir: 'out', rootDir: '.' };

const COMPILATIONS = {
  nodenext: [{ module: 'nodenext', ...EMITTING }, ['service.ts', 'service.cts']],
  node20: [{ module: 'node20', noEmit: true }, ['service.ts', 'service.cts']],
  bundler: [{ module: 'esnext', moduleResolution: 'bundler', noEmit: true }, ['service.ts']],
  node16: [{ module: 'node16', noEmit: true }, ['service.ts']],
  node10: [
    { module: 'commonjs', moduleResolution: 'node10', ignoreDeprecations: '6.0', noEmit: true },
    ['service.cts'],
  ],
};
const BESIDE = ['express-oauth2-jwt-bearer', '@modelcontextprotocol/sdk'];
const COMPILATIONS_BESIDE = {
  'beside express-oauth2-jwt-bearer': [{ module: 'nodenext', noEmit: true }, ['beside-oauth2-jwt-bearer.ts']],
  'beside the MCP SDK': [{ module: 'nodenext', noEmit: true }, ['beside-mcp.ts']],
};

const workshop = mkdtempSync(join(tmpdir(), 'keyward-consumers-'));
try {
  await run(ROOT, 'npm', 'run', 'build');
  const [packed] = JSON.parse(
    await run(ROOT, 'npm', 'pack', '--ignore-scripts', '--json', '--pack-destination', workshop),
  );
  checkContents(packed);
  const tarball = join(workshop, packed.filename);
  const besides = { ...COMPILATIONS, ...COMPILATIONS_BESIDE };
  // All end before the workshop is removed.
  const checks = await Promise.allSettled([
    checkConsumer('Express 5', tarball, ['express', '@types/express', ...BESIDE], besides),
    checkConsumer('Express 4', tarball, ['express4', '@types/express4'], COMPILATIONS),
    checkJest(tarball),
    checkNewestPeers(tarball),
  ]);
  const failed = checks.find(({ status }) => status === 'rejected');
  if (failed !== undefined) throw failed.reason;
} finally {
  rmSync(workshop, { recursive: true, force: true });
}

function checkContents({ size, unpackedSize, files }) {
  const strangers = files.map(({ path }) => path).filter((path) => !SHIPPED.test(path));
  if (strangers.length > 0) throw new Error(`the package holds what it should not: ${strangers.join(', ')}`);
  if (size > MAX_PACKED || unpackedSize > MAX_UNPACKED) throw new Error(`too big: ${size}, unpacked ${unpackedSize}`);
  const dependencies = Object.keys(manifestOf(ROOT).dependencies).sort();
  if (dependencies.join() !== DEPENDENCIES.join()) throw new Error(`it depends on ${dependencies.join(', ')}`);
  const scripts = RUN_AT_INSTALL.filter((script) => manifestOf(ROOT).scripts[script] !== undefined);
  if (scripts.length > 0) throw new Error(`npm would run or warn of ${scripts.join(', ')} where it is installed`);
  console.log(`packed: ${size} bytes of ${MAX_PACKED}, unpacked ${unpackedSize} of ${MAX_UNPACKED}`);
}

async function checkConsumer(name, tarball, packages, compilations) {
  const home = mkdtempSync(join(workshop, 'consumer-'));
  cpSync(SOURCES, home, { recursive: true });
  writeFileSync(join(home, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  const specifiers = [...packages, '@types/node'].map(specifierOf);
  await run(home, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', tarball, ...specifiers);

  const entries = Object.keys(manifestOf(join(home, 'node_modules/keyward')).exports).map(
    (path) => `keyward${path.slice(1)}`,
  );
  for (const entry of entries.filter((path) => !path.endsWith('.json'))) {
    await run(home, 'node', '--input-type=module', '-e', `await import('${entry}')`);
    await run(home, 'node', '--input-type=commonjs', '-e', `require('${entry}')`);
  }
  console.log(`${name}: ${entries.join(', ')} load from ES modules and CommonJS`);

  for (const [how, [options, files]] of Object.entries(compilations)) {
    writeFileSync(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions: { ...OPTIONS, ...options }, files }));
    await run(home, 'node', TSC, '-p', '.');
    console.log(`${name}: ${files.join(', ')} compile, ${how}`);
  }
  await run(home, 'node', 'out/service.js');
  await run(home, 'node', 'out/service.cjs');
  console.log(`${name}: both services give the right answers`);
}

/** Jest with ts-jest and CommonJS, on the Node that runs this. */
async function checkJest(tarball) {
  const home = mkdtempSync(join(workshop, 'consumer-'));
  cpSync(join(SOURCES, 'jest'), home, { recursive: true });
  writeFileSync(join(home, 'package.json'), JSON.stringify({ private: true }));
  await run(home, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', tarball, ...JEST.map(specifierOf));
  await run(home, 'node', 'node_modules/typescript/bin/tsc', '-p', '.');
  await run(home, 'node', 'node_modules/jest/bin/jest.js');
  console.log(`Jest with ts-jest and CommonJS, Node ${process.version}: the tests pass`);
}

/** The command line with the newest version of each package that it may be used with. */
async function checkNewestPeers(tarball) {
  // The newest better-sqlite3 and kysely do not support Node 20.
  if (process.version.startsWith('v20.')) return console.log('newest peers: left out, because some need Node 22');
  const home = mkdtempSync(join(workshop, 'consumer-'));
  cpSync(join(SOURCES, 'newest-peers'), home, { recursive: true });
  const newest = Object.entries(manifestOf(ROOT).peerDependencies)
    .filter(([name]) => PEERS.includes(name))
    .map(([name, range]) => `${name}@${range.split(' || ').at(-1)}`);
  await run(home, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', tarball, ...newest);
  const keyward = (...args) => run(home, 'node', 'node_modules/keyward/dist/cli/main.js', ...args);
  const urls = ['file:./keyward.db'];
  // In a schema of its own, which stays: it is small, and each run uses it again.
  if (process.env.KEYWARD_TEST_POSTGRES) urls.push(`${process.env.KEYWARD_TEST_POSTGRES}?schema=newest_peers`);
  for (const url of urls) {
    const options = ['--account', 'acme', '--database', url];
    await keyward('accounts', 'put', 'acme', '--api', 'payments', '--database', url);
    await keyward('keys', 'create', '--kind', 'secret', '--api', 'payments', ...options);
    await keyward('keys', 'import', 'keys.csv', ...options);
  }
  await keyward('openapi', 'describe', 'app.js', 'api.yaml', '--out', 'api.yaml');
  await keyward('openapi', 'check', 'app.js', 'api.yaml');
  console.log(`newest peers: the command line works with ${newest.join(', ')}`);
}

/** The very version that the project itself was tested with, under its own name: `express4` is `express@4.22.3`. */
function specifierOf(installed) {
  const { name, version } = manifestOf(join(ROOT, 'node_modules', installed));
  return `${name}@${version}`;
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** Runs a command to its end; what it wrote. One that fails is shown whole. */
async function run(cwd, command, ...args) {
  try {
    return (await promisify(execFile)(command, args, { cwd })).stdout;
  } catch (error) {
    throw new Error(`${command} ${args.join(' ')}\n${error.stdout}${error.stderr}`);
  }
}
