import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { R4, T1 } from '../support/answers.js';
import { type CountedApi, NO_WORK, serveCounted } from '../support/counted-api.js';

let api: CountedApi;
let key: string;
beforeEach(async () => {
  api = await serveCounted();
  key = api.mintKey();
});
afterEach(() => api.close());

/** Sends what stands after `Authorization: ` as bytes of UTF-8. */
const present = (value: string) => api.ask([`Authorization: ${Buffer.from(value).toString('latin1')}`]);

async function expectMalformed(value: string) {
  expect(await present(value)).toEqual({ ...R4, work: NO_WORK });
  expect(await api.lookupsFor(key)).toBe(1);
}

const within = (text: string, inserted: string) => text.slice(0, 10) + inserted + text.slice(10);

describe('a credential that is not a b64token', () => {
  it('H07 Bearer a b', () => expectMalformed('Bearer a b'));

  it('H07 a valid credential followed by another word', () => expectMalformed(`Bearer ${key} extra`));

  it.each([
    ['a second challenge', ', Bearer x'],
    ['a comma', ','],
  ])('H08 a valid credential followed by %s', (_name, tail) => expectMalformed(`Bearer ${key}${tail}`));

  it.each([
    ['double quotes', '"', '"'],
    ['single quotes', "'", "'"],
    ['angle brackets', '<', '>'],
  ])('H13 a valid credential in %s', (_name, open, close) => expectMalformed(`Bearer ${open}${key}${close}`));

  it.each([
    ['a byte from 0x80 on', '\u00e9'],
    ['a no-break space', '\u00a0'],
    ['a zero-width space', '\u200b'],
    ['a full-width letter', '\uff41'],
    ['a right-to-left mark', '\u200f'],
  ])('H14 %s before, in and after a valid credential', async (_name, character) => {
    for (const credential of [`${character}${key}`, within(key, character), `${key}${character}`]) {
      expect(await present(`Bearer ${credential}`)).toEqual({ ...R4, work: NO_WORK });
    }
    expect(await api.lookupsFor(key)).toBe(1);
  });

  it.each([
    ['an escape', '%41'],
    ['an equals sign', '='],
    ['an asterisk', '*'],
    ['a brace', '{'],
    ['a backslash', '\\'],
  ])('H17 %s in a valid credential', (_name, inserted) => expectMalformed(`Bearer ${within(key, inserted)}`));
});

describe('a b64token that is not a credential', () => {
  it.each([
    ['key', '='],
    ['key', '=='],
    ['token', '=='],
  ])('H18 a valid %s followed by %s: no lookup, no signature check', async (kind, padding) => {
    const { work, ...answer } = await present(`Bearer ${kind === 'key' ? key : api.token}${padding}`);
    expect(answer).toEqual(T1);
    expect(work).toMatchObject({ handled: 0, lookups: 0, signatures: 0 });
  });
});

describe('length', () => {
  it('H16 a credential of 12,288 characters is still verified', async () => {
    expect((await present(`Bearer ${'a'.repeat(12_288)}`)).status).toBe(401);
  });

  it.each([[12_289], [15_000]])('H16 a credential of %i characters', (length) =>
    expectMalformed(`Bearer ${'a'.repeat(length)}`),
  );

  it('H16 a header of 20,000 characters is refused before the gate', async () => {
    const { status, work } = await present(`Bearer ${'a'.repeat(20_000)}`);
    expect([status, work]).toEqual([431, NO_WORK]);
    expect(await api.lookupsFor(key)).toBe(1);
  });
});

describe('headers that Node refuses before any middleware', () => {
  it.each([
    ['NUL', 'Authorization: Bearer \0'],
    ['obs-fold', 'Authorization: Bearer\r\n '],
    ['a bare LF', 'Authorization: Bearer \n'],
    ['VT', 'Authorization: Bearer \v'],
    ['a space before the colon', 'Authorization : Bearer '],
  ])('H15 %s; the server continues', async (_name, start) => {
    expect(await api.ask([`${start}${key}`])).toEqual({ status: 400, challenge: undefined, work: NO_WORK });
    expect(await api.lookupsFor(key)).toBe(1);
  });
});
