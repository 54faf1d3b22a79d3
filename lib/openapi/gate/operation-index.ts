/** Finds the OpenAPI operation of a request, by the rules of OpenAPI and the settings of the Express router. */

import { faultAt } from '../document/json-pointer.js';
import { fillTemplate, matchesPieces, type PathTemplate } from '../document/path-template.js';
import type { Operation } from '../document/read-document.js';
import { type Entry, PathIndex } from './path-index.js';
import type { PathSettings } from './request-path.js';

/**
 * An operation with the decision that applies to its requests. Operations with the same requirement have the same
 * decision object.
 */
export interface IndexedOperation<D> {
  readonly operation: Operation;
  readonly decision: D;
}

/**
 * A concrete operation, such as `/pets/mine`, and a templated operation, such as `/pets/{id}`, that also matches its
 * path but has another requirement.
 */
export interface Rivals<D> {
  readonly concrete: IndexedOperation<D>;
  readonly templated: IndexedOperation<D>;
  /**
   * Example paths for each template that also matches the concrete path: one with a value that no document contains, and
   * one whose values are those of the concrete path, twice. A route that handles one of them belongs to the templated
   * operation, even if it is a route such as `/pets/m:rest`, which matches only some values.
   */
  readonly probes: readonly string[];
}

/**
 * The result of a search by path and method. `operation` follows from the document and the settings of the router;
 * `undefined` if no operation matches.
 */
export interface Found<D> {
  readonly operation: IndexedOperation<D> | undefined;
  /** Whether the path is exactly the path of a concrete operation, including case and slashes. */
  readonly isExact: boolean;
  /** Set if only the routes of the app show which of two operations handles the request. */
  readonly rivals: Rivals<D> | undefined;
}

/** The operations of one path, by the method in upper case. If there is an operation for GET, there is one for HEAD. */
export type MethodTable<D> = ReadonlyMap<string, IndexedOperation<D>>;

type Methods<D> = Map<string, IndexedOperation<D>>;

const NOT_FOUND: Found<never> = Object.freeze({ operation: undefined, isExact: false, rivals: undefined });
/** The value of the parameters in an example path. No path of a document contains it. */
const PROBE = 'keyward-probe-5e1f6a0c';

export class OperationIndex<D> {
  readonly #entries: readonly Entry<Methods<D>>[];
  readonly #index = new PathIndex<Methods<D>>();
  readonly #rivals = new Map<IndexedOperation<D>, Rivals<D>>();

  /**
   * Indexes the operations.
   *
   * @throws TypeError if two operations have the same method, and templates that differ only in the names of
   *   parameters. It also throws if two operations match the same path but have different requirements, and neither has
   *   priority: both are concrete, both have parameters, or they are GET and HEAD of one path.
   */
  constructor(operations: readonly IndexedOperation<D>[]) {
    const entries = entriesOf(operations);
    this.#entries = entries;
    for (const entry of entries) this.#index.add(entry);
    const askOneThing = new Set(operations.map(({ decision }) => decision)).size < 2;
    if (!askOneThing) for (const entry of entries) this.#compare(entry);
  }

  /**
   * Finds the operation of a request. A concrete template has priority over a templated one, and a concrete template
   * that equals the path exactly has priority over one that differs in case or in a slash at the end.
   *
   * @param method - The HTTP method in upper case.
   */
  find(method: string, path: string, settings: PathSettings): Found<D> {
    const { key, hasSlash } = looseKeyOf(path);
    let concrete: IndexedOperation<D> | undefined;
    let rivals: Rivals<D> | undefined;
    for (const { template, value } of this.#index.concrete(key) ?? []) {
      const operation = value.get(method);
      if (operation === undefined) continue;
      const own = this.#rivals.get(operation);
      if (template.text === path) return { operation, isExact: true, rivals: own };
      rivals ??= own;
      if (fits(template, path, hasSlash, settings)) concrete ??= operation;
    }
    if (concrete !== undefined) return { operation: concrete, isExact: false, rivals };
    const accepts = ({ template, value }: Entry<Methods<D>>) =>
      value.has(method) && fits(template, path, hasSlash, settings);
    const operation = this.#index.templated(key.split('/'), accepts)?.value.get(method);
    return operation === undefined && rivals === undefined ? NOT_FOUND : { operation, isExact: false, rivals };
  }

  /**
   * Whether a router may treat a path as a path of the document, for example because it ignores case or removes
   * slashes.
   */
  mayBeKnown(path: string): boolean {
    const key = path.toLowerCase().replaceAll(/\/+/g, '/').replace(/^\//, '').replace(/\/$/, '');
    return this.#index.concrete(key) !== undefined || this.#index.templated(key.split('/'), () => true) !== undefined;
  }

  entries(): readonly Entry<MethodTable<D>>[] {
    return this.#entries;
  }

  #compare(entry: Entry<Methods<D>>): void {
    for (const other of this.#index.sharing(entry.template)) {
      if (other === entry) continue;
      for (const [method, operation] of entry.value) {
        const rival = other.value.get(method);
        if (rival === undefined || rival.decision === operation.decision) continue;
        if (entry.template.isConcrete === other.template.isConcrete) throw overlapFault(operation, rival);
        if (entry.template.isConcrete) this.#addRival(operation, rival, other.template);
      }
    }
  }

  #addRival(concrete: IndexedOperation<D>, templated: IndexedOperation<D>, template: PathTemplate): void {
    const probes = this.#rivals.get(concrete)?.probes ?? [];
    // All templated operations that match this path have the same requirement, so any of them can be stored.
    const own = [fillTemplate(template, PROBE), doubledPath(concrete.operation.template, template)];
    this.#rivals.set(concrete, { concrete, templated, probes: [...probes, ...own] });
  }
}

/** Returns a concrete path in which each part is written twice for which a template has a parameter. */
function doubledPath({ parts }: PathTemplate, template: PathTemplate): string {
  const texts = parts.map((part) => ('text' in part ? part.text : ''));
  const isFixed = (index: number) => (template.parts[index]?.type ?? 'literal') === 'literal';
  return `/${texts.map((text, index) => (isFixed(index) ? text : text + text)).join('/')}`;
}

function overlapFault(
  { operation }: IndexedOperation<unknown>,
  { operation: other }: IndexedOperation<unknown>,
): TypeError {
  const both = `${operation.method} ${operation.path} and ${other.method} ${other.path}`;
  return faultAt(
    operation.place,
    `${both} match the same path but have different security requirements, and OpenAPI does not define which of them applies; give both operations the same requirements`,
  );
}

function entriesOf<D>(operations: readonly IndexedOperation<D>[]): readonly Entry<Methods<D>>[] {
  const byPath = new Map<string, { readonly template: PathTemplate; readonly value: Methods<D> }>();
  for (const indexed of operations) {
    const { template, method, place } = indexed.operation;
    // Templates that differ only in the names of parameters are the same path. The document may describe their
    // methods separately, so the methods are collected in one entry.
    const entry = byPath.get(template.key) ?? { template, value: new Map() };
    const twin = entry.value.get(method);
    if (twin !== undefined) {
      throw faultAt(
        place,
        `${method} ${twin.operation.path} and ${indexed.operation.path} differ only in the names of their parameters, so they match the same requests; remove one of them`,
      );
    }
    entry.value.set(method, indexed);
    byPath.set(template.key, entry);
  }
  for (const { value } of byPath.values()) addHead(value);
  return [...byPath.values()];
}

/**
 * Adds HEAD to a path that has GET. Express passes HEAD requests to the handlers of GET. If an app has handlers for
 * both, the first one gets the request, so both operations must have the same requirement.
 */
function addHead<D>(methods: Methods<D>): void {
  const [get, head] = [methods.get('GET'), methods.get('HEAD')];
  if (get === undefined) return;
  if (head !== undefined && head.decision !== get.decision) throw overlapFault(head, get);
  methods.set('HEAD', head ?? get);
}

function looseKeyOf(path: string): { readonly key: string; readonly hasSlash: boolean } {
  const hasSlash = path.length > 1 && path.charCodeAt(path.length - 1) === 0x2f;
  return { key: path.slice(1, hasSlash ? -1 : undefined).toLowerCase(), hasSlash };
}

/**
 * Whether a path matches a template by the settings of the router. The caller has already found that they match without
 * regard to case and a slash at the end.
 */
function fits({ text, parts }: PathTemplate, path: string, hasSlash: boolean, settings: PathSettings): boolean {
  if (settings.strict && text.endsWith('/') !== (hasSlash || path === '/')) return false;
  if (!settings.caseSensitive) return true;
  const given = path.slice(1).split('/');
  return parts.every((part, index) => {
    if (part.type === 'parameter') return true;
    const faced = given[index] ?? '';
    return part.type === 'literal' ? part.text === faced : matchesPieces(part.pieces, faced);
  });
}
