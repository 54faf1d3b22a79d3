/** Describes what an entry of the audit log changed in the secrets of a key, such as `secret added: ...VEaQ`. */
import { formatTime } from './times.js';

interface Secret {
  readonly hint: string;
  readonly state?: unknown;
  readonly acceptedUntil?: unknown;
}

/** One text for each secret that was added, deleted or given a grace period, or that is no longer accepted. */
export function secretChanges(before: unknown, after: unknown): readonly string[] {
  const [oldSecrets, newSecrets] = [secretsIn(before), secretsIn(after)];
  const oldByHint = new Map(oldSecrets.map((secret) => [secret.hint, secret]));
  const newHints = new Set(newSecrets.map(({ hint }) => hint));
  return [
    ...newSecrets.flatMap((secret) => changesOf(oldByHint.get(secret.hint), secret)),
    ...oldSecrets
      .filter(({ hint, state }) => !newHints.has(hint) && state !== 'ended')
      .map(({ hint }) => `${nounOf(hint)} deleted: ${hint}`),
  ];
}

function changesOf(old: Secret | undefined, { hint, state, acceptedUntil }: Secret): readonly string[] {
  if (old === undefined) return [`${nounOf(hint)} added: ${hint}`];
  if (state === 'ended') return old.state === 'ended' ? [] : [`${nounOf(hint)} no longer accepted: ${hint}`];
  if (typeof acceptedUntil !== 'string' || acceptedUntil === old.acceptedUntil) return [];
  return [`${nounOf(hint)} ${hint}: accepted until ${formatTime(new Date(acceptedUntil))}`];
}

/** What the value of a key is called. The hint of a public key starts with `pk_`, and its value is not secret. */
function nounOf(hint: string): string {
  return hint.startsWith('pk_') ? 'public key' : 'secret';
}

function secretsIn(value: unknown): readonly Secret[] {
  if (!Array.isArray(value)) return [];
  return value.filter((one): one is Secret => typeof one?.hint === 'string');
}
