/** Parses path templates (OpenAPI "Path Templating"), such as `/pets/{id}`, into literals and parameters. */
import { faultAt, type Place } from './json-pointer.js';

/** One part of a path, between slashes. */
export type TemplatePart = LiteralPart | MixedPart | ParameterPart;

interface LiteralPart {
  readonly type: 'literal';
  readonly text: string;
  readonly lower: string;
}

/** Parameters together with other characters: `{id}.json`. */
interface MixedPart {
  readonly type: 'mixed';
  readonly text: string;
  readonly lower: string;
  /** The text before, between and after the parameters. */
  readonly pieces: readonly string[];
  readonly lowerPieces: readonly string[];
}

interface ParameterPart {
  readonly type: 'parameter';
}

export interface PathTemplate {
  /** The base path, followed by the path as in the document: `/v1/pets/{id}`. */
  readonly text: string;
  readonly parts: readonly TemplatePart[];
  /** Whether the template has no parameters. */
  readonly isConcrete: boolean;
  /**
   * The template with `{}` in place of each parameter, to compare templates without the names of parameters:
   * `v1/pets/{}`.
   */
  readonly key: string;
  /** Like `key`, but in lower case and without a slash at the end, because a router may ignore both. */
  readonly looseKey: string;
}

/**
 * Matches a path of visible ASCII characters except `?` and `#`. Clients percent-encode all other characters, and
 * Express does not decode a path before it compares it.
 */
const TEMPLATE = /^\/[\x21\x22\x24-\x3E\x40-\x7E]*$/;
const PART = /^(?:[^{}]|\{[^{}]+\})*$/;
const PARAMETER = /\{[^{}]+\}/;

/**
 * Parses a path template.
 *
 * @throws TypeError if the text is not a template, or has a character that no path of a request has.
 */
export function parseTemplate(text: string, place: Place): PathTemplate {
  if (!TEMPLATE.test(text)) {
    throw faultAt(
      place,
      'expected a path that starts with "/"; percent-encode "?", "#", spaces and non-ASCII characters',
    );
  }
  const parts = text
    .slice(1)
    .split('/')
    .map((part) => parsePart(part, place));
  return createTemplate(text, parts);
}

function createTemplate(text: string, parts: readonly TemplatePart[]): PathTemplate {
  const isConcrete = parts.every(({ type }) => type === 'literal');
  const key = parts.map((part) => ('text' in part ? part.text.replaceAll(/\{[^{}]+\}/g, '{}') : '{}')).join('/');
  return { text, parts, isConcrete, key, looseKey: key.toLowerCase().replace(/\/$/, '') };
}

function parsePart(text: string, place: Place): TemplatePart {
  if (!PART.test(text))
    throw faultAt(place, 'expected every parameter in this path to be a name in braces, such as {id}');
  const pieces = text.split(/\{[^{}]+\}/);
  const lower = text.toLowerCase();
  if (pieces.length === 1) return { type: 'literal', text, lower };
  if (pieces.every((piece) => piece === '')) return { type: 'parameter' };
  return { type: 'mixed', text, lower, pieces, lowerPieces: pieces.map((piece) => piece.toLowerCase()) };
}

/**
 * Whether a text matches a part such as `{id}.json`. `pieces` are the fixed texts before, between and after the
 * parameters, and each parameter must have at least one character. Each piece between two parameters is matched where
 * it first occurs. A regular expression would also try later places, which takes quadratic time or more for a malicious
 * request.
 */
export function matchesPieces(pieces: readonly string[], text: string): boolean {
  const last = pieces.length - 1;
  let end = 0;
  for (const [index, piece] of pieces.entries()) {
    const start = index === 0 ? 0 : end + 1;
    const found = index === last ? text.length - piece.length : index === 0 ? 0 : text.indexOf(piece, start);
    if (found < start || !text.startsWith(piece, found)) return false;
    end = found + piece.length;
  }
  return true;
}

/**
 * Whether one text may match both parts, without regard to case. For two mixed parts, only the texts before the first
 * and after the last parameter are compared. So the result may be `true` although no text matches both.
 */
export function mayShare(one: TemplatePart, other: TemplatePart): boolean {
  if (one.type === 'parameter') return other.type !== 'literal' || other.text !== '';
  if (other.type === 'parameter') return mayShare(other, one);
  if (one.type === 'literal')
    return other.type === 'literal' ? one.lower === other.lower : matchesPieces(other.lowerPieces, one.lower);
  if (other.type === 'literal') return mayShare(other, one);
  const [first, last] = [fixedEnds(one), fixedEnds(other)];
  const prefixes = first.prefix.startsWith(last.prefix) || last.prefix.startsWith(first.prefix);
  return prefixes && (first.suffix.endsWith(last.suffix) || last.suffix.endsWith(first.suffix));
}

function fixedEnds({ lowerPieces }: MixedPart) {
  return { prefix: lowerPieces[0] ?? '', suffix: lowerPieces.at(-1) ?? '' };
}

/** Returns the parts of a path without the empty part after a slash at the end, which a router may ignore. */
export function looseParts({ parts }: PathTemplate): readonly TemplatePart[] {
  const last = parts.at(-1);
  return parts.length > 1 && last?.type === 'literal' && last.text === '' ? parts.slice(0, -1) : parts;
}

/** Returns a path that matches a template, with the given text in place of each parameter. */
export function fillTemplate({ text }: PathTemplate, parameter: string): string {
  return text.replaceAll(new RegExp(PARAMETER, 'g'), parameter);
}
