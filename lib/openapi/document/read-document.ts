/**
 * Reads from an OpenAPI document what keyward needs: the operations, their security requirements, and the security
 * schemes.
 */
import { checkServers, readBasePath } from './base-path.js';
import { faultAt, memberOf, membersOf, objectAt, type Place, resolve } from './json-pointer.js';
import { type PathTemplate, parseTemplate } from './path-template.js';
import { readSecurity, unstatedSecurity, type WrittenSecurity } from './read-security.js';
import { outgoingSchemes } from './webhook-schemes.js';

export interface OpenApiDocument {
  readonly version: '3.0' | '3.1' | '3.2';
  readonly basePath: string;
  readonly operations: readonly Operation[];
  /** The schemes by name, with references resolved. */
  readonly schemes: ReadonlyMap<string, Place>;
  /**
   * The names of the schemes that only webhooks and callbacks require. They need no verifier, because no gate checks
   * these requests.
   */
  readonly outgoing: ReadonlySet<string>;
  readonly root: Place;
}

export interface Operation {
  /** The method in upper case. */
  readonly method: string;
  /** The path as in the document, without the base path. */
  readonly path: string;
  /** The template of the path, with the base path. */
  readonly template: PathTemplate;
  readonly security: WrittenSecurity;
  readonly place: Place;
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const REFERENCE = '$ref';

/**
 * Reads the operations of a document, with their requirements, and its security schemes.
 *
 * @param factory - The name of the function that has the option `basePath`, for error messages.
 * @throws TypeError if the document has a mistake, with a JSON pointer to the mistake; and for an invalid `basePath`.
 */
export function readDocument(factory: string, document: unknown, basePath?: unknown): OpenApiDocument {
  const root: Place = { value: document, pointer: '#' };
  const version = readVersion(root);
  const schemes = readSchemes(root);
  const declared = new Set(schemes.keys());
  const base = readBasePath(factory, root, basePath);
  const written = memberOf(root, 'security');
  const security = written === undefined ? unstatedSecurity(root) : readSecurity(written, declared);
  const paths = memberOf(root, 'paths');
  const operations = (paths === undefined ? [] : membersOf(paths))
    .filter(([path]) => !path.startsWith('x-'))
    .flatMap(([path, place]) => {
      const template = parseTemplate(base + path, checkedPath(path, place));
      return operationsAt(root, place, version, base).map(([method, operation]) => {
        const own = memberOf(operation, 'security');
        const asked = own === undefined ? security : readSecurity(own, declared);
        return { method, path, template, security: asked, place: operation };
      });
    });
  const asked = operations.flatMap((operation) => operation.security.alternatives).flatMap((one) => one.schemes);
  const outgoing = new Set(outgoingSchemes(objectAt(root), [...METHODS, 'query']));
  for (const { name } of asked) outgoing.delete(name);
  return { version, basePath: base, operations, schemes, outgoing, root };
}

function checkedPath(path: string, place: Place): Place {
  if (path.startsWith('/')) return place;
  throw faultAt(place, 'expected a path that starts with "/"');
}

function readVersion(root: Place): OpenApiDocument['version'] {
  objectAt(root);
  const version = memberOf(root, 'openapi');
  const known = typeof version?.value === 'string' ? /^(3\.[012])\.\d+(?:-.*)?$/.exec(version.value)?.[1] : undefined;
  if (known === undefined) {
    throw faultAt(version ?? root, 'expected OpenAPI 3.0, 3.1 or 3.2; convert older documents first');
  }
  return known as OpenApiDocument['version'];
}

function readSchemes(root: Place): ReadonlyMap<string, Place> {
  const components = memberOf(root, 'components');
  const schemes = components && memberOf(components, 'securitySchemes');
  return new Map(
    (schemes === undefined ? [] : membersOf(schemes)).map(([name, place]) => [name, resolve(root, place)]),
  );
}

function operationsAt(
  root: Place,
  written: Place,
  version: string,
  base: string,
): readonly (readonly [method: string, operation: Place])[] {
  const methods = version === '3.2' ? [...METHODS, 'query'] : METHODS;
  const item = resolve(root, written, [...methods, 'additionalOperations', 'servers']);
  const named = methods.flatMap((method) => {
    const operation = memberOf(item, method);
    return operation === undefined ? [] : [[method.toUpperCase(), operation] as const];
  });
  const additional = version === '3.2' ? memberOf(item, 'additionalOperations') : undefined;
  const others = additional === undefined ? [] : membersOf(additional).map(readMethod);
  const operations = [...named, ...others];
  const twice = operations.find(([method], index) => operations.findIndex(([other]) => other === method) !== index);
  if (twice !== undefined) throw faultAt(twice[1], `this path item has the method ${twice[0]} twice`);
  checkServers(item, base);
  for (const [, operation] of operations) {
    if (Object.hasOwn(objectAt(operation), REFERENCE)) throw faultAt(operation, 'an operation cannot be a $ref');
    checkServers(operation, base);
  }
  return operations;
}

function readMethod([name, operation]: readonly [string, Place]): readonly [string, Place] {
  // Express ignores the case of a method, so all methods are stored in upper case.
  if (/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return [name.toUpperCase(), operation];
  throw faultAt(operation, `${JSON.stringify(name)} is not an HTTP method`);
}
