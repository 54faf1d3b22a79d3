/** Prints a new secret, which is shown only once, together with its key. */
import type { CreatedKey } from '../management/keys/key-service.js';
import { CliError } from './cli-error.js';
import { formatError, outputLost } from './format-error.js';
import type { Io } from './io.js';
import { showKey } from './print-keys.js';
import { printJson, printLine } from './terminal/output.js';

/**
 * Prints a key and its new secret. Without `json`, the secret is on a separate line, so that it is easy to copy.
 *
 * @param takeBack - Called if the output could not be written: nobody knows the secret then. It undoes the change if
 *   this is possible, and resolves with a text for the end of the error message.
 * @param remedy - What the operator can do if `takeBack` fails.
 * @throws CliError if the output could not be written.
 */
export async function showSecret(
  io: Io,
  { json }: { readonly json?: boolean },
  { key, secret: text }: CreatedKey,
  takeBack: () => Promise<string>,
  remedy = `to revoke the key, run: keyward ${key.kind === 'access' ? 'access-keys' : 'keys'} revoke ${key.id}`,
): Promise<void> {
  const isAccess = key.kind === 'access';
  if (json) {
    printJson(io, isAccess ? { id: key.id, secret: text, record: key } : { key: text, record: key });
  } else {
    showKey(io, key);
    printLine(io, '');
    if (isAccess) printLine(io, `Client ID      ${key.id}`);
    printLine(io, isAccess ? `Client secret  ${text}` : `Key         ${text}`);
    if (key.kind !== 'public') printLine(io, 'Save this value now. It is shown only once.');
  }
  try {
    await io.stdout.flush();
  } catch (error) {
    const done = await takeBack().catch((failure) => {
      const reason = formatError(failure)?.message ?? String(failure);
      return `the new key or secret could not be shown, and revoking it failed (${reason}), so it may still be accepted; ${remedy}`;
    });
    const { message, exitCode } = outputLost(error, `; ${done}`);
    throw new CliError(message, exitCode);
  }
}
