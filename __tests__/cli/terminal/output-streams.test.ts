import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createOutput } from '../../../lib/cli/terminal/output-streams.js';

type Stream = Parameters<typeof createOutput>[0];

let folder: string;
let open: number[];
const fileOf = (name: string) => {
  const descriptor = openSync(name, 'a');
  open.push(descriptor);
  return descriptor;
};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyward-output-'));
  open = [];
});
afterEach(() => {
  for (const descriptor of open) closeSync(descriptor);
  rmSync(folder, { recursive: true });
});

/** A stream of a process that collects what is written, or fails. */
function stream(fd: number, { isTTY, failures = [] }: { isTTY?: boolean; failures?: readonly Error[] } = {}) {
  const texts: string[] = [];
  let writes = 0;
  const writable = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      texts.push(text);
      writes += 1;
      done(failures[writes - 1]);
    },
  });
  return { texts, writable, output: createOutput(Object.assign(writable, { fd, isTTY }) as unknown as Stream) };
}

describe('output to a file', () => {
  it('is written at once, and not to the stream', async () => {
    const file = join(folder, 'out');
    const { output, texts } = stream(fileOf(file));
    expect(output.isTerminal).toBe(false);
    output.write('one\n');
    expect(readFileSync(file, 'utf8')).toBe('one\n');
    output.write('zwölf\n');
    output.write('');
    await expect(output.flush()).resolves.toBeUndefined();
    expect(readFileSync(file, 'utf8')).toBe('one\nzwölf\n');
    expect(texts).toEqual([]);
  });

  it('rejects with the first error when it is flushed', async () => {
    const { output } = stream(fileOf('/dev/full'));
    expect(() => output.write('one\n')).not.toThrow();
    closeSync(open.pop() ?? 0);
    output.write('two\n');
    await expect(output.flush()).rejects.toMatchObject({ code: 'ENOSPC' });
  });

  it('may be a device that takes everything', async () => {
    const { output, texts } = stream(fileOf('/dev/null'));
    output.write('one\n');
    await expect(output.flush()).resolves.toBeUndefined();
    expect(texts).toEqual([]);
  });
});

describe('output to a terminal', () => {
  it('is written to the stream', async () => {
    const { output, texts } = stream(fileOf('/dev/null'), { isTTY: true });
    expect(output.isTerminal).toBe(true);
    output.write('one\n');
    await expect(output.flush()).resolves.toBeUndefined();
    expect(texts.join('')).toBe('one\n');
  });

  it('is written by the method that the stream had before', async () => {
    const { output, texts, writable } = stream(fileOf('/dev/null'), { isTTY: true });
    writable.write = () => {
      throw new Error('replaced');
    };
    output.write('one\n');
    await output.flush();
    expect(texts.join('')).toBe('one\n');
  });

  it('rejects with the first error when it is flushed, and does not end the process', async () => {
    const [first, second] = [new Error('first'), new Error('second')];
    const { output } = stream(fileOf('/dev/null'), { isTTY: true, failures: [first, second] });
    output.write('one\n');
    await new Promise(setImmediate);
    await expect(output.flush()).rejects.toBe(first);
    await expect(output.flush()).rejects.toBe(first);
  });

  it('rejects with the error of its last write', async () => {
    const failure = new Error('closed');
    const { output } = stream(fileOf('/dev/null'), { isTTY: true, failures: [failure] });
    await expect(output.flush()).rejects.toBe(failure);
  });
});
