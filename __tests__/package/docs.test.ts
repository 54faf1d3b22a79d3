import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { compile, type Program } from '../support/compile.js';
import { codeBlocksOf, type MarkdownFile, markdownFiles, proseOf } from '../support/markdown.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

describe('the documentation', () => {
  const programs = markdownFiles.flatMap(programsOf);
  const faults = compile(programs);
  const withPrograms = markdownFiles.filter((file) => programsOf(file).length > 0);

  it.each(withPrograms.map(({ name }) => name))('%s compiles, every ts block of it', (name) => {
    expect(faults.filter((fault) => fault.startsWith(`${name}:`))).toEqual([]);
  });

  it.each(markdownFiles.map((file) => [file.name, file] as const))('%s has no broken link', (_name, file) => {
    expect(linksOf(file).filter((link) => !leadsSomewhere(file, link))).toEqual([]);
  });
});

describe('README.md', () => {
  const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { files: readonly string[] };

  it('links only to files in the package', () => {
    const packed = (link: string) => [...files, 'LICENSE'].some((name) => `${link}/`.startsWith(`${name}/`));
    const links = markdownFiles.filter(({ name }) => name === 'README.md').flatMap(linksOf);
    expect(links.map((link) => link.split('#', 1).join()).filter((path) => path !== '' && !packed(path))).toEqual([]);
  });
});

/** Each ts block with the `ts continue` blocks behind it. Each line stands where it does in the Markdown file. */
function programsOf(file: MarkdownFile): readonly Program[] {
  const programs: { line: number; text: string }[] = [];
  for (const { info, code, line } of codeBlocksOf(file)) {
    if (info !== 'ts' && info !== 'ts continue') continue;
    const last = info === 'ts continue' ? programs.pop() : undefined;
    const before = last?.text ?? '';
    const gap = '\n'.repeat(line - before.split('\n').length + 1);
    programs.push({ line: last?.line ?? line, text: before + gap + code });
  }
  // In the folder of the file, so that it finds the packages of the project; a module, whatever it says.
  return programs.map(({ line, text }) => ({
    path: join(ROOT, `${file.name}.${line}.ts`),
    text: `${text}export {};\n`,
  }));
}

/** Where the links of a file lead, but for those out of the project. */
function linksOf(file: MarkdownFile): readonly string[] {
  const targets = [...proseOf(file).matchAll(/\]\(([^()\s]+)\)|^\[[^\]]+\]:\s*(\S+)/gm)];
  return targets.map(([, inline, reference]) => inline ?? reference ?? '').filter((link) => !/^[a-z]+:/.test(link));
}

function leadsSomewhere(file: MarkdownFile, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const name = path === '' ? file.name : join(dirname(file.name), path);
  if (!existsSync(join(ROOT, name))) return false;
  if (anchor === undefined || statSync(join(ROOT, name)).isDirectory()) return anchor === undefined;
  return markdownFiles.some((target) => target.name === name && anchorsOf(target).includes(anchor));
}

/** The anchors of a file's headings, as the common viewers make them. */
function anchorsOf({ text }: MarkdownFile): readonly string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}
