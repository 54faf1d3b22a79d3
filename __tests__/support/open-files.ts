import { readdirSync, readlinkSync } from 'node:fs';

/** The files that this process has open, by their paths, which begin with the given text. Linux only. */
export function openFiles(start: string): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const file = readlinkSync(`/proc/self/fd/${fd}`);
      return file.startsWith(start) ? [file] : [];
    } catch {
      // The descriptor that read the folder is closed by now.
      return [];
    }
  });
}
