/**
 * Makes the gate for one security requirement of an OpenAPI document. The gate verifies the credential. Then it checks
 * the scopes and the client certificate that the alternatives of the requirement ask for.
 */
import type { IncomingMessage } from 'node:http';
import {
  BUILT_IN,
  type BuiltIn,
  builtIn,
  type CredentialVerifier,
  type Outcome,
} from '../../contracts/credential-verifier.js';
import { holdsScope, type Principal } from '../../credentials/principal.js';
import { BearerError } from '../../express/bearer-error.js';
import type { Gate } from '../../express/gate/gate-type.js';
import { refuse } from '../../express/gate/refuse.js';
import { reportDecision } from '../../express/gate/report-decision.js';
import { authContextOf, clearPrincipal } from '../../express/gate/request-principal.js';
import { requireBearer } from '../../express/gate/require-bearer.js';
import { provenMethods } from '../../express/guards/require-confirmation.js';
import { fail, type Middleware } from '../../express/middleware.js';
import type { GateMetadata } from '../../express/route-metadata.js';
import type { PresentedCredential } from '../../http/presented-credential.js';
import { ABSENT, type CredentialScheme, readDpop } from '../../protocol/authorization-header.js';
import type { Alternative, Requirement } from '../document/requirement.js';

/** The gate that all operations with the same requirement share, and its metadata. */
export interface OperationGate {
  readonly handle: Middleware;
  readonly metadata: GateMetadata;
  readonly requirement: Requirement;
}

/**
 * Makes the gate for a requirement with at least one alternative. If the requirement is optional, or if all
 * alternatives require the same scopes and none requires mutual TLS, the gate is only a `requireBearer`.
 */
export function createOperationGate(requirement: Requirement): OperationGate {
  const { alternatives, isOptional } = requirement;
  // A verifier that claims every credential must be the last, whatever the order of the alternatives is.
  const verifiers = [...new Set(alternatives.map(({ verifier }) => verifier))].sort(
    (one, other) => Number(one.claimsRest === true) - Number(other.claimsRest === true),
  );
  const allowSchemeless = alternatives.some((alternative) => alternative.allowSchemeless);
  if (isOptional) return plainGate(requirement, requireBearer({ accept: verifiers, optional: true, allowSchemeless }));
  const [first] = alternatives;
  const askTheSame = alternatives.every(
    ({ scopes, mutualTls }) => !mutualTls && isSameSet(scopes, first?.scopes ?? []),
  );
  if (!askTheSame) return createAlternativesGate(requirement, verifiers, allowSchemeless);
  const scopes = first?.scopes.length ? first.scopes : undefined;
  return plainGate(requirement, requireBearer({ accept: verifiers, scopes, allowSchemeless }));
}

function plainGate(requirement: Requirement, gate: Gate): OperationGate {
  return { handle: gate, metadata: gate['keyward.gate'], requirement };
}

/**
 * Makes a gate for alternatives that differ in their scopes, or that require mutual TLS. Only the alternatives of the
 * verifier that accepted the credential count.
 */
function createAlternativesGate(
  requirement: Requirement,
  verifiers: readonly CredentialVerifier[],
  allowSchemeless: boolean,
): OperationGate {
  const { alternatives } = requirement;
  const acceptedBy = new WeakMap<object, CredentialVerifier>();
  const accept = verifiers.map((verifier) => rememberVerifier(verifier, acceptedBy));
  const gate = requireBearer({ accept, allowSchemeless });
  const metadata = gate['keyward.gate'];
  const named = alternatives.find(({ scopes }) => scopes.length > 0)?.scopes;

  const handle: Middleware = (req, res, next) => {
    gate(req, res, (error) => {
      if (error === undefined) check(req, res, next);
      else if (error instanceof BearerError && error.status === 401 && named !== undefined) {
        // Writes the same error again, with scopes in the challenge: they tell the client which scopes to request.
        const { code, message: description } = error;
        const dpopNonce = error.headers['DPoP-Nonce'];
        refuse(res, next, metadata, { code, scopes: named, scheme: schemeOf(req), dpopNonce, description });
      } else next(error);
    });
  };

  const check: Middleware = (req, res, next) => {
    const principal = authContextOf(req)?.principal as Principal;
    let refusal: AlternativeRefusal | undefined;
    try {
      const verifier = acceptedBy.get(req);
      refusal = refusalOf(
        alternatives.filter((alternative) => alternative.verifier === verifier),
        principal,
      );
    } catch (error) {
      clearPrincipal(req);
      fail(next, error);
      return;
    }
    if (refusal === undefined) {
      next();
      return;
    }
    reportDecision(
      req,
      { outcome: 'refused', by: 'openApiGate', code: refusal.code, reason: refusal.reason },
      principal,
    );
    clearPrincipal(req);
    refuse(res, next, metadata, { ...refusal, scheme: schemeOf(req) });
  };

  return { handle, metadata, requirement };
}

/** Returns the scheme of the presented credential; `Bearer` if the request has none. */
function schemeOf({ headers }: IncomingMessage): CredentialScheme {
  return readDpop(headers.authorization) === ABSENT ? 'Bearer' : 'DPoP';
}

interface AlternativeRefusal {
  readonly code: 'insufficient_scope' | 'invalid_token';
  readonly reason: string;
  readonly scopes?: readonly string[];
}

/**
 * Returns why a principal is refused; `undefined` if it satisfies one of the alternatives.
 *
 * @param fitting - The alternatives of the verifier that accepted the credential.
 */
function refusalOf(fitting: readonly Alternative[], principal: Principal): AlternativeRefusal | undefined {
  let refusal: AlternativeRefusal = { code: 'invalid_token', reason: 'confirmation' };
  for (const { scopes, mutualTls } of fitting) {
    const holdsAll = scopes.every((scope) => holdsScope(principal, scope));
    const isConfirmed = !mutualTls || provenMethods(principal).includes('mtls');
    if (holdsAll && isConfirmed) return undefined;
    if (!holdsAll && refusal.code === 'invalid_token')
      refusal = { code: 'insufficient_scope', reason: 'scope', scopes };
  }
  return refusal;
}

/** Wraps a verifier, and records in `acceptedBy` the requests whose credential it accepts. */
function rememberVerifier(
  verifier: CredentialVerifier & BuiltIn,
  acceptedBy: WeakMap<object, CredentialVerifier>,
): CredentialVerifier {
  function note<O extends Outcome>(outcome: O, { request }: PresentedCredential): O {
    if (outcome?.outcome === 'accepted' && request !== undefined) acceptedBy.set(request, verifier);
    return outcome;
  }
  function remembering<O extends Outcome>(ask: (credential: PresentedCredential) => O | Promise<O>) {
    return (credential: PresentedCredential): O | Promise<O> => {
      const outcome = ask(credential);
      if (!('then' in outcome)) return note(outcome, credential);
      return Promise.resolve(outcome).then((settled) => note(settled, credential));
    };
  }
  const { kinds, claims, claimsRest, tokens, confirmation, [BUILT_IN]: mark } = verifier;
  const facts = { kinds, claims, claimsRest, tokens, confirmation };
  if (mark?.verifier === verifier) return builtIn(facts, remembering(mark.verify));
  return { ...facts, verify: remembering((credential) => verifier.verify(credential)) };
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name) => other.includes(name));
}
