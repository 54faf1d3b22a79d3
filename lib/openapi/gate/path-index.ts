/**
 * Finds the path templates that match a path. Concrete templates are in a map. Templates with parameters are in a tree,
 * with a node for each part of the path. Both ignore case and one slash at the end, as Express does by default. For an
 * app with other settings, the caller must compare the parts again.
 */
import {
  looseParts,
  matchesPieces,
  mayShare,
  type PathTemplate,
  type TemplatePart,
} from '../document/path-template.js';

/** A template with its value. */
export interface Entry<T> {
  readonly template: PathTemplate;
  readonly value: T;
}

interface Node<T> {
  readonly literals: Map<string, Node<T>>;
  readonly mixed: { readonly part: TemplatePart & { readonly type: 'mixed' }; readonly node: Node<T> }[];
  parameter: Node<T> | undefined;
  readonly entries: Entry<T>[];
}

export class PathIndex<T> {
  readonly #concrete = new Map<string, Entry<T>[]>();
  readonly #root = createNode<T>();

  add(entry: Entry<T>): void {
    const { template } = entry;
    if (template.isConcrete) {
      const found = this.#concrete.get(template.looseKey);
      if (found === undefined) this.#concrete.set(template.looseKey, [entry]);
      else found.push(entry);
      return;
    }
    let node = this.#root;
    for (const part of looseParts(template)) node = childFor(node, part);
    node.entries.push(entry);
  }

  /**
   * Returns the concrete templates for a path, which is given in lower case and without slashes at the start and the
   * end.
   */
  concrete(lower: string): readonly Entry<T>[] | undefined {
    return this.#concrete.get(lower);
  }

  /**
   * Returns the first template with parameters that matches a path and for which `accepts` returns `true`. For each
   * part, literals are tried first, then parameters beside text, then parameters alone.
   *
   * @param parts - The parts of the path in lower case, without slashes.
   */
  templated(parts: readonly string[], accepts: (entry: Entry<T>) => boolean): Entry<T> | undefined {
    return search(this.#root, parts, 0, accepts);
  }

  /** Returns every entry whose template has a path in common with the given template: both match this path. */
  sharing(template: PathTemplate): readonly Entry<T>[] {
    const found: Entry<T>[] = [];
    const loose = looseParts(template);
    const lower = loose.every(({ type }) => type === 'literal') && keyOf(loose);
    if (typeof lower === 'string') found.push(...(this.#concrete.get(lower) ?? []));
    collect(this.#root, loose, 0, found);
    return found;
  }
}

function createNode<T>(): Node<T> {
  return { literals: new Map(), mixed: [], parameter: undefined, entries: [] };
}

function keyOf(parts: readonly TemplatePart[]): string {
  return parts.map((part) => ('lower' in part ? part.lower : '')).join('/');
}

function childFor<T>(node: Node<T>, part: TemplatePart): Node<T> {
  if (part.type === 'parameter') {
    node.parameter ??= createNode();
    return node.parameter;
  }
  if (part.type === 'literal') {
    const found = node.literals.get(part.lower) ?? createNode<T>();
    node.literals.set(part.lower, found);
    return found;
  }
  const found = node.mixed.find(({ part: other }) => other.lower === part.lower)?.node ?? createNode<T>();
  if (!node.mixed.some(({ node: other }) => other === found)) node.mixed.push({ part, node: found });
  return found;
}

function search<T>(
  node: Node<T>,
  parts: readonly string[],
  depth: number,
  accepts: (entry: Entry<T>) => boolean,
): Entry<T> | undefined {
  const part = parts[depth];
  if (part === undefined) return node.entries.find(accepts);
  const literal = node.literals.get(part);
  const found = literal && search(literal, parts, depth + 1, accepts);
  if (found !== undefined) return found;
  for (const { part: mixed, node: next } of node.mixed) {
    const inner = matchesPieces(mixed.lowerPieces, part) ? search(next, parts, depth + 1, accepts) : undefined;
    if (inner !== undefined) return inner;
  }
  // A parameter needs at least one character, so `/pets/{id}` does not match `/pets/`.
  return node.parameter === undefined || part === '' ? undefined : search(node.parameter, parts, depth + 1, accepts);
}

function collect<T>(node: Node<T>, parts: readonly TemplatePart[], depth: number, found: Entry<T>[]): void {
  const part = parts[depth];
  if (part === undefined) {
    found.push(...node.entries);
    return;
  }
  if (part.type === 'literal') {
    const literal = node.literals.get(part.lower);
    if (literal !== undefined) collect(literal, parts, depth + 1, found);
  } else {
    for (const [lower, next] of node.literals) {
      if (mayShare(part, { type: 'literal', text: lower, lower })) collect(next, parts, depth + 1, found);
    }
  }
  for (const { part: mixed, node: next } of node.mixed)
    if (mayShare(part, mixed)) collect(next, parts, depth + 1, found);
  if (node.parameter !== undefined && mayShare(part, { type: 'parameter' }))
    collect(node.parameter, parts, depth + 1, found);
}
