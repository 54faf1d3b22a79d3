/** The type of a gate, and the mark by which other files recognize one. The middleware is in require-bearer.ts. */
import type { IncomingMessage } from 'node:http';
import type { Principal } from '../../credentials/principal.js';
import type { Middleware } from '../middleware.js';
import { type GateMetadata, mark, markOf } from '../route-metadata.js';

/**
 * The result of `requireBearer`: a middleware that knows which credentials it accepts. `P` is the type of its
 * principals.
 */
export interface Gate<P extends Principal | undefined = Principal | undefined> extends Middleware {
  /**
   * The principal that this gate accepted for a request, with the type that its verifiers give it. With `optional:
   * true` it is `undefined` if no credential was presented.
   *
   * @param req - The request, as a handler behind the gate gets it.
   * @returns The principal: frozen, without a credential.
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
 * Marks a middleware as a gate. A wrapper that copies the properties of a gate does not become a gate, because keyward
 * cannot know whether the wrapper calls it.
 */
export function createGate(
  middleware: Middleware,
  metadata: GateMetadata,
  principal: (req: IncomingMessage) => Principal | undefined,
): Gate {
  Object.defineProperty(middleware, 'principal', { value: principal });
  return mark(middleware, 'keyward.gate', metadata) as Gate;
}

/** Returns the metadata of a gate; `undefined` for any other value. */
export function gateMetadataOf(handle: unknown): GateMetadata | undefined {
  return markOf(handle, 'keyward.gate') as GateMetadata | undefined;
}
