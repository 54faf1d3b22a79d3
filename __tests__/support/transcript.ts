/**
 * Commands and all that they print, as texts for snapshots. The clock is fixed, one minute later for each command, and random ids,
 * secrets and cursors are replaced by numbers of the same length, in the order in which they are printed first. A hint is
 * printed as `sk_~1...`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, jest } from '@jest/globals';
import { runCli } from '../../lib/cli/program.js';
import { outputInto } from './command-line.js';
import { START } from './manual-clock.js';
import { placesOf, type TestPlace } from './test-stores.js';

export interface Transcript {
  /** Runs a command; its text is the command line, standard output, standard error and the exit code. */
  run(...args: string[]): Promise<string>;
  /** Runs a command for people, and then with `--json`. */
  both(...args: string[]): Promise<string>;
  /** Runs a command whose standard input has this text; `onTerminal` if a person types it. */
  runWith(stdin: string, args: readonly string[], onTerminal?: boolean): Promise<string>;
  /** Runs a command with `--json`, which has to end with 0, and returns what it prints, with its random values. */
  json<T>(...args: string[]): Promise<T>;
}

/** Commands on a database that is new for each test, with a folder for files, which is printed as `FOLDER`. */
export interface DatabaseTranscript extends Transcript {
  /** The URL of the database. */
  readonly url: string;
  readonly folder: string;
  /** The same database and folder, with more environment variables. */
  withVariables(env: Readonly<Record<string, string>>): Transcript;
}

const MINUTE = 60_000;

/** What is random in the output: keys, ids of keys, client secrets, thumbprints, digests, hints and cursors. */
const RANDOM = [
  /\b(?:sk|pk)_(?:sbox_)?[a-z2-7]{27}\b/,
  /\b(?:key|ack)_[a-z2-7]{26}\b/,
  /(?<![\w-])[\w-]{86}(?![\w-])/,
  /(?<![\w-])[\w-]{43}(?![\w-])/,
  /\b[0-9a-f]{16}\b/,
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/,
  /(?<=\u2026)[\w-]{4}(?![\w-])/,
  /(?<=--after |"next":")[\w-]{16,}/,
];
const EVERY_RANDOM = new RegExp(RANDOM.map(({ source }) => source).join('|'), 'g');

/** Only the clock of dates is replaced: the store waits with real timers. */
const REAL_TIMERS = [
  ...(['nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout'] as const),
  ...(['setInterval', 'clearInterval', 'performance', 'hrtime'] as const),
];

/** Fixes the clock until `jest.useRealTimers()`. */
export function fixClock(now = START): void {
  jest.useFakeTimers({ now, doNotFake: [...REAL_TIMERS] });
}

/**
 * @param places - Texts that differ from run to run, such as a folder, and what is printed for them.
 */
export function transcriptOn(
  env: Readonly<Record<string, string>>,
  places: Readonly<Record<string, string>> = {},
): Transcript {
  const placeholders = new Map<string, string>();
  const user = new RegExp(`\\bcli:${userInfo().username}\\b`, 'g');

  function placeholderOf(random: string): string {
    const known = placeholders.get(random);
    if (known !== undefined) return known;
    const prefix = /^(?:(?:sk|pk)_(?:sbox_)?|(?:key|ack)_)/.exec(random)?.[0] ?? '';
    const number = String(placeholders.size + 1);
    const made = (prefix + number).padEnd(random.length, '.');
    placeholders.set(random, made);
    return made;
  }

  function fixed(text: string): string {
    const named = Object.entries(places).reduce((all, [place, name]) => all.replaceAll(place, name), text);
    return (
      named
        .replace(EVERY_RANDOM, placeholderOf)
        .replace(user, 'cli:kim')
        // One ASCII character for one, so that columns stay aligned.
        .replaceAll('\u2026', '~')
        .replace(/[^\n -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
    );
  }

  async function ran(stdin: string, args: readonly string[], isTerminal: boolean) {
    jest.setSystemTime(Date.now() + MINUTE);
    const [out, err]: [string[], string[]] = [[], []];
    const code = await runCli(args, {
      stdin: Object.assign(Readable.from([stdin]), { isTTY: isTerminal }),
      stdout: outputInto(out),
      stderr: { ...outputInto(err), isTerminal },
      env,
    });
    return { code, out: out.join(''), err: err.join('') };
  }

  async function runWith(stdin: string, args: readonly string[], onTerminal = false): Promise<string> {
    const { code, out, err } = await ran(stdin, args, onTerminal);
    const command = ['$ keyward', ...args.map((arg) => (/^[\w./:=,@{}-]+$/.test(arg) ? arg : JSON.stringify(arg)))];
    const said = err === '' ? '' : `[standard error]\n${err}${err.endsWith('\n') ? '' : '\n'}`;
    return fixed(`${command.join(' ')}\n${out}${said}[exit code ${code}]`);
  }

  const run = (...args: string[]) => runWith('', args);

  return {
    runWith,
    run,
    both: async (...args) => `${await run(...args)}\n${await run(...args, '--json')}`,
    async json(...args) {
      const { code, out, err } = await ran('', [...args, '--json'], false);
      if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${err}`);
      return JSON.parse(out);
    },
  };
}

/** Fixes the clock, and makes an SQLite database and a folder for each test. Call it once, at the top of a test file. */
export function transcriptOnDatabase(): DatabaseTranscript {
  let place: TestPlace;
  let folder: string;
  let transcript: Transcript;

  const withVariables = (env: Readonly<Record<string, string>>) =>
    transcriptOn({ KEYWARD_DATABASE: place.url, ...env }, { [place.url]: 'file:keyward.db', [folder]: 'FOLDER' });

  beforeEach(async () => {
    fixClock();
    place = await placesOf.SQLite();
    folder = mkdtempSync(join(tmpdir(), 'keyward-transcript-'));
    transcript = withVariables({});
  });

  afterEach(async () => {
    jest.useRealTimers();
    rmSync(folder, { recursive: true, force: true });
    await place.remove();
  });

  return {
    get url() {
      return place.url;
    },
    get folder() {
      return folder;
    },
    withVariables,
    run: (...args) => transcript.run(...args),
    both: (...args) => transcript.both(...args),
    runWith: (...args) => transcript.runWith(...args),
    json: (...args) => transcript.json(...args),
  };
}
