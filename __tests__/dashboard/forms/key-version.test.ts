import { expect, it } from '@jest/globals';
import { versionIn } from '../../../lib/dashboard/forms/key-version.js';
import { Fields } from '../../../lib/dashboard/http/request-fields.js';
import { fixedManagement } from '../fixed-keys.js';
import { contextOf, DEVELOPER, OWNER } from '../whole-page.js';

function versionOf(text: string | undefined, member = OWNER): number {
  const fields = new Fields(text === undefined ? [] : [['version', text]], ['version']);
  return versionIn(contextOf({ management: fixedManagement(), member }, { fields }));
}

const WRONG = [undefined, '', '0', '01', '-1', '1.5', 'x1', '1x', 'x', '1x5', '1'.repeat(16)];

it.each([
  ['1', 1],
  ['27', 27],
  ['9'.repeat(15), 999_999_999_999_999],
])('the version %s', (text, version) => {
  expect(versionOf(text)).toBe(version);
  expect(versionOf(text, DEVELOPER)).toBe(version);
});

it.each(WRONG)('the version %j of an owner is refused', (text) => {
  expect(() => versionOf(text)).toThrow(expect.objectContaining({ status: 400 }));
});

it.each(WRONG)('the version %j of a member who may not edit is one that no key has', (text) => {
  expect(versionOf(text, DEVELOPER)).toBe(0);
});
