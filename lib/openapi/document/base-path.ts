/**
 * Reads the base path of an OpenAPI document, which is the prefix of all its paths, and checks that `servers` agree
 * with it.
 */
import { elementsOf, faultAt, memberOf, objectAt, type Place } from './json-pointer.js';

const VARIABLE = /\{([^{}]+)\}/g;

/**
 * Returns the base path: the option `basePath`, or otherwise the path of the URLs in `servers`.
 *
 * @param given - The option `basePath`; `undefined` if it is not given.
 * @returns The base path without a slash at the end; `''` if there is no base path.
 * @throws TypeError if the option is not a path, if no server has the path of the option, or if there is no option and
 *   the servers have different paths.
 */
export function readBasePath(factory: string, root: Place, given: unknown): string {
  const servers = memberOf(root, 'servers');
  const paths = servers === undefined ? [] : [...new Set(elementsOf(servers).flatMap(pathsOfServer))];
  if (given === undefined) {
    if (servers === undefined || paths.length === 0) return '';
    if (paths.length > 1)
      throw faultAt(
        servers,
        'the URLs in "servers" have different paths; choose one of them with the option "basePath"',
      );
    return paths[0] ?? '';
  }
  if (typeof given !== 'string' || !/^\/(?:[^?#{}\s]*)$/.test(given)) {
    throw new TypeError(`${factory}: option "basePath" must be a path such as '/v1'`);
  }
  const basePath = withoutSlash(given);
  if (servers !== undefined && paths.length > 0 && !paths.includes(basePath)) {
    throw faultAt(
      servers,
      `no URL in "servers" has the path of the option "basePath"; add a server with this path, or change the option`,
    );
  }
  return basePath;
}

/**
 * Checks that the servers of a path or an operation have the base path too.
 *
 * @throws TypeError if a server has another path.
 */
export function checkServers(place: Place, basePath: string): void {
  const servers = memberOf(place, 'servers');
  if (servers === undefined) return;
  for (const server of elementsOf(servers)) {
    if (pathsOfServer(server).some((path) => path !== basePath))
      throw faultAt(server, `the path of this server must equal the base path of the document: ${basePath || '/'}`);
  }
}

/**
 * Returns the paths that a server can have: with the default values of all its variables, and with each `enum` value of
 * one variable and the default values of the others.
 */
function pathsOfServer(server: Place): readonly string[] {
  objectAt(server);
  const place = memberOf(server, 'url');
  if (place === undefined || typeof place.value !== 'string')
    throw faultAt(place ?? server, 'a server must have a "url" that is a string');
  const url = place.value;
  const names = [...url.matchAll(VARIABLE)].map(([, name = '']) => name);
  const defaults = new Map(names.map((name) => [name, defaultOf(server, name)]));
  const choices = names.flatMap((name) => enumOf(server, name).map((value) => new Map(defaults).set(name, value)));
  return [defaults, ...choices].map((values) =>
    pathOf(
      url.replaceAll(VARIABLE, (_, name: string) => values.get(name) ?? ''),
      place,
    ),
  );
}

function pathOf(url: string, place: Place): string {
  const path = /^(?:[a-z][a-z0-9+.-]*:)?\/\/[^/?#]*([^?#]*)/i.exec(url)?.[1] ?? url;
  // A relative path such as "v1" would be relative to the URL of the document, which is not known here.
  if (path !== '' && !path.startsWith('/')) throw faultAt(place, 'expected a URL, or a path that starts with "/"');
  return withoutSlash(path);
}

function variableOf(server: Place, name: string): Place | undefined {
  const variables = memberOf(server, 'variables');
  return variables && memberOf(variables, name);
}

function defaultOf(server: Place, name: string): string {
  const variable = variableOf(server, name);
  const fallback = variable && memberOf(variable, 'default');
  if (typeof fallback?.value !== 'string') throw faultAt(server, `the server variable {${name}} has no default value`);
  return fallback.value;
}

function enumOf(server: Place, name: string): readonly string[] {
  const variable = variableOf(server, name);
  const values = variable && memberOf(variable, 'enum');
  return (values === undefined ? [] : elementsOf(values)).map(({ value }) => String(value));
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, '');
}
