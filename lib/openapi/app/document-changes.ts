/**
 * Makes a list of changes that add schemes, scopes and security to a document, and applies the list to a copy. The
 * command line applies the list to a file: it changes only parts of the file, and keeps the comments in it.
 */
import type { CredentialVerifier } from '../../contracts/credential-verifier.js';
import { faultAt, memberOf, membersOf, type Place } from '../document/json-pointer.js';
import type { OpenApiDocument, Operation } from '../document/read-document.js';
import type { SchemeProof } from '../document/scheme-verifiers.js';

/** A new value, and its place in the document: the names of the members from the root to the value. */
export interface DocumentChange {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** An operation without `security`, and the requirement to write for it. */
export interface WrittenOperation {
  readonly operation: Operation;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

/**
 * Returns the changes that add the missing schemes, the missing scopes of `oauth2` schemes, and `security`.
 *
 * @param written - The operations that get `security`.
 * @param proofs - The verifiers, by the name of their scheme. A scheme that the document does not have is added.
 * @param schemeless - Verifiers whose gates accept a key without `Bearer`. If they verify only keys, their scheme gets
 *   the type `apiKey`.
 * @throws TypeError if this version of OpenAPI cannot express a requirement, or if two paths share an operation by
 *   `$ref` but need different requirements.
 */
export function changesOf(
  parsed: OpenApiDocument,
  written: readonly WrittenOperation[],
  proofs: ReadonlyMap<string, SchemeProof>,
  schemeless: ReadonlySet<CredentialVerifier>,
): readonly DocumentChange[] {
  const added = [...proofs].filter(([name]) => !parsed.schemes.has(name));
  const definitions = added.map(([name, proof]) => ({
    path: ['components', 'securitySchemes', name],
    value: definitionOf(proof, schemeless),
  }));
  if (parsed.version === '3.0' && added.some(([, proof]) => proof === 'mutualTLS')) {
    throw faultAt(parsed.root, 'OpenAPI 3.0 does not have the security scheme type mutualTLS; use OpenAPI 3.1 or 3.2');
  }
  const operations = new Map<string, DocumentChange & { readonly security: string }>();
  for (const { operation, security } of written) {
    checkScopes(parsed, operation, security);
    const path = [...tokensOf(operation.place), 'security'];
    const text = JSON.stringify(security);
    if ((operations.get(operation.place.pointer)?.security ?? text) !== text) {
      throw faultAt(
        operation.place,
        'two paths refer to this operation with $ref, but the app has different security requirements for them; describe each path separately',
      );
    }
    operations.set(operation.place.pointer, { path, value: security, security: text });
  }
  const changes = [...operations.values()].map(({ path, value }) => ({ path, value }));
  return [...definitions, ...scopeChanges(parsed, written), ...changes];
}

/** Copies a document and applies changes. The copy shares unchanged parts with the original. */
export function withChanges(document: object, changes: readonly DocumentChange[]): Record<string, unknown> {
  return changes.reduce<unknown>((value, change) => withChange(value, change.path, change.value), {
    ...document,
  }) as Record<string, unknown>;
}

function withChange(value: unknown, [name, ...rest]: readonly string[], change: unknown): unknown {
  if (name === undefined) return change;
  const object = (value ?? {}) as Readonly<Record<string, unknown>>;
  const changed = withChange(Object.hasOwn(object, name) ? object[name] : undefined, rest, change);
  // A Map keeps the order of the members, and `fromEntries` can create a property of any name, even `__proto__`.
  return Object.fromEntries(new Map(Object.entries(object)).set(name, changed));
}

function definitionOf(proof: SchemeProof, schemeless: ReadonlySet<CredentialVerifier>): object {
  if (proof === 'mutualTLS') return { type: 'mutualTLS' };
  const isKey = proof.kinds?.every((kind) => kind !== 'access');
  if (isKey && schemeless.has(proof)) return { type: 'apiKey', in: 'header', name: 'Authorization' };
  return { type: 'http', scheme: 'bearer' };
}

/** Checks that the version allows the scopes: OpenAPI 3.0 allows them only for oauth2 and openIdConnect. */
function checkScopes(
  { version, schemes }: OpenApiDocument,
  operation: Operation,
  security: WrittenOperation['security'],
): void {
  if (version !== '3.0') return;
  for (const [name, scopes] of security.flatMap((alternative) => Object.entries(alternative))) {
    const type = typeOf(schemes.get(name));
    if (scopes.length === 0 || type === 'oauth2' || type === 'openIdConnect') continue;
    throw faultAt(
      operation.place,
      `in OpenAPI 3.0, only oauth2 and openIdConnect schemes have scopes, and the scheme "${name}" is neither; declare it as oauth2, or use OpenAPI 3.1 or 3.2`,
    );
  }
}

function typeOf(scheme: Place | undefined): unknown {
  return scheme && memberOf(scheme, 'type')?.value;
}

/** Returns the changes that add missing scopes to oauth2 schemes, whose flows must list them. */
function scopeChanges({ schemes }: OpenApiDocument, written: readonly WrittenOperation[]): readonly DocumentChange[] {
  return [...schemes].flatMap(([name, scheme]) => {
    const flows = typeOf(scheme) === 'oauth2' ? memberOf(scheme, 'flows') : undefined;
    const used = written.flatMap(({ security }) => security.flatMap((alternative) => alternative[name] ?? []));
    return (flows === undefined ? [] : membersOf(flows)).flatMap(([, flow]) => {
      const listed = memberOf(flow, 'scopes');
      const known = new Set(listed === undefined ? [] : membersOf(listed).map(([scope]) => scope));
      const missing = [...new Set(used)].filter((scope) => !known.has(scope));
      return missing.map((scope) => ({ path: [...tokensOf(flow), 'scopes', scope], value: '' }));
    });
  });
}

function tokensOf({ pointer }: Place): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}
