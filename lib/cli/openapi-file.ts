/** Reads and writes an OpenAPI document in a file, as JSON or YAML. */
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { type DocumentChange, withChanges } from '../openapi/app/document-changes.js';
import { CliError, EXIT, readErrorOf } from './cli-error.js';
import { changedYaml, loadYaml } from './edit-yaml.js';
import { formatMarkedJson, formatMarkedYaml, parseMarkedJson, parseMarkedYaml } from './exact-numbers.js';
import { replaceFile } from './replace-file.js';

export interface DocumentFile {
  readonly document: object;
  /**
   * Formats the document with changes. Numbers are kept as they are written. If a YAML file stays YAML, its comments
   * are kept.
   *
   * @param out - The file to write. Its extension decides between JSON and YAML. Default: the file that was read.
   * @param warn - Called with a warning if the comments of a YAML file cannot be kept.
   */
  format(changes: readonly DocumentChange[], out: string | undefined, warn: (message: string) => void): Promise<string>;
}

/**
 * Error codes of a write that failed although the arguments of the command were valid, for example because the disk is
 * full.
 */
const LOST_CODES = ['EDQUOT', 'EFBIG', 'EIO', 'ENOSPC', 'EPIPE'];

/**
 * Reads an OpenAPI document from a file.
 *
 * @throws CliError if the file cannot be read, or is neither JSON nor YAML.
 */
export async function readDocumentFile(name: string): Promise<DocumentFile> {
  const text = await readText(name);
  const isYaml = isYamlName(name);
  const document = isYaml ? await parseYaml(name, text) : parseJson(name, text);
  if (typeof document !== 'object' || document === null) throw notADocument(name);

  async function format(
    changes: readonly DocumentChange[],
    out = name,
    warn: (message: string) => void,
  ): Promise<string> {
    const isYamlOut = isYamlName(out);
    if (isYaml && isYamlOut) {
      const edited = await changedYaml(text, document as object, changes);
      if (edited !== undefined) return edited;
      warn(
        `the YAML was written without the comments and anchors of ${name}, because a change affects an alias or a merge key`,
      );
    }
    const changed = withChanges(isYaml ? await parseMarkedYaml(text) : parseMarkedJson(text), changes);
    return isYamlOut ? await formatMarkedYaml(changed) : formatMarkedJson(changed);
  }

  return { document, format };
}

/**
 * Writes a document to a file. If writing fails, an existing file usually keeps its old content. But if no new file can
 * be created in its folder, the old file is overwritten directly, and a failure can leave a part of the document.
 *
 * @throws CliError if the document cannot be written.
 */
export async function writeDocumentFile(name: string, text: string): Promise<void> {
  try {
    await replaceFile(name, text);
  } catch (error) {
    const isLost = LOST_CODES.includes((error as NodeJS.ErrnoException).code ?? '');
    throw new CliError(`${name} cannot be written: ${messageOf(error)}`, isLost ? EXIT.outputLost : EXIT.usage);
  }
}

async function readText(name: string): Promise<string> {
  try {
    return await readFile(name, 'utf8');
  } catch (error) {
    throw readErrorOf(name, error);
  }
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CliError(`${name} is not valid JSON: ${messageOf(error)}`, EXIT.usage);
  }
}

async function parseYaml(name: string, text: string): Promise<unknown> {
  const { parse } = await loadYaml();
  try {
    return parse(text, { merge: true });
  } catch (error) {
    // Only the first line is used: the next lines show the place in the file. Its colon is removed.
    const [reason = ''] = messageOf(error).split('\n', 1);
    throw new CliError(`${name} is not valid YAML: ${reason.replace(/:$/, '')}`, EXIT.usage);
  }
}

function isYamlName(name: string): boolean {
  return ['.yaml', '.yml'].includes(extname(name).toLowerCase());
}

function notADocument(name: string): CliError {
  return new CliError(`${name} is not an OpenAPI document; expected an object in JSON or YAML`, EXIT.usage);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
