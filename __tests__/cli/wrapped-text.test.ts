import { expect, it } from '@jest/globals';
import { type AddHelpTextContext, Command } from 'commander';
import { wrapped } from '../../lib/cli/wrapped-text.js';

const WORDS = Array.from({ length: 30 }, (_, at) => `word${at}`).join(' ');
const linesAt = (width: number | undefined, ...paragraphs: string[]) => {
  const command = new Command();
  if (width !== undefined) command.configureOutput({ getOutHelpWidth: () => width });
  const context: AddHelpTextContext = { error: false, command };
  return wrapped(...paragraphs)(context).split('\n');
};

it.each([40, 60, 120])('a text below a help is wrapped to a terminal of %d columns', (width) => {
  const [first, ...lines] = linesAt(width, WORDS);
  expect(first).toBe('');
  expect(lines.join(' ')).toBe(WORDS);
  for (const [at, line] of lines.entries()) {
    expect(line.length).toBeLessThanOrEqual(width);
    const next = lines[at + 1]?.split(' ')[0];
    if (next !== undefined) expect(`${line} ${next}`.length).toBeGreaterThan(width);
  }
});

it('a text below a help is wrapped to 80 columns if the width is not known', () => {
  expect(linesAt(undefined, WORDS)).toEqual(linesAt(80, WORDS));
  expect(linesAt(undefined, WORDS)).not.toEqual(linesAt(79, WORDS));
  const unknown = new Command();
  unknown.configureOutput = () => ({}) as never;
  expect(wrapped(WORDS)({ error: false, command: unknown })).toBe(linesAt(80, WORDS).join('\n'));
});

it('each paragraph below a help begins on a line of its own', () => {
  expect(linesAt(80, 'one', 'two')).toEqual(['', 'one', 'two']);
});
