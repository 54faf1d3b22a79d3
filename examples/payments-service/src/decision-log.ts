/** One line for each decision of a gate, a guard or the token endpoint, with the reason, which the caller does not get. */
import { subscribe } from 'node:diagnostics_channel';
import type { Decision } from 'keyward';
import type { TokenDecision } from 'keyward/issuer';

/** Starts writing decisions, under a heading. */
export function logDecisions(write: (line: string) => void): void {
  write(row('decision', 'caller', 'request', 'reason'));
  subscribe('keyward:decision', (message) => write(lineOf(message as Decision)));
  subscribe('keyward:token', (message) => write(tokenLineOf(message as TokenDecision)));
}

function lineOf({ outcome, by, reason, kind, keyId, fingerprint, method, path }: Decision): string {
  // An unknown credential has no ID, only the first characters of its digest.
  const caller = [kind, keyId ?? fingerprint].filter(Boolean).join(' ');
  const why = by === 'requireBearer' ? reason : `${reason}, by ${by}`;
  return row(outcome, caller, `${method} ${printable(path)}`, why);
}

function tokenLineOf({ outcome, clientId = '', reason }: TokenDecision): string {
  return row(outcome, clientId, 'POST /connect/token', reason);
}

function row(outcome: string, caller: string, request: string, why = ''): string {
  return `  ${outcome.padEnd(11)} ${caller.padEnd(37)} ${request.padEnd(39)}  ${why}`.trimEnd();
}

/** The caller chooses the path, so line breaks and control sequences are replaced. */
function printable(path = ''): string {
  return path.replaceAll(/[^\x21-\x7e]/g, '?');
}
