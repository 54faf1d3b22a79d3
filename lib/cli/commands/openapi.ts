/**
 * `keyward openapi check` compares the security requirements of an app with its OpenAPI document. `describe` writes
 * them into the document.
 */
import type { Command } from 'commander';
import { KeywardError } from '../../errors/keyward-error.js';
import { assertMatchesOpenApi } from '../../openapi/app/assert-matches-open-api.js';
import { securityChanges } from '../../openapi/app/describe-security.js';
import type { Schemes } from '../../openapi/document/scheme-verifiers.js';
import { CliError, EXIT } from '../cli-error.js';
import type { Io } from '../io.js';
import { loadAppWith } from '../load-app.js';
import { readDocumentFile, writeDocumentFile } from '../openapi-file.js';
import { collect } from '../option-values.js';
import { escapeText } from '../terminal/escape-text.js';
import { printJson, printLine, printWarning, textOfCount } from '../terminal/output.js';
import { wrapped } from '../wrapped-text.js';

interface CheckOptions {
  readonly except?: readonly string[];
  readonly basePath?: string;
  readonly json?: boolean;
}

interface DescribeOptions {
  readonly out?: string;
  readonly basePath?: string;
}

const BASE_PATH = [
  '--base-path <path>',
  'the path under which the app serves the paths of the document, such as /v1; default: the path of the URLs in "servers"',
] as const;
const MODULE =
  'The module must export an Express app, or a function that returns one, as the default export or as "app". It must also export "schemes": an object that maps the name of each security scheme to its verifier.';

export function addOpenApiCommands(program: Command, io: Io): void {
  const openapi = program
    .command('openapi')
    .description(
      'compare the security requirements of an app with its OpenAPI document (JSON or YAML), or add them to the document',
    );

  openapi
    .command('check <module> <document>')
    .description(
      'compare the routes of an app and their security requirements with its OpenAPI document, and exit with code 1 if they differ',
    )
    .option(
      '--except <route>',
      "a route or operation to leave out of the comparison, such as 'GET /health'; may be repeated",
      collect,
    )
    .option(...BASE_PATH)
    .option('--json', 'print the result as one line of JSON')
    .addHelpText('after', wrapped(MODULE))
    .action(async (module: string, name: string, { except, basePath, json }: CheckOptions) => {
      const { document } = await readDocumentFile(name);
      const { app, schemes } = await load(module);
      const { mismatches: differences } = compare(() =>
        assertMatchesOpenApi(app, document, { schemes, except, basePath }),
      );
      if (json) printJson(io, { differences });
      else if (differences.length === 0) printLine(io, 'The app matches the document.');
      else for (const difference of differences) printLine(io, difference);
      if (differences.length > 0) {
        const places = differences.length === 1 ? '1 place' : `${differences.length} places`;
        throw new CliError(`the app and the document differ in ${places}`, EXIT.refused);
      }
    });

  openapi
    .command('describe <module> <document>')
    .description(
      'add the security requirements of an app to its OpenAPI document, for each operation that does not define any yet',
    )
    .option('--out <file>', 'the file to write the document to; default: standard output')
    .option(...BASE_PATH)
    .addHelpText('after', wrapped(MODULE))
    .action(async (module: string, name: string, { out, basePath }: DescribeOptions) => {
      const { document, format } = await readDocumentFile(name);
      const { app, schemes } = await load(module);
      const { result: changes = [], mismatches: conflicts } = compare(() =>
        securityChanges(app, { into: document, schemes, basePath }),
      );
      if (conflicts.length > 0) {
        for (const conflict of conflicts) io.stderr.write(`${escapeText(conflict)}\n`);
        const count = textOfCount(conflicts.length, 'conflict');
        throw new CliError(
          `the security requirements of the app cannot be added to the document because of ${count}`,
          EXIT.refused,
        );
      }
      const text = await format(changes, out, (message) => printWarning(io, false, message));
      if (out === undefined) io.stdout.write(text);
      else await writeDocumentFile(out, text);
    });
}

async function load(module: string): Promise<{ app: object; schemes: Schemes }> {
  const { app, value } = await loadAppWith(module, 'schemes');
  if (typeof value === 'object' && value !== null) return { app, schemes: value as Schemes };
  throw new CliError(
    `${module} does not export "schemes"; export an object that maps the name of each security scheme to its verifier`,
    EXIT.usage,
  );
}

/**
 * Matches the messages of errors that the user can correct: in the document, in an option, or in the app. Any other
 * TypeError is a bug.
 */
const MISTAKE = /^(?:assertMatchesOpenApi|auditRoutes|describeSecurity|OpenAPI document)[:,] /;

/** Names of functions and of their options in these messages, and what the user of a command knows instead. */
const COMMAND_WORDING = [
  [/^(?:assertMatchesOpenApi|auditRoutes|describeSecurity): /, ''],
  [/ of (?:assertMatchesOpenApi|describeSecurity)\b/, ''],
  [/(?:the )?option ("schemes[."])/g, 'the export $1'],
  [/(?:the )?option "except"/g, '--except'],
  [/(?:the )?option "basePath"/g, '--base-path'],
  [/option "into"/g, 'the document'],
] as const;

function inCommandWords(message: string): string {
  return COMMAND_WORDING.reduce((text, [words, ofCommand]) => text.replace(words, ofCommand), message);
}

/**
 * Runs a comparison. If the app does not match the document, `run` throws an error: its message has a headline, and
 * then one line for each mismatch.
 */
function compare<T>(run: () => T): { readonly result?: T; readonly mismatches: readonly string[] } {
  try {
    return { result: run(), mismatches: [] };
  } catch (error) {
    if (error instanceof KeywardError && error.code === 'openapi_mismatch') {
      const [, ...lines] = error.message.split('\n');
      return { mismatches: lines.map((line) => line.trim()) };
    }
    if (error instanceof TypeError && MISTAKE.test(error.message))
      throw new CliError(inCommandWords(error.message), EXIT.usage);
    throw error;
  }
}
