import { readdirSync, readFileSync } from 'node:fs';

/** One Markdown file of the project. */
export interface MarkdownFile {
  /** As it stands in the project: `docs/guide.md`. */
  readonly name: string;
  readonly text: string;
}

/** A fenced block of code. */
export interface CodeBlock {
  /** What stands behind the fence: `ts`, `ts continue`. */
  readonly info: string;
  readonly code: string;
  /** Lines of the file before the code. */
  readonly line: number;
}

const ROOT = new URL('../../', import.meta.url);

/** The Markdown files at the top of the project and under docs/. */
export const markdownFiles: readonly MarkdownFile[] = [
  ...readdirSync(ROOT),
  ...readdirSync(new URL('docs/', ROOT), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`),
]
  .filter((name) => name.endsWith('.md'))
  .sort()
  .map((name) => ({ name, text: readFileSync(new URL(name, ROOT), 'utf8') }));

/** The fenced blocks of code of a file, in order. */
export function codeBlocksOf({ text }: MarkdownFile): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  for (const match of text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)) {
    const [, info = '', code = ''] = match;
    blocks.push({ info: info.trim(), code, line: text.slice(0, match.index).split('\n').length });
  }
  return blocks;
}

/** The text of a file without its blocks and pieces of code. */
export function proseOf({ text }: MarkdownFile): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '');
}

/** The section of a text under a heading, down to the next heading that is no deeper. */
export function sectionOf(text: string, heading: string): string {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading);
  if (start === -1) throw new Error(`no heading "${heading}"`);
  const depth = lines[start]?.indexOf(' ') ?? 0;
  const end = lines.findIndex((line, index) => index > start && /^#+ /.test(line) && line.indexOf(' ') <= depth);
  return lines.slice(start + 1, end === -1 ? undefined : end).join('\n');
}

/** What the rows of the tables of a text are about: the code in the first cell of each. */
export function rowNamesOf(text: string): readonly string[] {
  return [...text.matchAll(/^\| \[?`([^`]+)`/gm)].map(([, name = '']) => name);
}
