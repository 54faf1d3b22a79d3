import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import {
  assertFormToken,
  assertMemberFormToken,
  ensureFormToken,
  memberFormToken,
} from '../../../lib/dashboard/http/csrf-token.js';
import { HttpError } from '../../../lib/dashboard/http/http-error.js';
import { CrossSiteError } from '../../../lib/dashboard/http/same-origin.js';

const COOKIE = '__Host-keyward-csrf';
const TOKEN = 'AAAAAAAAAAAAAAAAAAAAAA';
const OWNER = { account: 'acc_1', id: 'usr_1', permissions: [] } as never;

const withCookie = (cookie: string | undefined) => ({ headers: { cookie } }) as IncomingMessage;

/** What `ensureFormToken` returns, and the cookies that it sets. */
function ensured(cookie: string | undefined) {
  const cookies: string[] = [];
  const res = { appendHeader: (_name: string, value: string) => cookies.push(value) } as unknown as ServerResponse;
  return { token: ensureFormToken(withCookie(cookie), res), cookies };
}

describe('ensureFormToken', () => {
  it('returns the token in the cookie, also among others', () => {
    expect(ensured(`${COOKIE}=${TOKEN}`)).toEqual({ token: TOKEN, cookies: [] });
    expect(ensured(`a=b; ${COOKIE}=${TOKEN} ;c=d`)).toEqual({ token: TOKEN, cookies: [] });
  });

  it.each([
    ['no cookie', undefined],
    ['a token that is too short', `${COOKIE}=${TOKEN.slice(1)}`],
    ['a token that is too long', `${COOKIE}=${TOKEN}A`],
    ['a token with another character', `${COOKIE}=${TOKEN.slice(1)}"`],
    ['a token in quotation marks', `${COOKIE}="${TOKEN}"`],
    ['an empty token', `${COOKIE}=`],
    ['two tokens', `${COOKIE}=${TOKEN}; ${COOKIE}=${TOKEN}`],
    ['a cookie with another name', `x${COOKIE}=${TOKEN}`],
  ])('creates a token if there is %s', (_what, cookie) => {
    const { token, cookies } = ensured(cookie);
    expect(token).toMatch(/^[\w-]{22}$/);
    expect(token).not.toBe(TOKEN);
    expect(cookies).toEqual([`${COOKIE}=${token}; Path=/; Secure; HttpOnly; SameSite=Lax`]);
  });
});

describe('assertFormToken', () => {
  const check = (cookie: string | undefined, given: string | undefined) => () =>
    assertFormToken(withCookie(cookie), given);

  it('accepts the token in the cookie', () => {
    expect(check(`${COOKIE}=${TOKEN}`, TOKEN)).not.toThrow();
  });

  it.each([
    ['no cookie', undefined, TOKEN],
    ['no token in the form', `${COOKIE}=${TOKEN}`, undefined],
    ['another token', `${COOKIE}=${TOKEN}`, TOKEN.replace('A', 'B')],
    ['a token of another length', `${COOKIE}=${TOKEN}`, `${TOKEN}A`],
    ['the same short token in both', `${COOKIE}=A`, 'A'],
    ['the same empty token in both', `${COOKIE}=`, ''],
  ])('refuses %s', (_what, cookie, given) => {
    expect(check(cookie, given)).toThrow(new CrossSiteError('form_token'));
  });
});

describe('assertMemberFormToken', () => {
  const check = (given: string | undefined) => () =>
    assertMemberFormToken(withCookie(`${COOKIE}=${TOKEN}`), given, OWNER);

  it('accepts a form of the member', () => {
    expect(check(memberFormToken(TOKEN, OWNER))).not.toThrow();
  });

  it.each([
    ['without a token', undefined],
    ['with an empty token', ''],
    ['without a code', TOKEN],
    ['with another token', memberFormToken(TOKEN.replace('A', 'B'), OWNER)],
  ])('refuses a form %s as one of another site', (_what, given) => {
    expect(check(given)).toThrow(new CrossSiteError('form_token'));
  });

  it.each([
    ['of another account', { account: 'acc_2', id: 'usr_1' }],
    ['of another member', { account: 'acc_1', id: 'usr_2' }],
  ])('refuses a form %s, and says whose it is', (_what, other) => {
    const text =
      'You are now signed in to the account acc_1 as usr_1. This form was opened for another member or account, so no changes were made.';
    expect(check(memberFormToken(TOKEN, other))).toThrow(new HttpError(403, 'You have signed in differently', text));
  });

  it('refuses a form with an empty code', () => {
    expect(check(`${TOKEN}.`)).toThrow('This form was opened for another member or account');
  });
});
