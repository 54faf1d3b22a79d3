import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build, ROOT } from '../examples/built-service.js';
import { listenOnLastingPort } from '../support/lasting-port.js';
import { codeBlocksOf, markdownFiles, sectionOf } from '../support/markdown.js';

/** A block of commands of the walk, and what the page says that it prints; `undefined` where it says nothing. */
interface Step {
  readonly commands: string;
  readonly shown: string | undefined;
}

const file = markdownFiles.find(({ name }) => name === 'docs/command-line.md');
const walk = { name: 'the walk', text: sectionOf(file?.text ?? '', 'Walk through it from an empty folder') };
const blocks = codeBlocksOf(walk);
const steps: readonly Step[] = blocks.flatMap(({ info, code }, at) => {
  const next = blocks[at + 1];
  return info === 'sh' ? [{ commands: code, shown: next?.info === '' ? next.code : undefined }] : [];
});

const MARK = '=== the end of a step ===';

/** What each step printed, on standard output; and what all of them printed on standard error. */
async function runWalk(port: number, folder: string) {
  // It is built, and another program may be at the port of the page.
  const built = steps.map(({ commands }) => commands.replaceAll('3000', String(port)));
  // A person types more slowly: by then, the first uses are written.
  const typed = built.map((commands) => commands.replace(/^NEW=/m, 'sleep 6; NEW='));
  const script = typed.join(`\necho '${MARK}'\n`);
  const { KEYWARD_DATABASE: _, DATABASE_URL: __, ...env } = process.env;
  const shell = spawn('sh', ['-c', `npm() { :; }\n${script}`], { cwd: ROOT, env: { ...env, TMPDIR: folder } });
  const said = { out: '', err: '' };
  shell.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text;
  });
  shell.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.err += text;
  });
  const [code] = await once(shell, 'close');
  return { code, printed: said.out.split(`${MARK}\n`), err: said.err };
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenOnLastingPort(server);
  server.close();
  await once(server, 'close');
  return port;
}

/** What a page shows as a pattern: what differs from run to run may differ, and `…` on a line stands for more lines. */
function patternOf(shown: string): RegExp {
  const lines = shown.trimEnd().split('\n');
  const patterns = lines.map((line) =>
    line.trim() === '…'
      ? '(?:.*\\n)*?.*'
      : line
          .trim()
          .split(/\s+/)
          .map((word) => VARYING.find(([example]) => example.test(word))?.[1] ?? escaped(word))
          .join('\\s+'),
  );
  return new RegExp(`^\\s*${patterns.join('\\s*\\n\\s*')}\\s*$`);
}

const VARYING: readonly (readonly [example: RegExp, pattern: string])[] = [
  [/^\d{4}-\d\d-\d\d$/, '\\d{4}-\\d\\d-\\d\\d'],
  [/^\d\d:\d\d:\d\dZ$/, '\\d\\d:\\d\\d:\\d\\dZ'],
  [/^key_[a-z2-7]{26}$/, 'key_[a-z2-7]{26}'],
  [/^ack_[a-z2-7]{26}$/, 'ack_[a-z2-7]{26}'],
  [/^sk_…/, 'sk_…[0-9a-z]{4}'],
  [/^[0-9a-f]{16}$/, '[0-9a-f]{16}'],
  [/^cli:/, 'cli:\\S+'],
];

function escaped(word: string): string {
  return word.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** What the comments of a block say of its requests: a status, or a word of the answer. */
function expectationsOf(commands: string): readonly string[] {
  return [...commands.matchAll(/^(?:pay|curl) .*\S +# (\S[^:\n]*)/gm)].map(([, said = '']) => said.trim());
}

describe('the walkthrough in docs/command-line.md', () => {
  let folder: string;
  let result: Awaited<ReturnType<typeof runWalk>>;

  beforeAll(async () => {
    await build();
    folder = mkdtempSync(join(tmpdir(), 'keyward-walk-'));
    result = await runWalk(await freePort(), folder);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('runs from an empty folder to its end without a failing command', () => {
    expect({ code: result.code, err: result.err, steps: result.printed.length }).toEqual({
      ...{ code: 0, err: '', steps: steps.length },
    });
  });

  it('shows the use of the old secret after the rotation', () => {
    const viewed = result.printed[steps.findIndex(({ commands }) => commands.includes('keys view'))] ?? '';
    const time = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\dZ';
    const [, rotatedAt = ''] = new RegExp(`(${time})  -`).exec(viewed.slice(viewed.indexOf('SECRET'))) ?? [];
    const [, usedAt = ''] = new RegExp(`${time}  ${time}  (${time})`).exec(viewed) ?? [];
    expect(rotatedAt).not.toBe('');
    expect(usedAt >= rotatedAt).toBe(true);
  });

  it('covers the life of a key: create, call, rotate, watch, end the grace period, revoke, and view', () => {
    const commands = steps.map((step) => step.commands).join('\n');
    for (const part of [
      ...[
        'accounts put',
        'keys create',
        'access-keys create',
        'pay "$KEY"',
        'pay "$TOKEN"',
        'keys rotate',
        'keys view',
      ],
      ...['keys end-grace', 'keys revoke', 'access-keys revoke', 'audit --account'],
    ]) {
      expect(commands).toContain(part);
    }
  });

  const asking = steps
    .map((step, at) => ({ at, ...step }))
    .filter(({ commands }) => expectationsOf(commands).length > 0);
  it.each(asking)('gets the documented responses: step $at', ({ at, commands }) => {
    const lines = (result.printed[at] ?? '').trim().split(/\n/).slice(-expectationsOf(commands).length);
    expect(lines).toEqual(expectationsOf(commands).map((said) => expect.stringContaining(said)));
  });

  const showing = steps.map((step, at) => ({ at, ...step })).filter(({ shown }) => shown !== undefined);
  it.each(showing)('prints the documented output: step $at', ({ at, shown = '' }) => {
    expect(result.printed[at]).toMatch(patternOf(shown));
  });
});
