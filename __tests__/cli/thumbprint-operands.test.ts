import { describe, expect, it } from '@jest/globals';
import { Option } from 'commander';
import { splitThumbprints } from '../../lib/cli/thumbprint-operands.js';

const ID = `-${'x'.repeat(42)}`;
const options = [new Option('--subject <id>'), new Option('--color [when]'), new Option('-y, --yes')];

describe('splitThumbprints', () => {
  it.each([
    ['an ID alone', [ID], [ID]],
    ['an ID after an operand', ['ack_1', ID], [ID]],
    ['an ID after a switch', ['--yes', ID], [ID]],
    ['an ID after the short form of a switch', ['-y', ID], [ID]],
    ['an ID before an option', [ID, '--yes'], [ID]],
    ['two IDs', [ID, ID], [ID, ID]],
    ['an ID of hyphens', ['-'.repeat(43)], ['-'.repeat(43)]],
    ['the value of an option', ['--subject', ID], []],
    ['the optional value of an option', ['--color', ID], []],
    ['an ID after an option that is unknown', ['--other', ID], []],
    ['an ID after --', ['--', ID], []],
    ['an ID after an operand after --', ['--', 'ack_1', ID], []],
    ['an ID before --', [ID, '--', 'ack_1'], [ID]],
    ['an argument with an ID at its end', [`x${ID}`], []],
    ['an argument that is longer', [`${ID}x`], []],
    ['an argument that is shorter', [ID.slice(1)], []],
    ['an option with a value', [`--${'x'.repeat(38)}=y`], []],
    ['an ID that begins with a letter', ['x'.repeat(43)], []],
  ])('%s', (_what, args, thumbprints) => {
    const others = args.filter((arg) => !(thumbprints as readonly string[]).includes(arg));
    expect(splitThumbprints(args, options)).toEqual({ thumbprints, others });
  });
});
