import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestKit } from 'keyward/testing';
import { R4, T1, U0 } from '../support/answers.js';
import { type CountedApi, NO_WORK, serveCounted } from '../support/counted-api.js';

let api: CountedApi;
let key: string;
beforeEach(async () => {
  api = await serveCounted();
  key = api.mintKey();
});
afterEach(() => api.close());

const credentialOf = (kind: string) => (kind === 'key' ? key : api.token);

/** Refused by its text alone; and of the good key nothing was cached, neither that it is good nor that it is not. */
async function expectRefusal(lines: readonly string[], answer: object) {
  expect(await api.ask(lines)).toEqual({ ...answer, work: NO_WORK });
  expect(await api.lookupsFor(key)).toBe(1);
}

describe('the scheme of the Authorization field', () => {
  it('H01 no Authorization', () => expectRefusal([], U0));

  it('H02 an empty value', () => expectRefusal(['Authorization:'], U0));

  it.each([['Bearer'], ['Bearer ']])('H03 only "%s"', (value) => expectRefusal([`Authorization: ${value}`], R4));

  it.each([
    ['bearer', 'key'],
    ['BEARER', 'key'],
    ['bEaReR', 'key'],
    ['bearer', 'token'],
    ['BEARER', 'token'],
    ['bEaReR', 'token'],
  ])('H04 %s with a valid %s', async (scheme, kind) => {
    const { status, work } = await api.ask([`Authorization: ${scheme} ${credentialOf(kind)}`]);
    expect([status, work.handled, work.signatures]).toEqual([200, 1, kind === 'token' ? 1 : 0]);
  });

  it.each([
    [2, '  '],
    [5, '     '],
  ])('H05 %i spaces after the scheme: accepted, with the cache entry of one space', async (_count, spaces) => {
    const spaced = await api.ask([`Authorization: Bearer${spaces}${key}`]);
    expect([spaced.status, spaced.work.lookups]).toEqual([200, 1]);
    expect(await api.lookupsFor(key)).toBe(0);
  });

  it.each([
    ['a TAB instead of the space', '\t'],
    ['a TAB before the credential', ' \t'],
  ])('H06 %s', (_name, between) => expectRefusal([`Authorization: Bearer${between}${key}`], R4));

  it.each([['Basic'], ['Digest'], ['Negotiate'], ['Token'], ['ApiKey']])('H11 scheme %s', (scheme) =>
    expectRefusal([`Authorization: ${scheme} ${key}`], U0),
  );

  it.each([['Bearerx '], ['Bearer-x '], ['xBearer '], ['Bearer']])('H12 "%s" before the credential', (scheme) =>
    expectRefusal([`Authorization: ${scheme}${key}`], U0),
  );
});

describe('keys without a scheme', () => {
  const bare = (kind: 'secret' | 'public') => api.mintKey({ kind });

  it.each([['secret'], ['public']] as const)(
    'H31 a %s key without a scheme and without allowSchemeless',
    async (kind) => {
      expect(await api.ask([`Authorization: ${bare(kind)}`])).toEqual({ ...U0, work: NO_WORK });
    },
  );

  describe('with allowSchemeless', () => {
    beforeEach(async () => {
      await api.close();
      api = await serveCounted({ allowSchemeless: true });
    });

    it.each([['secret'], ['public']] as const)('H31 a %s key without a scheme', async (kind) => {
      const { status, work } = await api.ask([`Authorization: ${bare(kind)}`]);
      expect([status, work.handled, work.lookups]).toEqual([200, 1, 1]);
    });

    it('H31 a JWT without a scheme', async () => {
      expect(await api.ask([`Authorization: ${api.token}`])).toEqual({ ...U0, work: NO_WORK });
    });

    it('H31 an unknown key without a scheme', async () => {
      const foreign = createTestKit().secretKey();
      expect(await api.ask([`Authorization: ${foreign}`])).toMatchObject({ ...T1, work: { handled: 0, lookups: 1 } });
    });
  });
});
