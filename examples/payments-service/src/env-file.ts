/** A file that loads the credentials of the demo into a shell: `eval "$(cat keyward.demo.env)"`. */
import { writeSecretFile } from './secret-file.js';
import type { Demo } from './welcome.js';

/** @returns The path of the file. */
export function writeEnvFile(beside: string, demo: Demo): string {
  const path = `${beside}.demo.env`;
  const variables = {
    API: demo.baseUrl,
    KEY: demo.secretAll,
    DISPUTES_KEY: demo.secretDisputes,
    PUBLIC_KEY: demo.public,
    CLIENT_ID: demo.accessKeyId,
    CLIENT_SECRET: demo.accessKeySecret,
    TOKEN: demo.accessToken,
  };
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'`);
  writeSecretFile(path, `${lines.join('\n')}\n`);
  return path;
}
