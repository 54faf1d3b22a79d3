/** The credentials of a suite, made once and handed to each of its processes in a file: all measure with the same. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mintKeys } from './api-keys.js';

/** Makes a folder for them. It has to be removed. */
export function credentialFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-bench-'));
  let files = 0;
  const write = (text) => {
    files += 1;
    const file = join(folder, String(files));
    writeFileSync(file, text);
    return file;
  };
  const keep = (credentials) => write(JSON.stringify(credentials));
  return {
    /** Tokens that are known, tokens that are presented once, and tokens that must be refused. */
    tokens: (issuer, algorithm, { warm, cold = 0 }) =>
      keep({
        warm: issuer.tokens(algorithm, warm),
        cold: issuer.tokens(algorithm, cold),
        bad: issuer.bad(algorithm),
      }),
    /** The same of secret keys. The record of the last one has expired. */
    keys({ warm, cold = 0 }) {
      const [unknown, expired, ...keys] = mintKeys(2 + warm + cold);
      const bad = { 'an unknown key': unknown, 'an expired key': expired };
      return keep({ warm: keys.slice(0, warm), cold: keys.slice(warm), bad });
    },
    /** One a line, each of the same length: for a process that reads them one by one. */
    lines(credentials) {
      const length = Math.max(...credentials.map((credential) => credential.length));
      return write(credentials.map((credential) => `${credential.padEnd(length)}\n`).join(''));
    },
    minted: mintKeys,
    remove: () => rmSync(folder, { recursive: true }),
  };
}
