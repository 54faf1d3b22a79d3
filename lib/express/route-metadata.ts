/**
 * Metadata of gates, which verify a credential, and of guards, which check its principal. keyward stores the metadata
 * as a mark on each middleware that it makes. The route audit finds gates and guards by their marks.
 */
import type { IncomingMessage } from 'node:http';
import type { CredentialVerifier } from '../contracts/credential-verifier.js';
import type { Kind } from '../credentials/credential-kind.js';
import type { BearerErrorCode } from '../protocol/bearer-error-codes.js';
import type { ChallengeContext } from '../protocol/challenge.js';
import type { Segments } from './path-segments.js';
import type { ResourceMetadataDocument } from './resource/metadata-document.js';

/** What guards and the route audit need to know about a gate, such as `requireBearer`. */
export interface GateMetadata {
  /** A description of the gate for error messages. */
  readonly name: string;
  readonly challenge: ChallengeContext;
  /**
   * The value of `WWW-Authenticate` for each error code, created once. It is used unless a refusal needs other scopes,
   * another scheme or an authentication context. The challenges of a 401 name the scopes of the gate.
   */
  readonly plainChallenges: Readonly<Record<BearerErrorCode, string>>;
  /**
   * The kinds of credentials that the gate may accept; `undefined` if one of its verifiers does not declare its kinds.
   */
  readonly kinds: readonly Kind[] | undefined;
  /** The scopes that a principal must have to pass the gate. */
  readonly scopes: readonly string[];
  /**
   * The published metadata of the resource (RFC 9728), if the gate was made with the result of `resourceMetadata()`.
   */
  readonly resource?: ResourceMetadataDocument | undefined;
  readonly optional: boolean;
  readonly allowSchemeless: boolean;
  /** The verifiers of the gate; absent if an older copy of keyward in this process made the gate. */
  readonly accept?: readonly CredentialVerifier[] | undefined;
  /**
   * Returns what the gate requires on one route. Set only for a gate whose requirements differ between routes, such
   * as `openApiGate`.
   */
  readonly atRoute?: ((method: string, paths: readonly Segments[]) => RouteSecurity) | undefined;
}

/**
 * What a gate such as `openApiGate` requires on one route, expressed as the gates and guards that would require the
 * same.
 */
export interface RouteSecurity {
  readonly gates: readonly GateMetadata[];
  readonly guards: readonly GuardMetadata[];
  /** Whether the OpenAPI document states that the route needs no credential: `security: []`. */
  readonly openByDocument: boolean;
  /**
   * Whether the gate refuses a request that the OpenAPI document does not describe; absent if an older copy of keyward
   * in this process made the gate.
   */
  readonly refusesUndocumented?: boolean;
}

/** The metadata of a guard, for the route audit. */
export interface GuardMetadata {
  readonly name: string;
  /** The kinds of credentials that pass; `undefined` if the guard does not check the kind. */
  readonly kinds: readonly Kind[] | undefined;
  /**
   * The scopes that a principal needs; `undefined` if the guard does not check scopes, or if they depend on the
   * request.
   */
  readonly scopes: readonly string[] | undefined;
  /**
   * Whether a request without a principal passes the guard. If so, the guard does not protect a route whose gate is
   * optional.
   */
  readonly passesAnonymous?: boolean;
  /** For a guard such as `requireAny`: the guards inside it. A request passes if it passes one of them. */
  readonly anyOf?: readonly GuardMetadata[] | undefined;
  /**
   * For an alternative in the `security` of an OpenAPI document: the verifier of its scheme. Only principals of this
   * verifier pass.
   */
  readonly verifier?: CredentialVerifier | undefined;
  /** Whether the credential must be bound to a client certificate. */
  readonly mutualTls?: boolean | undefined;
  /** Returns the scopes that a principal needs, if they depend on the request. */
  readonly scopesOf?: ((req: IncomingMessage) => readonly string[]) | undefined;
}

/**
 * The names of the marks. Each mark is stored under `Symbol.for(name)`, which is the same symbol in every copy of
 * keyward in the process. So the route audit also recognizes the functions of another copy.
 */
export type MarkName =
  | 'keyward.gate'
  | 'keyward.guard'
  | 'keyward.bearerErrors'
  | 'keyward.resourceMetadata'
  | 'keyward.ownEndpoint';

/**
 * Marks a function of keyward with a symbol. The function stays extensible, because instrumentation adds properties to
 * it.
 *
 * The mark is also stored as an enumerable property, because the wrappers of express-async-errors copy only such
 * properties. `copiedMarkOf` reads the copy. The copy counts only if express-async-errors wraps every function of the
 * app, because any other wrapper might never call the marked function.
 */
export function mark<F extends object>(target: F, name: MarkName, value: object): F {
  Object.defineProperty(target, Symbol.for(name), { value });
  return Object.defineProperty(target, name, { value, enumerable: true });
}

const OWN_ENDPOINT = Object.freeze({});

/**
 * Marks a handler of the Dashboard, the issuer or the management API, so the route audit requires no gate before it.
 * The handler authenticates its callers itself, or serves public data. Each handler is marked, and not the router,
 * because an app could add unprotected routes to the router.
 */
export function ownEndpoint<F extends object>(handler: F): F {
  return mark(handler, 'keyward.ownEndpoint', OWN_ENDPOINT);
}

/** Returns the mark of a function; `undefined` if it has none. A mark that a wrapper has copied does not count. */
export function markOf(target: unknown, name: MarkName): unknown {
  return typeof target === 'function' ? Reflect.get(target, Symbol.for(name)) : undefined;
}

/** Returns the mark that a wrapper has copied from the function inside it, with all enumerable properties. */
export function copiedMarkOf(target: unknown, name: MarkName): unknown {
  return typeof target === 'function' ? Reflect.get(target, name) : undefined;
}
