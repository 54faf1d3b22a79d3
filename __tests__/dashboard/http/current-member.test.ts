import { describe, expect, it } from '@jest/globals';
import type { Request } from 'express';
import { currentMember, MemberInvalidError, MemberLookupError } from '../../../lib/dashboard/http/current-member.js';
import { HttpError } from '../../../lib/dashboard/http/http-error.js';

const MEMBER = { account: 'acc_1', id: 'usr_1', permissions: ['reader'] } as const;
const from = (ip: string | undefined) => ({ ip }) as Request;

const errorOf = (given: unknown) =>
  currentMember(() => given as never, from('192.0.2.1')).then(
    () => undefined,
    (error: unknown) => error,
  );

describe('currentMember', () => {
  it('adds the address of the request', async () => {
    expect(await currentMember(() => MEMBER, from('192.0.2.1'))).toEqual({ ...MEMBER, address: '192.0.2.1' });
  });

  it('keeps the address of the member', async () => {
    const member = { ...MEMBER, address: '192.0.2.9' };
    expect(await currentMember(() => member, from('192.0.2.1'))).toEqual(member);
  });

  it('adds no address if the request has none', async () => {
    expect((await currentMember(() => MEMBER, from(undefined))).address).toBeUndefined();
  });

  it.each([undefined, null, false, ''])('says that nobody is signed in for %j', async (given) => {
    const error = await errorOf(given);
    expect(error).toEqual(new HttpError(401, 'Not signed in', 'Sign in to see your keys.'));
    expect(error).not.toBeInstanceOf(MemberInvalidError);
  });

  it.each([
    ['without an account', { ...MEMBER, account: undefined }],
    ['with an unknown permission only', { ...MEMBER, permissions: ['raeder'] }],
    ['that is a text', 'usr_1'],
  ])('shows the same page for a member %s', async (_what, given) => {
    const error = await errorOf(given);
    expect(error).toBeInstanceOf(MemberInvalidError);
    expect(error).toMatchObject({ status: 401, title: 'Not signed in', message: 'Sign in to see your keys.' });
  });

  it('accepts a member without permissions', async () => {
    expect(await errorOf({ ...MEMBER, permissions: [] })).toBeUndefined();
  });

  it('does not hide an error of a getter of the member', async () => {
    const failure = new RangeError('no account');
    const member = {
      ...MEMBER,
      get account() {
        throw failure;
      },
    };
    expect(await errorOf(member)).toBe(failure);
  });

  it('says that the sign-in could not be checked if the lookup fails', async () => {
    const cause = new Error('no database');
    const error = await currentMember(() => Promise.reject(cause), from('192.0.2.1')).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(MemberLookupError);
    expect(error).toMatchObject({
      ...{ status: 503, title: 'Temporarily unavailable', cause },
      ...{ message: 'Your sign-in could not be checked. Try again later.', headers: { 'Retry-After': '1' } },
    });
  });
});
