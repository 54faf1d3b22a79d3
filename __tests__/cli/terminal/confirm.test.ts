import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import type { Io } from '../../../lib/cli/io.js';
import { confirm, withConfirmation } from '../../../lib/cli/terminal/confirm.js';
import { outputInto } from '../../support/command-line.js';

interface Setting {
  readonly answer?: string;
  readonly inputIsTerminal?: boolean | undefined;
  readonly errorIsTerminal?: boolean;
  readonly yes?: boolean;
}

/** What a person is asked who answers with a line, and whether the command goes on. */
async function asked({ answer = '', inputIsTerminal = true, errorIsTerminal = true, yes }: Setting) {
  const question: string[] = [];
  const io: Io = {
    env: {},
    stdin: Object.assign(Readable.from([answer]), { isTTY: inputIsTerminal }),
    stdout: outputInto([]),
    stderr: { ...outputInto(question), isTerminal: errorIsTerminal },
  };
  const option = yes === undefined ? {} : { yes };
  const error: unknown = await confirm(io, option, 'Revoke "a\nb"?').catch((failure: unknown) => failure);
  return { question: question.join(''), error };
}

describe('a command that revokes a key', () => {
  it.each(['y\n', 'Y\n', 'yes\n', 'YES\n', '  yes  \n', 'yes'])('goes on after the answer %j', async (answer) => {
    expect(await asked({ answer })).toEqual({ question: 'Revoke "a\\nb"? [y/N] ', error: undefined });
  });

  it.each(['\n', '', 'n\n', 'no\n', 'ye\n', 'yess\n', 'ayes\n', 'yes no\n', 'n\ny\n'])(
    'changes nothing after the answer %j',
    async (answer) => {
      const { question, error } = await asked({ answer });
      expect(question).toBe('Revoke "a\\nb"? [y/N] ');
      expect(error).toMatchObject({
        message: 'the command was not confirmed, so nothing was changed',
        exitCode: 1,
      });
    },
  );

  it.each([
    { yes: true },
    { inputIsTerminal: false },
    { inputIsTerminal: undefined as boolean | undefined, yes: true },
    { yes: true, errorIsTerminal: false },
    { inputIsTerminal: false, errorIsTerminal: false },
  ])('does not ask with %j', async (setting) => {
    expect(await asked({ answer: 'n\n', ...setting })).toEqual({ question: '', error: undefined });
  });

  it.each([undefined, false])('ends if the person would not see the question (yes: %p)', async (yes) => {
    const { question, error } = await asked({
      answer: 'y\n',
      errorIsTerminal: false,
      ...(yes === undefined ? {} : { yes }),
    });
    expect(question).toBe('');
    expect(error).toMatchObject({
      message:
        'this command asks for confirmation, but standard error is not a terminal; add --yes, or do not redirect standard error',
      exitCode: 2,
    });
  });

  it('has the option --yes', () => {
    const command = withConfirmation(new Command());
    expect(command.options.map(({ flags, description }) => [flags, description])).toEqual([
      ['--yes', 'do not ask for confirmation'],
    ]);
  });
});
