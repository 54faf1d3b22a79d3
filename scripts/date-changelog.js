/** Gives what stands under `## Unreleased` in CHANGELOG.md to the version that is being released, with its date. */
import { readFileSync, writeFileSync } from 'node:fs';

const FILE = new URL('../CHANGELOG.md', import.meta.url);
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

const text = readFileSync(FILE, 'utf8');
const [, changes] = /^## Unreleased\n([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(text) ?? [];
if (changes === undefined || changes.trim() === '') throw new Error('CHANGELOG.md says nothing under "## Unreleased"');
const today = new Date().toISOString().slice(0, 10);
writeFileSync(FILE, text.replace('## Unreleased\n', `## Unreleased\n\n## ${version} - ${today}\n`));
