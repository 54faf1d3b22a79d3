import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import express from 'express';
import { R4, U0 } from '../support/answers.js';
import { type CountedApi, NO_WORK, serveCounted } from '../support/counted-api.js';

let api: CountedApi;
let key: string;
let other: string;

async function start(options: Parameters<typeof serveCounted>[0] = {}) {
  api = await serveCounted(options);
  key = api.mintKey();
  other = api.mintKey();
}
afterEach(() => api.close());

const refused = { ...R4, work: NO_WORK };

describe('two Authorization lines', () => {
  beforeEach(() => start());

  it.each([
    ['the same value', () => [`Authorization: Bearer ${key}`, `Authorization: Bearer ${key}`]],
    ['another value', () => [`Authorization: Bearer ${key}`, `Authorization: Bearer ${other}`]],
    ['a name in another case', () => [`Authorization: Bearer ${key}`, `AUTHORIZATION: Bearer ${key}`]],
    ['Bearer, then Basic', () => [`Authorization: Bearer ${key}`, 'Authorization: Basic Zm9vOmJhcg==']],
    ['Basic, then Bearer', () => ['Authorization: Basic Zm9vOmJhcg==', `Authorization: Bearer ${key}`]],
  ])('H09 two Authorization lines: %s', async (_name, lines) => {
    expect(await api.ask(lines())).toEqual(refused);
    expect(await api.lookupsFor(key)).toBe(1);
  });

  it('a second line behind so many others that Node drops it', async () => {
    expect(
      await api.ask([`Authorization: Bearer ${key}`, ...Array(1_500).fill('a: b'), 'Authorization: Basic eDp5']),
    ).toEqual(refused);
    expect(await api.ask([`Authorization: Bearer ${key}`, ...Array(900).fill('a: b')])).toMatchObject({ status: 200 });
  });

  it('a second line that a server with a smaller maxHeadersCount drops', async () => {
    api.server.maxHeadersCount = 100;
    const dropped = [`Authorization: Bearer ${key}`, ...Array(200).fill('a: b'), `Authorization: Bearer ${other}`];
    expect(await api.ask(dropped)).toEqual(refused);
    expect(await api.ask([`Authorization: Bearer ${key}`, ...Array(90).fill('a: b')])).toMatchObject({ status: 200 });
  });

  it('many lines at a server that drops none', async () => {
    api.server.maxHeadersCount = 0;
    expect(await api.ask([`Authorization: Bearer ${key}`, ...Array(1_500).fill('a: b')])).toMatchObject({
      status: 200,
    });
  });

  it('H10 a server that joins duplicate headers', async () => {
    await api.close();
    await start({ joinDuplicateHeaders: true });
    expect(await api.ask([`Authorization: Bearer ${key}`, `Authorization: Bearer ${key}`])).toEqual(refused);
    expect(await api.lookupsFor(key)).toBe(1);
  });
});

describe('a credential in the header and one elsewhere', () => {
  beforeEach(() => start({ before: (app) => app.use(express.urlencoded({ extended: false }), express.json()) }));

  const post = (body: string, contentType: string, lines: readonly string[]) =>
    api.send(
      [
        'POST / HTTP/1.1',
        'Host: api.test',
        'Connection: close',
        `Content-Type: ${contentType}`,
        `Content-Length: ${body.length}`,
        ...[...lines, '', body],
      ].join('\r\n'),
    );

  it.each([
    ['the same', () => `/?access_token=${key}`],
    ['another one', () => `/?access_token=${other}`],
    ['an empty one', () => '/?access_token='],
    ['two', () => `/?access_token=${key}&access_token=${key}`],
  ])('H20 a valid header, and in the query %s', async (_name, target) => {
    expect(await api.ask([`Authorization: Bearer ${key}`], target())).toEqual(refused);
    expect(await api.lookupsFor(key)).toBe(1);
  });

  it('H21 only a form body', async () => {
    const outcome = await post(`access_token=${key}`, 'application/x-www-form-urlencoded', []);
    expect(outcome).toEqual({ ...U0, work: NO_WORK });
  });

  it('H21 a valid header and a form body', async () => {
    const lines = [`Authorization: Bearer ${key}`];
    expect(await post(`access_token=${key}`, 'application/x-www-form-urlencoded', lines)).toEqual(refused);
    expect(await api.lookupsFor(key)).toBe(1);
  });

  it('H22 a valid header and a JSON body with a property of that name', async () => {
    const body = JSON.stringify({ access_token: other });
    const { status, work } = await post(body, 'application/json', [`Authorization: Bearer ${key}`]);
    expect([status, work.handled]).toEqual([200, 1]);
  });
});
