/**
 * `keyward signing-keys ...` manages the keys that sign access tokens. `keyward encryption-key ...` rotates the key
 * that encrypts the signing keys in the database.
 */
import { type Command, Option } from 'commander';
import { MAX_KEYS, signingKeyOf } from '../../issuer/signing-keys/key-schedule.js';
import {
  isRetired,
  makeSigningKey,
  SIGNING_ALGORITHMS,
  type SigningAlgorithm,
} from '../../issuer/signing-keys/signing-key.js';
import { parseSecretKey } from '../../options/secret-key.js';
import type { SigningKeySummary } from '../../store/signing-keys/signing-keys.js';
import { makeEncryptionKey, readEncryptionKeys, writeKeyFile } from '../encryption-keys.js';
import { CliError, EXIT, type Io } from '../io.js';
import { type ConfirmOption, confirm, withConfirmation } from '../terminal/confirm.js';
import { printJson, printLine, printTable, textOfCount, textOfTime } from '../terminal/output.js';
import { type CommonOptions, withStore, withStoreOptions } from '../with-store.js';

interface KeyFileOption {
  readonly encryptionKeyFile: string;
}

interface RotateOptions extends CommonOptions, KeyFileOption {
  readonly algorithm?: SigningAlgorithm;
  readonly now?: boolean;
}

export function addSigningKeyCommands(program: Command, io: Io): void {
  const keys = program.command('signing-keys').description('manage the keys that the issuer signs access tokens with');

  withStoreOptions(keys.command('list').description('show every signing key')).action(
    async (options: CommonOptions) => {
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
        'There are no signing keys yet. The issuer creates the first signing key at its first request.',
      );
    },
  );

  withKeyFile(
    withStoreOptions(
      keys.command('rotate').description('create a new signing key; issuers sign with it after 24 hours'),
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
      'retire the other signing keys, so that issuers sign with the new key within about seven minutes; tokens that the other keys signed are still accepted',
    )
    .action(async (options: RotateOptions) => {
      const encryptionKeys = readEncryptionKeys(io, options.encryptionKeyFile);
      const kid = await withStore(io, { ...options, encryptionKeys }, async ({ store, operator }) => {
        const before = await store.describeSigningKeys();
        const newest = before.at(-1);
        if (before.length >= MAX_KEYS)
          throw new CliError(
            `there are ${MAX_KEYS} signing keys, which is the maximum; revoke one before you create another`,
          );
        const algorithm = options.algorithm ?? (newest?.alg as SigningAlgorithm | undefined) ?? 'RS256';
        const made = await makeSigningKey(algorithm, Date.now());
        if (!(await store.addSigningKey(made, newest?.kid, operator))) {
          throw new CliError(
            'another signing key was created at the same time; before you try again, run: keyward signing-keys list',
          );
        }
        if (options.now) for (const key of before) await store.retireSigningKey(key.kid, operator);
        return made.kid;
      });
      if (options.json) return printJson(io, { kid });
      printLine(
        io,
        `Signing key ${kid} was created. Issuers will start to sign with it ${options.now ? 'within about seven minutes' : 'after 24 hours'}.`,
      );
    });

  withConfirmation(
    withStoreOptions(
      keys
        .command('revoke <kid>')
        .description('revoke the signing key, so that every token that it signed is refused; this cannot be undone'),
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
    printLine(io, `Signing key ${kid} was revoked. Resource servers will refuse its tokens within 11 minutes.`);
  });
}

export function addEncryptionKeyCommands(program: Command, io: Io): void {
  const commands = program.command('encryption-key').description('rotate the key that signing keys are encrypted with');

  withKeyFile(
    commands
      .command('rotate')
      .description(
        'create a new encryption key, and keep the old one for decryption until you run "keyward encryption-key finish"',
      ),
  )
    .option('--json', 'print JSON, with one object per line')
    .action(({ encryptionKeyFile: file, json }: KeyFileOption & CommonOptions) => {
      const { texts, source, file: isFile } = readEncryptionKeys(io, file);
      // If `--encryption-key-file` names a wrong file by mistake, its content is probably not a key. Without this
      // check, the file would be overwritten.
      if (!texts.every((text) => parseSecretKey(text) !== undefined))
        throw new CliError(
          `${source} does not contain an encryption key; expected 32 bytes in base64url (43 characters)`,
          EXIT.usage,
        );
      if (texts.length > 1)
        throw new CliError(
          'a rotation of the encryption key is in progress; to finish it, run: keyward encryption-key finish',
        );
      const both = [makeEncryptionKey(), ...texts];
      if (isFile) writeKeyFile(file, both);
      if (json) return printJson(io, isFile ? { file } : { encryptionKey: both.join(',') });
      printLine(
        io,
        isFile
          ? `${file} now contains a new encryption key, followed by the old one.`
          : `KEYWARD_ENCRYPTION_KEY=${both.join(',')}`,
      );
      printLine(
        io,
        isFile
          ? 'Restart every process that issues tokens, such as keyward serve, so that it reads both keys. Then run: keyward encryption-key finish'
          : 'Set this variable for every process that issues tokens, such as keyward serve, and restart them. Then run: keyward encryption-key finish',
      );
    });

  withKeyFile(
    withStoreOptions(
      commands
        .command('finish')
        .description('encrypt all signing keys with the new encryption key, and remove the old encryption key'),
    ),
  ).action(async (options: CommonOptions & KeyFileOption) => {
    const encryptionKeys = readEncryptionKeys(io, options.encryptionKeyFile);
    const count = await withStore(io, { ...options, encryptionKeys }, async ({ store, operator, databaseName }) => {
      // If `--database` was forgotten, the command may have opened a new, empty database. The old encryption key must
      // not be removed then, because the signing keys in the right database are encrypted with it.
      if ((await store.describeSigningKeys()).length === 0)
        throw new CliError(
          `there are no signing keys in ${databaseName}, so the old encryption key was kept; check that --database names the database of the issuer, and if it does, remove the old key yourself`,
        );
      return store.reencryptSigningKeys(operator);
    });
    if (encryptionKeys.file) writeKeyFile(options.encryptionKeyFile, encryptionKeys.texts.slice(0, 1));
    if (options.json) return printJson(io, { signingKeys: count });
    printLine(io, `${textOfCount(count, 'signing key was', 'signing keys were')} encrypted with the new key.`);
    if (!encryptionKeys.file)
      printLine(io, 'Now remove the old key from KEYWARD_ENCRYPTION_KEY, so that only the first key is left.');
  });
}

function withKeyFile(command: Command): Command {
  return command.option(
    '--encryption-key-file <path>',
    'the file with the encryption key; ignored if KEYWARD_ENCRYPTION_KEY is set',
    './keyward.key',
  );
}

function stateOf(key: SigningKeySummary, keys: readonly SigningKeySummary[]): string {
  if (isRetired(key)) return 'retired';
  const scheduled = keys.map((each) => ({ ...each, createdAt: each.createdAt.getTime(), isRetired: isRetired(each) }));
  // After a change of the algorithm, issuers sign with a key of the old algorithm until the new key has been published
  // for a day.
  const signing = signingKeyOf(scheduled, key.alg, Date.now());
  return signing?.kid === key.kid ? 'signing' : 'announced';
}
