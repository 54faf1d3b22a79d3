/** The text below the help of a command. */
import type { AddHelpTextContext } from 'commander';

/** Where the width of the terminal is not known. */
const COLUMNS = 80;

/**
 * Wraps paragraphs to the width of the terminal, as Commander does with the text above them. An example below them is a
 * text of its own, because a command that is copied must not have line breaks.
 *
 * @returns The second argument of `addHelpText`.
 */
export function wrapped(...paragraphs: readonly string[]) {
  return ({ command }: AddHelpTextContext): string => {
    const width = command.configureOutput().getOutHelpWidth?.() ?? COLUMNS;
    const help = command.createHelp();
    return `\n${paragraphs.map((paragraph) => help.boxWrap(paragraph, width)).join('\n')}`;
  };
}
