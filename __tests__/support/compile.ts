import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** A program that is in no file. Its path ends with `.<line>.ts`, which messages leave out. */
export interface Program {
  readonly path: string;
  readonly text: string;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Compiles programs with the project's own options, against the sources. One line a fault: `docs/guide.md:12: …`. */
export function compile(programs: readonly Program[]): readonly string[] {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  // What a reader would only use further on is no fault of an example.
  const lenient = { ...options, noUnusedLocals: false, noUnusedParameters: false };
  const host = ts.createCompilerHost(lenient);
  const texts = new Map(programs.map(({ path, text }) => [path, text]));
  const { readFile, fileExists, getSourceFile } = host;
  host.readFile = (path) => texts.get(path) ?? readFile(path);
  host.fileExists = (path) => texts.has(path) || fileExists(path);
  host.getSourceFile = (path, how, ...rest) => {
    const text = texts.get(path);
    return text === undefined ? getSourceFile(path, how, ...rest) : ts.createSourceFile(path, text, how, true);
  };
  const program = ts.createProgram([...texts.keys()], lenient, host);
  return programs.flatMap(({ path }) => {
    const source = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ start = 0, messageText }) => {
        const line = (source?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
        const name = path.slice(ROOT.length).replace(/\.\d+\.ts$/, '');
        return `${name}:${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
      },
    );
  });
}
