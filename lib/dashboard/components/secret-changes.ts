/** What changed in the secrets of a key, as the audit log shows it: `ended: ...VEaQ`. */
import { formatTime } from './times.js';

interface Secret {
  readonly hint: string;
  readonly state?: unknown;
  readonly acceptedUntil?: unknown;
}

/** One text for each secret that was added, ended or deleted, or that got a grace period. */
export function secretChanges(before: unknown, after: unknown): readonly string[] {
  const [was, is] = [secretsIn(before), secretsIn(after)];
  const old = new Map(was.map((secret) => [secret.hint, secret]));
  const left = new Set(is.map(({ hint }) => hint));
  return [
    ...is.flatMap((secret) => changeOf(old.get(secret.hint), secret)),
    ...was.filter(({ hint, state }) => !left.has(hint) && state !== 'ended').map(({ hint }) => `deleted: ${hint}`),
  ];
}

function changeOf(was: Secret | undefined, { hint, state, acceptedUntil }: Secret): readonly string[] {
  if (was === undefined) return [`added: ${hint}`];
  if (state === 'ended') return was.state === 'ended' ? [] : [`ended: ${hint}`];
  if (typeof acceptedUntil !== 'string' || acceptedUntil === was.acceptedUntil) return [];
  return [`${hint} accepted until ${formatTime(new Date(acceptedUntil))}`];
}

function secretsIn(value: unknown): readonly Secret[] {
  if (!Array.isArray(value)) return [];
  return value.filter((one): one is Secret => typeof one?.hint === 'string');
}
