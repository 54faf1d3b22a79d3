/**
 * Keeps numbers as they are written in a document. JavaScript would change some of them: 9223372036854775807 becomes
 * 9223372036854776000, and 1e400 becomes null. So each number is marked, which makes it a string, before the document is
 * parsed, and the marks are removed from the new text.
 */
import { randomUUID } from 'node:crypto';
import { CliError } from './cli-error.js';
import { loadYaml } from './edit-yaml.js';

/** The start of a marked number. It is random, so it is in no document. */
const MARK = `number_${randomUUID().replaceAll('-', '')}_`;
/** Matches a string or a number in JSON. */
const JSON_TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
/** Matches a YAML number that is also a JSON number. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Parses a valid JSON text. The numbers in the result are marked. */
export function parseMarkedJson(text: string): object {
  return JSON.parse(text.replace(JSON_TOKEN, (token) => (token.startsWith('"') ? token : `"${MARK}${token}"`)));
}

/** Parses a valid YAML text. The numbers in the result are marked, except keys, and forms such as `0x1F` or `.5`. */
export async function parseMarkedYaml(text: string): Promise<object> {
  const { parseDocument, visit } = await loadYaml();
  const document = parseDocument(text, { merge: true });
  visit(document, {
    Scalar(key, node) {
      const isNumber = typeof node.value === 'number' && JSON_NUMBER.test(node.source ?? '');
      if (key !== 'key' && isNumber) node.value = `${MARK}${node.source}`;
    },
  });
  return document.toJS();
}

/**
 * Formats a value with marked numbers as JSON.
 *
 * @throws CliError for a number of YAML that JSON cannot express, or that is not exact in JavaScript.
 */
export function formatMarkedJson(value: object): string {
  const text = JSON.stringify(value, checkNumber, 2);
  return `${text.replace(new RegExp(`"${MARK}([^"]+)"`, 'g'), '$1')}\n`;
}

/** Formats a value with marked numbers as YAML. */
export async function formatMarkedYaml(value: object): Promise<string> {
  const { stringify } = await loadYaml();
  return stringify(value).replaceAll(MARK, '');
}

function checkNumber(name: string, value: unknown): unknown {
  const isExact = typeof value !== 'number' || (Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER);
  if (isExact) return value;
  throw new CliError(`the number at ${JSON.stringify(name)} cannot be written as JSON; write the document as YAML`);
}
