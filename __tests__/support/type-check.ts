import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { written } from './audited.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FILE = join(ROOT, '__tests__', 'written-by-a-user.ts');

const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, { ...ts.sys, readDirectory: () => [] }, ROOT);
options.paths = { ...options.paths, express: [`./node_modules/@types/${written('express', 'express4')}/index.d.ts`] };

// What programs share, they read once.
const parsed = new Map<string, ts.SourceFile | undefined>();

/**
 * What the compiler says of a file that a user may write, by itself: each program has only the declarations that this
 * file imports. The types of Express are those of the version under test.
 */
export function complaintsAbout(source: string): readonly string[] {
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === FILE || fileExists(name);
  host.getSourceFile = (name, languageVersion) => {
    if (name === FILE) return ts.createSourceFile(name, source, languageVersion);
    if (!parsed.has(name)) parsed.set(name, getSourceFile(name, languageVersion));
    return parsed.get(name);
  };
  const program = ts.createProgram([FILE], options, host);
  const file = program.getSourceFile(FILE);
  return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
    ({ code, messageText }) => `TS${code}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
  );
}
