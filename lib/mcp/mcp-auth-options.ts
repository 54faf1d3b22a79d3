/** The types of the options of `mcpAuth`, and their validation. */
import type { CredentialVerifier } from '../contracts/credential-verifier.js';
import type { GateOptions } from '../express/gate/require-bearer-options.js';
import type { ResourceMetadataOptions } from '../express/resource/resource-metadata.js';
import { kindOfOther } from '../options/options.js';
import { SCOPE_CHARACTERS } from '../protocol/scope.js';
import { accessTokens } from '../tokens/access-tokens.js';
import type { AccessTokensOptions } from '../tokens/access-tokens-options.js';
import { isResourceScope } from './is-resource-scope.js';

/**
 * Options of `mcpAuth`, except the options that say which credentials are accepted. The path of `resource` may contain
 * only letters, digits, `-`, `.`, `_`, `~` and `/`.
 */
export interface McpResourceOptions extends Omit<ResourceMetadataOptions, 'accept' | 'scopes'> {
  /**
   * The scopes that every request needs, one or more. `offline_access` is not allowed. Clients learn the scopes from
   * the metadata and from challenges.
   */
  readonly scopes: readonly string[];
  /** The same option as in `requireBearer`. */
  readonly realm?: string | undefined;
  /** The same option as in `requireBearer`. */
  readonly browserOrigin?: GateOptions['browserOrigin'];
}

/**
 * Options of `mcpAuth`. The accepted credentials are given either as `accept`, a list of verifiers, or as the options
 * of `accessTokens` without `audience`: the audience is `resource`.
 */
export type McpAuthOptions<V extends CredentialVerifier = CredentialVerifier> = McpResourceOptions &
  (
    | ({ readonly accept: readonly V[] } & { readonly [name in keyof AccessTokensOptions]?: never })
    | (Omit<AccessTokensOptions, 'audience'> & { readonly accept?: never; readonly audience?: never })
  );

/** Which factory reads an option. `requireBearer` gets `scopes` too. */
const READERS = {
  ...{ resource: 'metadata', scopes: 'metadata', name: 'metadata', documentation: 'metadata', policy: 'metadata' },
  ...{ termsOfService: 'metadata', realm: 'gate', browserOrigin: 'gate' },
} as const satisfies { readonly [name in keyof McpResourceOptions]-?: 'metadata' | 'gate' };
const OWN_NAMES = Object.keys(READERS) as (keyof typeof READERS)[];
const OF_METADATA = OWN_NAMES.filter((name) => READERS[name] === 'metadata');
const OF_GATE = OWN_NAMES.filter((name) => READERS[name] === 'gate');

/**
 * Matches a path that Express takes literally. Other characters, such as `:` or `*`, have a special meaning in the
 * routes of Express 4 or 5, so the gate would protect other paths.
 */
const PLAIN_PATH = /^[\w.~/-]*$/;

/**
 * Validates `resource`, `scopes` and the combination of the options, and divides the options into those of
 * `resourceMetadata` and those of `requireBearer`, which validate the rest.
 *
 * @throws TypeError for a missing or wrong option, or for options that cannot be combined.
 */
export function readMcpAuthOptions(given: McpAuthOptions) {
  if (typeof given !== 'object' || given === null) throw new TypeError('mcpAuth: expected an options object');
  const { resource, scopes, accept } = given;
  const path = readPath(resource);
  if (!Array.isArray(scopes) || scopes.length === 0 || !scopes.every(isResourceScope)) {
    const expected = `a list of one or more scopes; a scope consists of ${SCOPE_CHARACTERS} (RFC 6749 section 3.3), and must not be "offline_access"`;
    throw new TypeError(`mcpAuth: option "scopes" must be ${expected}`);
  }
  const others = Object.keys(given).filter((name) => name !== 'accept' && !Object.hasOwn(READERS, name));
  if (accept !== undefined && others.length > 0) {
    const remedy = 'if it is an option of accessTokens(), pass it there';
    throw new TypeError(`mcpAuth: option "${others[0]}" cannot be combined with "accept"; ${remedy}`);
  }
  if ('audience' in given) {
    const remedy = 'the audience is the value of "resource"; to accept other audiences, pass verifiers in "accept"';
    throw new TypeError(`mcpAuth: there is no option "audience", because ${remedy}`);
  }
  const verifiers = accept ?? [accessTokens({ ...pick(given, others), audience: resource } as AccessTokensOptions)];
  return {
    metadata: { ...pick(given, OF_METADATA), accept: verifiers } as unknown as ResourceMetadataOptions,
    gate: { ...pick(given, OF_GATE), scopes, accept: verifiers },
    path,
  };
}

function readPath(resource: unknown): string {
  if (typeof resource !== 'string' || !URL.canParse(resource))
    throw new TypeError(
      `mcpAuth: option "resource" must be an absolute URL, such as 'https://mcp.example.com/mcp', got ${kindOfOther(resource)}`,
    );
  const path = new URL(resource).pathname;
  if (PLAIN_PATH.test(path)) return path;
  throw new TypeError('mcpAuth: the path of "resource" may contain only letters, digits, "-", ".", "_", "~" and "/"');
}

function pick(given: object, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)));
}
