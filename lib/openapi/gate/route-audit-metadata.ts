/** Finds what an `openApiGate` requires on a route of the app, for `auditRoutes`. */

import type { Segment, Segments } from '../../express/path-segments.js';
import type { GateMetadata, GuardMetadata, RouteSecurity } from '../../express/route-metadata.js';
import { looseParts, mayShare, type PathTemplate, type TemplatePart } from '../document/path-template.js';
import type { RequirementGate } from './gate-per-requirement.js';
import type { IndexedOperation, MethodTable, OperationIndex } from './operation-index.js';

/** The operations that a route may handle, and whether it may also handle requests that are not in the document. */
interface Candidates {
  readonly operations: readonly IndexedOperation<RequirementGate>[];
  readonly mayBeUndocumented: boolean;
}

type Entry = ReturnType<OperationIndex<RequirementGate>['entries']>[number];

const NOTHING: RouteSecurity = Object.freeze({ gates: [], guards: [], openByDocument: false });
const OPEN_BY_DOCUMENT: RouteSecurity = Object.freeze({ gates: [], guards: [], openByDocument: true });

/**
 * Makes the function that `auditRoutes` calls to find what a gate requires on a route. A route may handle several
 * operations with different requirements. If one of these operations is open, the result is that the route requires
 * nothing. Otherwise, the route requires a credential of any kind that one of the operations accepts.
 *
 * @param passes - Whether the gate lets requests pass that are not in the document.
 * @param refusing - The metadata of a gate that no request passes.
 */
export function securityAtRoute(
  index: OperationIndex<RequirementGate>,
  passes: boolean,
  refusing: GateMetadata,
): (method: string, paths: readonly Segments[]) => RouteSecurity {
  return (method, paths) => {
    const candidates = paths.map((segments) => candidatesFor(index, method, segments));
    if (passes && candidates.some(({ mayBeUndocumented }) => mayBeUndocumented)) return NOTHING;
    const operations = candidates.flatMap((found) => found.operations);
    const open = operations.filter(({ decision }) => decision.metadata === undefined);
    if (open.length > 0) return open.every(({ operation }) => operation.security.isStated) ? OPEN_BY_DOCUMENT : NOTHING;
    const decisions = [...new Set(operations.map(({ decision }) => decision))];
    const [first] = decisions;
    if (first === undefined) return { ...NOTHING, gates: [refusing] };
    if (decisions.length === 1) return securityOf(first);
    const gates = decisions.flatMap(({ metadata }) => metadata ?? []);
    const kinds = gates.some((gate) => gate.kinds === undefined)
      ? undefined
      : gates.flatMap((gate) => gate.kinds ?? []);
    const optional = gates.some((gate) => gate.optional);
    return { ...NOTHING, gates: [{ ...refusing, kinds: kinds && [...new Set(kinds)], optional, accept: undefined }] };
  };
}

function securityOf({ metadata, requirement }: RequirementGate): RouteSecurity {
  if (metadata === undefined) return NOTHING;
  const { alternatives, isOptional } = requirement;
  const accept = [...new Set(alternatives.map(({ verifier }) => verifier))];
  const gates = [{ ...metadata, accept }];
  if (isOptional || alternatives.every(({ scopes, mutualTls }) => scopes.length === 0 && !mutualTls)) {
    return { ...NOTHING, gates };
  }
  const guards = alternatives.map(({ verifier, scopes, mutualTls }): GuardMetadata => {
    const asked = [
      ...(scopes.length > 0 ? [`requireScopes(${scopes.join(', ')})`] : []),
      ...(mutualTls ? ['mutualTLS'] : []),
    ];
    return { name: asked.join(' and ') || 'no scope required', kinds: undefined, scopes, verifier, mutualTls };
  });
  const names = [...new Set(guards.map(({ name }) => name))];
  const name = names.length === 1 ? names.join() : `requireAny(${names.join(', ')})`;
  return { ...NOTHING, gates, guards: [{ name, kinds: undefined, scopes: undefined, anyOf: guards }] };
}

function candidatesFor(index: OperationIndex<RequirementGate>, method: string, segments: Segments): Candidates {
  const isMount = method === 'USE';
  const known = segments.findIndex((segment) => 'unknown' in segment);
  const operationsIn = (tables: readonly MethodTable<RequirementGate>[]) =>
    tables.flatMap((table) => (method === 'ALL' || isMount ? [...table.values()] : (table.get(method) ?? [])));
  if (isMount || known !== -1) {
    const prefix = segments.slice(0, known === -1 ? undefined : known).map(partOf);
    const below = index.entries().filter(({ template }) => startsWith(template, prefix));
    // Example: `app.use('/pets/mine', handler)` gets no request of `/pets/{id}` for a method that `/pets/mine` also has.
    const tables = below.map((entry) => without(methodsOf(concreteAt(prefix, entry, below)), entry.value));
    return { operations: operationsIn(tables), mayBeUndocumented: true };
  }
  const template = templateOf(segments);
  const sharing = index.entries().filter((entry) => mayMatchOnePath(entry.template, template));
  const isSame = (entry: Entry) => entry.template.looseKey === template.looseKey;
  const same = sharing.filter(isSame).map(({ value }) => value);
  const others = sharing.filter((entry) => !isSame(entry)).map(({ value }) => value);
  const found = operationsIn(same);
  if (found.length > 0 && method !== 'ALL') return { operations: found, mayBeUndocumented: false };
  // If the document lacks a method for this path, another template that matches the path applies. Example: if
  // `/pets/mine` has only GET, a POST to `/pets/mine` is the operation POST of `/pets/{id}`.
  const methods = methodsOf(same);
  const lacking = others.map((table) => without(methods, table));
  const operations = [...found, ...operationsIn(lacking)];
  return { operations, mayBeUndocumented: found.length > 0 || operations.length === 0 || !template.isConcrete };
}

function methodsOf(tables: readonly MethodTable<RequirementGate>[]): ReadonlySet<string> {
  return new Set(tables.flatMap((table) => [...table.keys()]));
}

function without(methods: ReadonlySet<string>, table: MethodTable<RequirementGate>): MethodTable<RequirementGate> {
  return new Map([...table].filter(([name]) => !methods.has(name)));
}

/**
 * Returns the concrete operations that have priority over a templated entry at every path below a prefix: those of the
 * only path that the template then matches.
 */
function concreteAt(
  prefix: readonly TemplatePart[],
  { template }: Entry,
  entries: readonly Entry[],
): readonly MethodTable<RequirementGate>[] {
  const key = [...prefix, ...looseParts(template).slice(prefix.length)]
    .map((part) => (part.type === 'literal' ? part.lower : '{}'))
    .join('/');
  const isPrior = ({ template: other }: Entry) => other.isConcrete && other.looseKey === key;
  return template.isConcrete ? [] : entries.filter(isPrior).map(({ value }) => value);
}

function mayMatchOnePath(one: PathTemplate, other: PathTemplate): boolean {
  const [first, second] = [looseParts(one), looseParts(other)];
  return first.length === second.length && first.every((part, place) => mayShare(part, second[place] ?? part));
}

function startsWith({ parts }: PathTemplate, prefix: readonly TemplatePart[]): boolean {
  return prefix.every((part, index) => {
    const faced = parts[index];
    return faced !== undefined && mayShare(part, faced);
  });
}

function templateOf(segments: Segments): PathTemplate {
  const written = segments.length === 0 ? [{ literal: '', sensitive: false }] : segments;
  const parts = written.map(partOf);
  const key = parts.map((part) => (part.type === 'literal' ? part.text : '{}')).join('/');
  const isConcrete = parts.every(({ type }) => type === 'literal');
  return { text: `/${key}`, parts, isConcrete, key, looseKey: key.toLowerCase().replace(/\/$/, '') };
}

function partOf(segment: Segment): TemplatePart {
  if ('literal' in segment) return { type: 'literal', text: segment.literal, lower: segment.literal.toLowerCase() };
  return { type: 'parameter' };
}
