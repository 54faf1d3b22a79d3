/**
 * `keyward keys find`: finds out which key a secret belongs to, for example a secret that leaked into a log or a
 * repository.
 */
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { digestOf } from '../../credentials/digest.js';
import { keywardFormat } from '../../credentials/keyward-format.js';
import { type KeyView, keyViewOf, type SecretView, secretIdOf } from '../../management/keys/key-view.js';
import { isOver } from '../../management/keys/secrets.js';
import { CliError, EXIT } from '../cli-error.js';
import type { Io } from '../io.js';
import { printFields, printJson, printLine, textOfTime } from '../terminal/output.js';
import { type CommonOptions, withStore, withStoreOptions } from '../with-store.js';

/** The key that a secret belongs to. */
interface FoundSecret {
  readonly key: KeyView;
  /** The secret; `undefined` if it was deleted. */
  readonly secret: SecretView | undefined;
  /** Whether the secret can never be accepted again, even if the expiration date of the key is extended. */
  readonly hasEnded: boolean;
}

export function addFindCommand(keys: Command, io: Io): void {
  withStoreOptions(
    keys
      .command('find <text>')
      .description(
        'find out which key a leaked secret belongs to; pass "-" as <text>, and provide the secret on standard input',
      ),
  )
    .addHelpText('after', '\nExample: keyward keys find - < leaked.txt')
    .action(async (given: string, options: CommonOptions) => {
      // The error must not repeat the argument, because the argument is probably the secret.
      if (given !== '-')
        throw new CliError(
          'do not pass the secret as an argument, because other users can see it; pass "-" and provide the secret on standard input',
          EXIT.usage,
        );
      if (io.stdin.isTTY) io.stderr.write('Paste the key or the client secret, press Enter, and then press Ctrl-D.\n');
      const secret = (await text(io.stdin)).trim();
      if (secret === '') throw new CliError('expected a key or a client secret on standard input', EXIT.usage);
      const found = await find(secret, options);
      if (options.json) printJson(io, { record: found.key, secret: found.secret ?? null, revoke: revocationOf(found) });
      else printFound(found);
    });

  async function find(presented: string, options: CommonOptions): Promise<FoundSecret> {
    return await withStore(io, { ...options, readOnly: true }, async ({ store, databaseName }) => {
      const digest = digestOf(presented);
      const id = await store.repository.keyOfDigest(digest);
      const found = id === undefined ? undefined : await store.repository.key(id);
      if (found === undefined) throw new CliError(notFoundMessage(presented, databaseName));
      const now = Date.now();
      const key = keyViewOf(found, now);
      const row = found.secrets.find((each) => each.digest === digest);
      return {
        key,
        secret: key.secrets.find((each) => each.id === secretIdOf({ digest })),
        hasEnded: key.state === 'revoked' || row === undefined || isOver(row, now),
      };
    });
  }

  function printFound(found: FoundSecret): void {
    const { key, secret } = found;
    printFields(io, {
      id: key.id,
      kind: key.kind,
      account: key.account,
      environment: key.environment,
      name: key.name ?? '-',
      state: key.state,
      secret: secret === undefined ? 'deleted' : `${secret.hint} (${secret.id}), ${STATES[secret.state]}`,
      'last used': secret?.lastUsedAt ? `${textOfTime(secret.lastUsedAt)} from ${secret.lastUsedFrom ?? '-'}` : '-',
    });
    const revoke = revocationOf(found);
    const isOld = secret?.state === 'grace_period';
    if (isOld)
      printLine(io, `To end the grace period of this old secret, run: keyward ${groupOf(key)} end-grace ${key.id}`);
    if (revoke === null) {
      printLine(io, 'This secret is no longer accepted.');
      return;
    }
    if (key.state === 'expired') {
      const [also, enabled] = key.disabledAt === null ? ['', ''] : [' and is disabled', ' and the key is enabled'];
      const remedy = `if the expiration date is extended${enabled}`;
      printLine(io, `The key has expired${also}, but this secret will be accepted again ${remedy}.`);
    }
    const isDeletable = key.kind === 'access' && !isOld && hasOtherCredential(found);
    if (isDeletable)
      printLine(
        io,
        `To delete only this client secret, run: keyward access-keys delete-secret ${key.id} ${secret?.id}`,
      );
    printLine(io, `To revoke the ${isOld || isDeletable ? 'whole key' : 'key'}, run: ${revoke}`);
  }
}

/** Returns the command line that revokes the key; `null` if the secret can never be accepted again. */
function revocationOf(found: FoundSecret): string | null {
  const { key, hasEnded } = found;
  return hasEnded ? null : `keyward ${groupOf(key)} revoke ${key.id}`;
}

/** Whether clients can authenticate without the secret: only then can it be deleted alone. */
function hasOtherCredential({ key, secret }: FoundSecret): boolean {
  return key.publicKeys.length > 0 || key.secrets.some(({ id, state }) => id !== secret?.id && state === 'current');
}

function groupOf({ kind }: KeyView): string {
  return kind === 'access' ? 'access-keys' : 'keys';
}

const STATES = { current: 'current', grace_period: 'in its grace period', ended: 'ended' } as const;

function notFoundMessage(presented: string, database: string): string {
  const isMistyped = keywardFormat.read(presented) === 'malformed';
  const why = isMistyped
    ? 'the secret is mistyped or incomplete'
    : 'check that the secret is complete, and that this is the right database';
  return `there is no key with this secret in ${database}; ${why}`;
}
