/**
 * The metadata of gates and guards, and the marks by which other files, mainly the route audit, recognize the functions
 * that keyward made.
 */
import type { IncomingMessage } from 'node:http';
import type { CredentialVerifier } from '../contracts/credential-verifier.js';
import type { Kind } from '../credentials/credential-kind.js';
import type { BearerErrorCode } from '../protocol/bearer-error-codes.js';
import type { ChallengeContext } from '../protocol/challenge.js';
import type { Segments } from './path-segments.js';
import type { ResourceMetadataDocument } from './resource/metadata-document.js';

/** The metadata of a gate, for the guards after it and for the route audit. */
export interface GateMetadata {
  /** A description of the gate, for errors. */
  readonly name: string;
  readonly challenge: ChallengeContext;
  /**
   * The challenge for each error code, created once. It is used unless a refusal needs other scopes or another scheme.
   * The challenges of a 401 name the scopes of the gate.
   */
  readonly plainChallenges: Readonly<Record<BearerErrorCode, string>>;
  /** The kinds that the gate may accept; `undefined` if a verifier does not say which it accepts. */
  readonly kinds: readonly Kind[] | undefined;
  /** The scopes that every principal must have. */
  readonly scopes: readonly string[];
  /** The metadata of the resource that the gate protects, if the gate has `resourceMetadata()`. */
  readonly resource?: ResourceMetadataDocument | undefined;
  readonly optional: boolean;
  readonly allowSchemeless: boolean;
  /** The verifiers of the gate; absent for a gate of an older copy of keyward. */
  readonly accept?: readonly CredentialVerifier[] | undefined;
  /**
   * Returns what the gate requires on one route. Set only for a gate whose requirements differ between routes, such
   * as `openApiGate`.
   */
  readonly atRoute?: ((method: string, paths: readonly Segments[]) => RouteSecurity) | undefined;
}

/**
 * What a gate such as `openApiGate` requires on one route, expressed as gates and guards that would require the same.
 */
export interface RouteSecurity {
  readonly gates: readonly GateMetadata[];
  readonly guards: readonly GuardMetadata[];
  /** Whether an OpenAPI document says that the route is open. */
  readonly openByDocument: boolean;
  /** Whether requests that the document does not describe are refused; absent in an older copy of keyward. */
  readonly refusesUndocumented?: boolean;
}

/** The metadata of a guard, for the route audit. */
export interface GuardMetadata {
  readonly name: string;
  /** The kinds that pass, if the guard decides by kind. */
  readonly kinds: readonly Kind[] | undefined;
  /** The scopes that a principal needs, if the guard decides by scope. */
  readonly scopes: readonly string[] | undefined;
  /**
   * Whether the guard lets a request without a principal pass. It then does not protect a route behind an optional
   * gate.
   */
  readonly passesAnonymous?: boolean;
  /** The guards of which one must pass, for a guard such as `requireAny`. */
  readonly anyOf?: readonly GuardMetadata[] | undefined;
  /** The verifier whose principals may pass, for a guard that is one alternative of an OpenAPI document. */
  readonly verifier?: CredentialVerifier | undefined;
  /** Whether the credential must be bound to a client certificate. */
  readonly mutualTls?: boolean | undefined;
  /** Returns the scopes that a principal needs, if they depend on the request. */
  readonly scopesOf?: ((req: IncomingMessage) => readonly string[]) | undefined;
}

/**
 * The names of the marks. Each mark is stored under `Symbol.for(name)`, which is the same symbol in every copy of
 * keyward, so an audit also recognizes the functions of another copy.
 */
export type MarkName =
  | 'keyward.gate'
  | 'keyward.guard'
  | 'keyward.bearerErrors'
  | 'keyward.resourceMetadata'
  | 'keyward.ownEndpoint';

/**
 * Marks a function with a symbol. The function stays extensible, because instrumentation adds properties to it.
 *
 * The mark is also stored as an enumerable property with the same name, for wrappers that copy only the properties that
 * `Object.keys` finds. `copiedMarkOf` reads such a copy. It is used only if every function of the app is wrapped in
 * this way, as by express-async-errors, because another wrapper might never call the function.
 */
export function mark<F extends object>(target: F, name: MarkName, value: object): F {
  Object.defineProperty(target, Symbol.for(name), { value });
  return Object.defineProperty(target, name, { value, enumerable: true });
}

const OWN_ENDPOINT = Object.freeze({});

/**
 * Marks a handler of the Dashboard, the issuer or the management API, for the route audit. Such a handler authenticates
 * its callers itself, or serves what is public, so it needs no gate. The handlers are marked and not their router,
 * because an app could add its own routes to the router.
 */
export function ownEndpoint<F extends object>(handler: F): F {
  return mark(handler, 'keyward.ownEndpoint', OWN_ENDPOINT);
}

/** Returns the mark of a function; `undefined` if it has none, or only a copy of one. */
export function markOf(target: unknown, name: MarkName): unknown {
  return typeof target === 'function' ? Reflect.get(target, Symbol.for(name)) : undefined;
}

/** Returns the mark that was copied to a wrapper with the other properties. */
export function copiedMarkOf(target: unknown, name: MarkName): unknown {
  return typeof target === 'function' ? Reflect.get(target, name) : undefined;
}
