/**
 * Writes to standard output and standard error. A write error is stored until `flush` is called, which rejects with it.
 */
import { fstatSync, writeSync } from 'node:fs';
import type { Output } from '../io.js';

type Stream = (typeof process)['stdout'] | (typeof process)['stderr'];

export function createOutput(stream: Stream): Output {
  const isTerminal = stream.isTTY === true;
  return isTerminal || !isFile(stream.fd) ? streamOutput(stream, isTerminal) : fileOutput(stream.fd);
}

function isFile(descriptor: number): boolean {
  // With `bigint`, because a plain `fstatSync` fills a buffer that `realpathSync` of Node 20 reads later by mistake. If
  // standard error is a pipe, symbolic links to packages, as pnpm makes them, would then not be resolved.
  const status = fstatSync(descriptor, { bigint: true });
  return status.isFile() || status.isCharacterDevice();
}

function streamOutput(stream: Stream, isTerminal: boolean): Output {
  let failure: Error | undefined;
  // `main.ts` replaces the method later.
  const write = stream.write.bind(stream);
  // Without a listener, a write error would end the process.
  stream.on('error', (error) => {
    failure ??= error;
  });
  return {
    isTerminal,
    write: (text) => void write(text),
    flush: () =>
      new Promise((resolve, reject) => {
        write('', (error) => {
          failure ??= error ?? undefined;
          if (failure === undefined) resolve();
          else reject(failure);
        });
      }),
  };
}

/**
 * Makes an output for a file or a device such as `/dev/null`. On a nearly full disk, only a part of a text may be
 * written, without an error. A stream of Node would not notice this, so the number of written bytes is checked here.
 */
function fileOutput(descriptor: number): Output {
  let failure: unknown;
  return {
    isTerminal: false,
    write(text) {
      try {
        for (let rest = Buffer.from(text); rest.length > 0; ) rest = rest.subarray(writeSync(descriptor, rest));
      } catch (error) {
        failure ??= error;
      }
    },
    async flush() {
      if (failure !== undefined) throw failure;
    },
  };
}
