import type { IncomingMessage } from 'node:http';
import type { Principal } from '../../credentials/principal.js';
import { type Decision, decisions } from '../../events/decision.js';
import { requestPath } from '../../protocol/target-uri.js';

/** Publishes what a gate or a guard has decided about a request, as an event of `keyward:decision`. */
export function reportDecision(
  req: IncomingMessage,
  decision: Pick<Decision, 'outcome' | 'by'> & Partial<Decision>,
  principal?: Principal | undefined,
): void {
  if (!decisions.hasSubscribers) return;
  const { url, originalUrl = url } = req as IncomingMessage & { originalUrl?: string };
  decisions.publish({
    code: undefined,
    reason: undefined,
    kind: principal?.kind,
    keyId: principal?.keyId,
    account: principal?.account,
    fingerprint: undefined,
    method: req.method,
    path: originalUrl === undefined ? undefined : requestPath(originalUrl),
    ...decision,
  });
}
