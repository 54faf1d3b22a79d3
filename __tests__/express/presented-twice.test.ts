import { describe, expect, it } from '@jest/globals';
import { presentedTwice } from '../../lib/express/presented-twice.js';
import { type RequestParts, requestOf } from '../support/passage.js';

const twice = (parts: RequestParts) => {
  const req = requestOf(parts);
  return presentedTwice(req, req.headers);
};
const FORM = 'application/x-www-form-urlencoded';
const posted = (contentType: unknown, body: unknown) => ({ headers: { 'content-type': contentType }, body });

describe('a further credential in the query', () => {
  it.each([
    ['by name', '/?access_token=abc', true],
    ['empty', '/?a=1&access_token', true],
    ['its name encoded', '/?access%5Ftoken=abc', true],
    ['none', '/?a=1', false],
    ['another name', '/?my_access_token=abc', false],
    ['in the path', '/access_token=abc', false],
  ])('%s', (_name, url, expected) => {
    expect(twice({ url })).toBe(expected);
  });
});

describe('a further credential in a form that a parser has read', () => {
  it.each([
    ['plain', FORM],
    ['with a charset', `${FORM}; charset=UTF-8`],
    ['in capitals', FORM.toUpperCase()],
  ])('counts where the content type is %s', (_name, contentType) => {
    expect(twice(posted(contentType, { access_token: '' }))).toBe(true);
  });

  it('counts in an object without a prototype', () => {
    expect(twice(posted(FORM, Object.assign(Object.create(null), { access_token: 'abc' })))).toBe(true);
  });

  it.each([
    ['a form without that name', posted(FORM, { token: 'abc' })],
    ['a form whose prototype has it', posted(FORM, Object.create({ access_token: 'abc' }))],
    ['JSON', posted('application/json', { access_token: 'abc' })],
    ['a type that only mentions it', posted(`text/${FORM}`, { access_token: 'abc' })],
    ['a type that goes on', posted('application/x-www-form-urlencodedx', { access_token: 'abc' })],
    ['no content type', posted(undefined, { access_token: 'abc' })],
    ['a body not parsed', posted(FORM, undefined)],
    ['a body that is null', posted(FORM, null)],
    ['a body of text', posted(FORM, 'access_token=abc')],
  ])('does not count in %s', (_name, parts) => {
    expect(twice(parts)).toBe(false);
  });
});
