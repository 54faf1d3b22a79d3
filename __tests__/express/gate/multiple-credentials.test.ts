import { describe, expect, it } from '@jest/globals';
import express from 'express';
import { bearerErrors, requireBearer } from 'keyward';
import request from 'supertest';
import { hasMultipleCredentials } from '../../../lib/express/gate/multiple-credentials.js';
import { answerOf, R4 } from '../../support/answers.js';
import { type RequestParts, requestOf } from '../../support/passage.js';
import { keyPrincipal } from '../../support/principals.js';
import { acceptingVerifier } from '../../support/stub-verifier.js';

const twice = (parts: RequestParts) => {
  const req = requestOf(parts);
  return hasMultipleCredentials(req, req.headers);
};
const FORM = 'application/x-www-form-urlencoded';
const posted = (contentType: unknown, body: unknown) => ({ headers: { 'content-type': contentType }, body });

const READ = [
  ['a list', 'access_token[]=x'],
  ['an object', 'access_token[a]=x'],
] as const;

describe('a valid credential in the header, and a further one', () => {
  const verifier = acceptingVerifier(keyPrincipal());
  const appWith = (...parsers: express.RequestHandler[]) => {
    const app = express().use(...parsers, requireBearer({ accept: [verifier] }));
    return app.use((_req, res) => void res.end()).use(bearerErrors());
  };

  it.each(READ)('N17 in the query, as %s', async (_name, query) => {
    const app = appWith((_req, _res, next) => next());
    const answer = await request(app).get(`/?${query}`).set('Authorization', 'Bearer good');
    expect(answerOf(answer)).toEqual(R4);
  });

  it.each(READ.flatMap(([name, body]) => [[name, body, true] as const, [name, body, false] as const]))(
    'N17 in a parsed body, as %s: %s, extended: %s',
    async (_name, body, extended) => {
      const app = appWith(express.urlencoded({ extended }));
      const answer = await request(app).post('/').type('form').set('Authorization', 'Bearer good').send(body);
      expect(answerOf(answer)).toEqual(R4);
    },
  );
});

describe('a further credential in the query', () => {
  it.each([
    ['by name', '/?access_token=abc', true],
    ['empty', '/?a=1&access_token', true],
    ['its name encoded', '/?access%5Ftoken=abc', true],
    ['as a list', '/?access_token[]=abc', true],
    ['as an object', '/?access_token[a]=abc', true],
    ['as an object in an object', '/?access_token[a][b]=abc', true],
    ['its brackets encoded', '/?access_token%5Ba%5D=abc', true],
    ['in brackets', '/?[access_token]=abc', true],
    ['a member of another parameter', '/?a[access_token]=abc', false],
    ['a longer name', '/?access_tokens[]=abc', false],
    ['none', '/?a=1', false],
    ['another name', '/?my_access_token=abc', false],
    ['in the path', '/access_token=abc', false],
  ])('%s', (_name, url, expected) => {
    expect(twice({ url })).toBe(expected);
  });
});

it('a request without a URL has no further credential', () => {
  const req = Object.assign(requestOf(), { url: undefined });
  expect(hasMultipleCredentials(req, req.headers)).toBe(false);
});

describe('a further credential in a form that a parser has read', () => {
  it.each([
    ['plain', FORM],
    ['with a charset', `${FORM}; charset=UTF-8`],
    ['in capitals', FORM.toUpperCase()],
  ])('counts if the content type is %s', (_name, contentType) => {
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
