import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const described = [...read('docs/cases.md').matchAll(/^\| ([A-Z]\d\d) \|/gm)].map(([, id]) => id);
/** Cases that take hours: only `npm run soak` shows them. */
const ONLY_IN_SOAK = ['F19'];

const listed = Object.keys(JSON.parse(read('__tests__/cases.json')));

describe('docs/cases.md', () => {
  it('has one row for each case', () => {
    expect(described).toEqual([...new Set(described)]);
  });

  it('describes every case that has tests', () => {
    expect(listed.filter((id) => !described.includes(id))).toEqual([]);
  });

  it('describes no case without a test', () => {
    const unproven = described.filter((id) => id !== undefined && !listed.includes(id));
    expect(unproven).toEqual(ONLY_IN_SOAK);
  });
});

function read(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
}
