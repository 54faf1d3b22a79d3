/**
 * Defines the type of a gate: a middleware that verifies the credential of a request. Marks gates and recognizes them
 * by their mark. `requireBearer` in require-bearer.ts makes a gate.
 */
import type { IncomingMessage } from 'node:http';
import type { Principal } from '../../credentials/principal.js';
import type { Middleware } from '../middleware.js';
import { type GateMetadata, mark, markOf } from '../route-metadata.js';

/**
 * A middleware that verifies the credential of a request, as made by `requireBearer`. `P` is the type of the principals
 * that it accepts.
 */
export interface Gate<P extends Principal | undefined = Principal | undefined> extends Middleware {
  /**
   * Returns the principal that this gate accepted for a request. Its type comes from the verifiers of the gate. With
   * `optional: true`, it is `undefined` for a request without a credential.
   *
   * @param req - The request that a handler after the gate gets.
   * @returns The principal. It is frozen, and does not contain the credential.
   * @throws KeywardError `gate_not_passed` if the request did not pass this gate.
   * @example
   * ```ts
   * import { accessTokens, requireBearer } from 'keyward';
   *
   * const gate = requireBearer({ accept: [accessTokens({ issuer: 'https://login.example', audience: 'api' })] });
   * app.get('/me', gate, (req, res) => {
   *   res.json({ client: gate.principal(req).clientId });
   * });
   * ```
   */
  principal(req: IncomingMessage): P;
  readonly 'keyward.gate': GateMetadata;
}

/**
 * Marks a middleware as a gate. A wrapper that copies the properties of a gate is not a gate: it might not call the
 * gate, and the route would be open.
 */
export function createGate(
  middleware: Middleware,
  metadata: GateMetadata,
  principal: (req: IncomingMessage) => Principal | undefined,
): Gate {
  Object.defineProperty(middleware, 'principal', { value: principal });
  return mark(middleware, 'keyward.gate', metadata) as Gate;
}

/** Returns the metadata of a gate; `undefined` if the value is not a gate. */
export function gateMetadataOf(handle: unknown): GateMetadata | undefined {
  return markOf(handle, 'keyward.gate') as GateMetadata | undefined;
}
