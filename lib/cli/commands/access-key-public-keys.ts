/**
 * `keyward access-keys add-public-key` and `remove-public-key`: the public keys with which a client authenticates
 * instead of a secret (`private_key_jwt`).
 */
import { readFile, stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { CliError, EXIT, readErrorOf } from '../cli-error.js';
import type { Io } from '../io.js';
import { type ConfirmOption, confirm, withConfirmation } from '../terminal/confirm.js';
import { type CommonOptions, withStore, withStoreOptions } from '../with-store.js';
import { printKey } from './shared-key-commands.js';

/** Maximum size of a public key file in bytes. */
const MAX_BYTES = 16_384;

export function addPublicKeyCommands(keys: Command, io: Io): void {
  withStoreOptions(
    keys
      .command('add-public-key <id> <file>')
      .description(
        'add a public key (PEM or JWK) to an access key, so that the client can authenticate without a secret',
      ),
  ).action(async (id: string, file: string, options: CommonOptions) => {
    const publicKey = await readKeyFile(file);
    const key = await withStore(io, options, async ({ management, memberOfKey }) =>
      management.accessKeys.addPublicKey(await memberOfKey(id), id, publicKey),
    );
    printKey(io, options, key);
  });

  withConfirmation(
    withStoreOptions(
      keys
        .command('remove-public-key <id> <kid>')
        .description(
          'remove a public key from an access key; "keyward access-keys view" shows the kid of each public key',
        ),
    ),
  ).action(async (id: string, kid: string, options: CommonOptions & ConfirmOption) => {
    const key = await withStore(io, options, async ({ management, memberOfKey }) => {
      const member = await memberOfKey(id);
      await confirm(
        io,
        options,
        `Remove the public key ${kid} from the access key ${id}? The client will no longer be able to authenticate with this public key.`,
      );
      return await management.accessKeys.removePublicKey(member, id, kid);
    });
    printKey(io, options, key);
  });
}

async function readKeyFile(file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size <= MAX_BYTES) return await readFile(file, 'utf8');
  } catch (error) {
    throw readErrorOf(file, error);
  }
  throw new CliError(`${file} is too large for a public key; expected at most ${MAX_BYTES} bytes`, EXIT.usage);
}
