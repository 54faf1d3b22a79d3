/** The credentials of a suite, made once and handed to each of its processes in a file: all measure with the same. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mintKeys } from './api-keys.js';
import { forged } from './issuer.js';

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
    /**
     * DPoP proofs of one client, each with its token.
     *
     * @param tokenOf - The number of the token for a request: the same one for requests that find it cached.
     */
    proofs(issuer, algorithm, { client, cold, tokenOf }) {
      const tokens = new Map();
      const tokenBy = (number) => {
        const token = tokens.get(number) ?? issuer.token(algorithm, { number, cnf: client.confirmation });
        tokens.set(number, token);
        return token;
      };
      const credentialOf = (request) => client.credential(tokenBy(tokenOf(request)));
      const token = tokenBy(0);
      return keep({
        warm: [client.credential(token), client.credential(token)],
        cold: Array.from({ length: cold }, (_, request) => credentialOf(request)),
        bad: {
          'a proof for another path': client.credential(token, { htu: 'http://127.0.0.1/other' }),
          'a proof for another token': client.credential(token, { ath: 'another' }),
          'a forged proof': forged(client.credential(token)),
        },
      });
    },
    /** The same of secret keys, or of opaque tokens with another prefix. The record of the last one has expired. */
    keys({ warm, cold = 0, prefix = 'sk_' }) {
      const [unknown, expired, ...keys] = mintKeys(2 + warm + cold).map((key) => key.replace('sk_', prefix));
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
