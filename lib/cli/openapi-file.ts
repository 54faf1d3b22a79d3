/** Reads and writes an OpenAPI document in a file, as JSON or YAML. */
import { readFile, writeFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { type DocumentChange, withChanges } from '../openapi/app/document-changes.js';
import { optionalPackage } from '../store/optional-package.js';
import { CliError, EXIT } from './io.js';

export interface DocumentFile {
  readonly document: object;
  /**
   * Formats the document with changes. A YAML file that stays YAML keeps its comments.
   *
   * @param out - The file to write: its extension decides between JSON and YAML. Default: the format of the document.
   */
  format(changes: readonly DocumentChange[], out?: string): Promise<string>;
}

const loadYaml = () => optionalPackage(() => import('yaml'), 'YAML', 'yaml');

/**
 * Reads a document from a file.
 *
 * @throws CliError for a file that does not exist, or is neither JSON nor YAML.
 */
export async function readDocumentFile(name: string): Promise<DocumentFile> {
  const text = await readText(name);
  const isYaml = isYamlName(name);
  const document = isYaml ? await parseYaml(name, text) : parseJson(name, text);
  if (typeof document !== 'object' || document === null) throw notADocument(name);

  async function format(changes: readonly DocumentChange[], out = name): Promise<string> {
    const changed = withChanges(document as object, changes);
    if (!isYamlName(out)) return `${JSON.stringify(changed, null, 2)}\n`;
    const { stringify } = await loadYaml();
    return (isYaml ? await changedYaml(text, changes) : undefined) ?? stringify(changed);
  }

  return { document, format };
}

/** @throws CliError if it cannot be written. */
export async function writeDocumentFile(name: string, text: string): Promise<void> {
  try {
    await writeFile(name, text);
  } catch (error) {
    throw new CliError(`${name} cannot be written: ${messageOf(error)}`, EXIT.usage);
  }
}

async function readText(name: string): Promise<string> {
  try {
    return await readFile(name, 'utf8');
  } catch (error) {
    throw new CliError(`${name} cannot be read: ${messageOf(error)}`, EXIT.usage);
  }
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CliError(`${name} is not JSON: ${messageOf(error)}`, EXIT.usage);
  }
}

async function parseYaml(name: string, text: string): Promise<unknown> {
  const { parse } = await loadYaml();
  try {
    return parse(text, { merge: true });
  } catch (error) {
    throw new CliError(`${name} is not YAML: ${messageOf(error).split('\n', 1)}`, EXIT.usage);
  }
}

/**
 * Applies changes to the text of a YAML file. It returns `undefined` if a change is inside a YAML alias, because the
 * change would then affect every place that uses the alias.
 */
async function changedYaml(text: string, changes: readonly DocumentChange[]): Promise<string | undefined> {
  const { parseDocument } = await loadYaml();
  const parsed = parseDocument(text, { merge: true });
  try {
    for (const { path, value } of changes) parsed.setIn(path, parsed.createNode(value));
  } catch {
    return undefined;
  }
  return parsed.toString();
}

function isYamlName(name: string): boolean {
  return ['.yaml', '.yml'].includes(extname(name).toLowerCase());
}

function notADocument(name: string): CliError {
  return new CliError(`${name} is not an OpenAPI document`, EXIT.usage);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
