/**
 * Writes docs/mutation/<part>.md: the figures of the report that Stryker left, and what is known of each mutant that survived. A mutant
 * that survives on Express 5 and is detected on Express 4, if the part was run there before, counts as detected. Exits 1 if too few are
 * detected, or if one survived that nobody has judged: it goes into scripts/judged-mutants.json, or a test detects it. A run on
 * Express 4 has no page of its own.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { bound, express, folders, name, tests, without } from './mutation-part.js';

if (express !== '5') process.exit(0);

const read = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const { files } = read(`../reports/mutation/${name}.json`);
const judgements = read('judged-mutants.json');

const DETECTED = ['Killed', 'Timeout'];
const SURVIVED = ['Survived', 'NoCoverage'];

const onExpress4 = `../reports/mutation/${name}-express-4.json`;
const isOnBoth = existsSync(new URL(onExpress4, import.meta.url));
if (isOnBoth) takeDetected(read(onExpress4).files);

const counted = (mutants, states) => mutants.filter(({ status }) => states.includes(status)).length;
const rows = Object.entries(files)
  .map(([file, { source, mutants }]) => ({ file, mutants, lines: source.split('\n') }))
  .sort((one, other) => (one.file < other.file ? -1 : 1));
const survivors = rows.flatMap(({ file, mutants, lines }) =>
  mutants.filter(({ status }) => SURVIVED.includes(status)).map((mutant) => survivorOf(file, mutant, lines)),
);
const unjudged = survivors.filter(({ why }) => why === undefined);

const groups = [...new Set(rows.map(({ file }) => file.split('/').slice(0, 2).join('/')))];
const every = rows.flatMap(({ mutants }) => mutants);
mkdirSync(new URL('../docs/mutation/', import.meta.url), { recursive: true });
writeFileSync(
  new URL(`../docs/mutation/${name}.md`, import.meta.url),
  `# Mutants of ${name}

For contributors. Written by \`KEYWARD_MUTATION=${name} npm run mutation\`, which [the page on mutation](../mutation.md) explains: mutants
of ${sourceOf()}, tried by the tests of ${sentenceOf(tests.map(code))}${isOnBoth ? ', on Express 5 and 4' : ''}. At least ${bound} % must be detected.

## Figures

| | mutants tried | detected | not detected | detected, in % |
| --- | ---: | ---: | ---: | ---: |
${[
  ...groups.map((group) =>
    figuresOf(
      `\`${group}\``,
      rows.filter(({ file }) => file.startsWith(`${group}/`)).flatMap(({ mutants }) => mutants),
    ),
  ),
  figuresOf('all', every),
].join('\n')}

${counted(every, ['RuntimeError', 'CompileError'])} more broke the code so that it could not be loaded, and are not counted.

## What no test detects, and why

Line by line: what the code says, what it was changed to, and why no test can detect it.
${groups.map(sectionOf).join('\n')}`,
);

const tried = counted(every, DETECTED) + survivors.length;
process.stdout.write(
  `${counted(every, DETECTED)} of ${tried} mutants detected, ${survivors.length} survived, ${unjudged.length} of them not judged\n`,
);
for (const { file, line, change } of unjudged) process.stdout.write(`  ${file}:${line}: ${change}\n`);
if (unjudged.length > 0 || (100 * counted(every, DETECTED)) / tried < bound) process.exitCode = 1;

/** Counts the mutants that another report detected as detected, if both are reports of the same source. */
function takeDetected(others) {
  for (const [file, { source, mutants }] of Object.entries(files)) {
    if (others[file]?.source !== source) throw new Error(`${file} has changed between the runs on Express 5 and 4`);
    const detected = new Set(others[file].mutants.filter(({ status }) => DETECTED.includes(status)).map(keyOf));
    for (const mutant of mutants) {
      if (SURVIVED.includes(mutant.status) && detected.has(keyOf(mutant))) mutant.status = 'Killed';
    }
  }
}

function keyOf({ location: { start, end }, mutatorName, replacement }) {
  return JSON.stringify([start, end, mutatorName, replacement]);
}

function survivorOf(file, { location: { start, end }, replacement = '' }, lines) {
  const [first] = lines[start.line - 1]
    .slice(start.column - 1, start.line === end.line ? end.column - 1 : undefined)
    .split('\n');
  const from = start.line === end.line ? first : `${first.trim()} …`;
  const [to, ...more] = replacement.split('\n');
  const change = `${from} → ${more.length === 0 ? to : `${to.trim()} …`}`;
  const text = lines[start.line - 1].trim();
  const judged = judgements.find((one) => one.file === file && one.line === text && one.changes.includes(change));
  return { file, line: start.line, text, change, why: judged?.why };
}

function figuresOf(what, mutants) {
  const [detected, missed] = [counted(mutants, DETECTED), counted(mutants, SURVIVED)];
  const percent = ((100 * detected) / (detected + missed)).toFixed(1);
  return `| ${what} | ${detected + missed} | ${detected} | ${missed} | ${percent} |`;
}

function sectionOf(group) {
  const own = survivors.filter(({ file }) => file.startsWith(`${group}/`));
  if (own.length === 0) return '';
  const cells = own.map(
    ({ file, line, change, why = '**not judged**' }) =>
      `| ${file.slice(group.length + 1)}:${line} | ${code(change)} | ${why} |`,
  );
  return `\n### ${group}\n\n| where | change | why it is not detected |\n| --- | --- | --- |\n${cells.join('\n')}\n`;
}

function sourceOf() {
  const [whole, left] = [folders, without].map((list) => list.map((folder) => code(`lib/${folder}`)));
  return left.length === 0 ? sentenceOf(whole) : `${sentenceOf(whole)} without ${sentenceOf(left)}`;
}

function sentenceOf(words) {
  return words.length === 1 ? words[0] : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

function code(change) {
  return `\`${change.replaceAll('|', '\\|').replaceAll('`', "'")}\``;
}
