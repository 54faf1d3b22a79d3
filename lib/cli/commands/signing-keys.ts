/** `keyward signing-keys ...`: manages the keys that sign access tokens. */
import { type Command, Option } from 'commander';
import { MAX_KEYS, signingKeyOf } from '../../issuer/signing-keys/key-schedule.js';
import {
  isRetired,
  makeSigningKey,
  SIGNING_ALGORITHMS,
  type SigningAlgorithm,
} from '../../issuer/signing-keys/signing-key.js';
import type { SigningKeySummary } from '../../store/signing-keys/signing-keys.js';
import { CliError } from '../cli-error.js';
import { type KeyFileOption, readEncryptionKeys, withKeyFile } from '../encryption-key-file.js';
import type { Io } from '../io.js';
import { type ConfirmOption, confirm, withConfirmation } from '../terminal/confirm.js';
import { printJson, printLine, printTable, textOfTime } from '../terminal/output.js';
import { type CommonOptions, withStore, withStoreOptions } from '../with-store.js';

interface RotateOptions extends CommonOptions, KeyFileOption {
  readonly algorithm?: SigningAlgorithm;
  readonly now?: boolean;
}

export function addSigningKeyCommands(program: Command, io: Io): void {
  const keys = program.command('signing-keys').description('manage the keys that the issuer signs access tokens with');

  withStoreOptions(keys.command('list').description('list all signing keys')).action(async (options: CommonOptions) => {
    const found = await withStore(io, { ...options, readOnly: true }, ({ store }) => store.describeSigningKeys());
    if (options.json) return printJson(io, { signingKeys: found });
    const rows = found.map((key) => [
      ...[key.kid, key.alg, stateOf(key, found), textOfTime(key.createdAt), textOfTime(key.retiredAt)],
    ]);
    const headings = ['KID', 'ALGORITHM', 'STATE', 'CREATED', 'RETIRED'];
    printTable(
      io,
      headings,
      rows,
      'There are no signing keys yet. The issuer creates one when it receives its first request.',
    );
  });

  withKeyFile(
    withStoreOptions(
      keys.command('rotate').description('create a new signing key; issuers start to sign with it after 24 hours'),
    ),
  )
    .addOption(
      new Option(
        '--algorithm <name>',
        'the signing algorithm; default: the algorithm of the newest key, or RS256 if there is no key',
      ).choices(SIGNING_ALGORITHMS),
    )
    .option(
      '--now',
      'retire the other signing keys, so that issuers start to sign with the new key within about 7 minutes; tokens that the other keys signed are still accepted',
    )
    .action(async (options: RotateOptions) => {
      const encryptionKeys = readEncryptionKeys(io, options.encryptionKeyFile);
      const { kid, start } = await withStore(io, { ...options, encryptionKeys }, async ({ store, operator }) => {
        const before = await store.describeSigningKeys();
        const newest = before.at(-1);
        if (before.length >= MAX_KEYS)
          throw new CliError(
            `there are ${MAX_KEYS} signing keys, which is the maximum; revoke one whose tokens have all expired before you create another`,
          );
        const algorithm = options.algorithm ?? (newest?.alg as SigningAlgorithm | undefined) ?? 'RS256';
        const made = await makeSigningKey(algorithm, Date.now());
        if (!(await store.addSigningKey(made, newest?.kid, operator))) {
          throw new CliError(
            'no signing key was created, because the signing keys were changed at the same time; to check whether you still need a new one, run: keyward signing-keys list',
          );
        }
        if (options.now) for (const key of before) await store.retireSigningKey(key.kid, operator);
        return { kid: made.kid, start: startOf(before, options.now) };
      });
      if (options.json) return printJson(io, { kid });
      printLine(io, `Signing key ${kid} was created. Issuers will start to sign with it ${start}.`);
    });

  withConfirmation(
    withStoreOptions(
      keys
        .command('revoke <kid>')
        .description('revoke a signing key, so that every token that it signed is refused; this cannot be undone'),
    ),
  ).action(async (kid: string, options: CommonOptions & ConfirmOption) => {
    await withStore(io, options, async ({ store, operator }) => {
      if (!(await store.describeSigningKeys()).some((key) => key.kid === kid)) {
        throw new CliError(
          `there is no signing key ${JSON.stringify(kid)}; to see the signing keys, run: keyward signing-keys list`,
        );
      }
      await confirm(
        io,
        options,
        `Revoke the signing key ${kid}? Every token that it signed will be refused. This cannot be undone.`,
      );
      await store.removeSigningKey(kid, operator);
    });
    if (options.json) return printJson(io, { kid });
    printLine(
      io,
      `Signing key ${kid} was revoked. For up to 11 more minutes, resource servers may still accept tokens that it signed.`,
    );
  });
}

/** When issuers start to sign with a new key. `before` are the keys that there were. */
function startOf(before: readonly SigningKeySummary[], isNow = false): string {
  if (before.length === 0) return 'within about a minute, because it is the only one';
  return isNow || before.every(isRetired) ? 'within about 7 minutes' : 'after 24 hours';
}

function stateOf(key: SigningKeySummary, keys: readonly SigningKeySummary[]): string {
  if (isRetired(key)) return 'retired';
  const scheduled = keys.map((each) => ({ ...each, createdAt: each.createdAt.getTime(), isRetired: isRetired(each) }));
  // After a change of the algorithm, issuers sign with a key of the old algorithm until the new key has been published
  // for a day.
  const signing = signingKeyOf(scheduled, key.alg, Date.now());
  return signing?.kid === key.kid ? 'signing' : 'announced';
}
