/**
 * Asks for confirmation before a command revokes, removes or disables something. Only a person at a terminal is asked:
 * a script cannot answer.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { CliError, EXIT } from '../cli-error.js';
import type { Io } from '../io.js';
import { escapeText } from './escape-text.js';

export interface ConfirmOption {
  readonly yes?: boolean;
}

export function withConfirmation(command: Command): Command {
  return command.option('--yes', 'do not ask for confirmation');
}

/**
 * Asks a question, and returns if the answer is yes. With `--yes`, or if the input is not a terminal, it returns without
 * asking.
 *
 * @throws CliError for any other answer, and if the person at the terminal would not see the question.
 */
export async function confirm({ stdin, stderr }: Io, { yes }: ConfirmOption, question: string): Promise<void> {
  if (yes || stdin.isTTY !== true) return;
  if (!stderr.isTerminal)
    throw new CliError(
      'this command asks for confirmation, but standard error is not a terminal; add --yes, or do not redirect standard error',
      EXIT.usage,
    );
  stderr.write(`${escapeText(question)} [y/N] `);
  const lines = createInterface({ input: stdin });
  const [answer] = await Promise.race([once(lines, 'line'), once(lines, 'close')]);
  lines.close();
  if (!/^y(?:es)?$/i.test(String(answer ?? '').trim()))
    throw new CliError('the command was not confirmed, so nothing was changed');
}
