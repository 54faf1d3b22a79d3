import { expect, it } from '@jest/globals';
import { progressOn } from '../../../lib/cli/terminal/progress.js';
import { outputInto } from '../../support/command-line.js';

it.each([
  [true, ['\r\u001b[Kone', '\r\u001b[Ktwo', '\r\u001b[K']],
  [false, []],
])('progress on a terminal (%p) is written in one line', (isTerminal, expected) => {
  const texts: string[] = [];
  const progress = progressOn({ ...outputInto(texts), isTerminal });
  progress.show('one');
  progress.show('two');
  progress.clear();
  expect(texts).toEqual(expected);
});
