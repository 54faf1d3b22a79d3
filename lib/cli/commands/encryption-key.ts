/** `keyward encryption-key ...`: rotates the key that encrypts the signing keys in the database. */
import type { Command } from 'commander';
import { parseSymmetricKey } from '../../options/symmetric-key.js';
import { CliError, EXIT } from '../cli-error.js';
import {
  type KeyFileOption,
  makeEncryptionKey,
  readEncryptionKeys,
  withKeyFile,
  writeKeyFile,
} from '../encryption-key-file.js';
import type { Io } from '../io.js';
import { printJson, printLine, textOfCount } from '../terminal/output.js';
import { type CommonOptions, withStore, withStoreOptions } from '../with-store.js';

export function addEncryptionKeyCommands(program: Command, io: Io): void {
  const commands = program.command('encryption-key').description('rotate the key that signing keys are encrypted with');

  withKeyFile(
    commands
      .command('rotate')
      .description(
        'create a new encryption key, and keep the old one for decryption until you run "keyward encryption-key finish"',
      ),
  )
    .option('--json', 'print the result as one line of JSON')
    .action(({ encryptionKeyFile: file, json }: KeyFileOption & CommonOptions) => {
      const { texts, source, file: isFile } = readEncryptionKeys(io, file);
      // If `--encryption-key-file` names a wrong file by mistake, its content is probably not a key. Without this
      // check, the file would be overwritten.
      if (!texts.every((text) => parseSymmetricKey(text) !== undefined))
        throw new CliError(
          `${source} must contain only encryption keys, each 32 bytes in base64url (43 characters)`,
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
          ? 'Restart all processes that issue tokens, such as keyward serve, so that they read both keys. Then run: keyward encryption-key finish'
          : 'Set this variable for all processes that issue tokens, such as keyward serve, and restart them. Then set it in this shell too, and run: keyward encryption-key finish',
      );
    });

  withKeyFile(
    withStoreOptions(
      commands
        .command('finish')
        .description(
          'encrypt all signing keys with the new encryption key, and remove the old one from the encryption key file',
        ),
    ),
  ).action(async (options: CommonOptions & KeyFileOption) => {
    const encryptionKeys = readEncryptionKeys(io, options.encryptionKeyFile);
    // With the old key alone, everything would be encrypted with it again, and the message would say to remove it.
    if (encryptionKeys.texts.length < 2)
      throw new CliError(
        `the rotation of the encryption key cannot be finished, because ${encryptionKeys.source} contains only one key; expected the new key and the old one; to start a rotation, run: keyward encryption-key rotate`,
        EXIT.usage,
      );
    const count = await withStore(io, { ...options, encryptionKeys }, async ({ store, operator, databaseName }) => {
      // If `--database` was forgotten, the command may have opened a new, empty database. The old encryption key must
      // not be removed then, because the signing keys in the right database are encrypted with it.
      if ((await store.describeSigningKeys()).length === 0)
        throw new CliError(
          `there are no signing keys in ${databaseName}, so the old encryption key was kept; if this is not the database of the issuer, add --database; if it is, remove the old key (the second one) from ${encryptionKeys.source}`,
        );
      return store.reencryptSigningKeys(operator);
    });
    if (encryptionKeys.file) writeKeyFile(options.encryptionKeyFile, encryptionKeys.texts.slice(0, 1));
    if (options.json) return printJson(io, { signingKeys: count });
    printLine(io, `${textOfCount(count, 'signing key was', 'signing keys were')} encrypted with the new key.`);
    if (!encryptionKeys.file)
      printLine(
        io,
        'Now remove the old key from KEYWARD_ENCRYPTION_KEY, so that only the new key (the first one) is left.',
      );
  });
}
