import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from '@jest/globals';
import { readFormBody } from '../../../lib/dashboard/http/form-body.js';

/** Reads a form whose body another middleware has read before. */
function read(body: unknown, headers: IncomingMessage['headers'] = {}) {
  const req = Object.assign(new IncomingMessage(new Socket()), { body, headers });
  Object.defineProperty(req, 'readableDidRead', { value: true });
  return readFormBody(req, 1);
}

it.each<[string, unknown, readonly (readonly [string, string])[]]>([
  ['nothing', {}, []],
  ['fields', { a: '1', b: '' }, [['a', '1'], ...[['b', ''] as const]]],
  ['a list', { a: ['1', '2'] }, [['a', '1'], ...[['a', '2'] as const]]],
  ['an object like a list', { a: { 0: '1', 1: '2' } }, [['a', '1'], ...[['a', '2'] as const]]],
  ['text', 'a=1', [['a', '1']]],
  ['bytes', Buffer.from('a=%C3%A9'), [['a', '\u00e9']]],
])('%s', async (_name, body, pairs) => expect(await read(body)).toEqual(pairs));

it.each<[string, unknown]>([
  ['a number', { a: 1 }],
  ['null', { a: null }],
  ['undefined', { a: undefined }],
  ['true', { a: true }],
  ['a function', { a: () => 'x' }],
  ['an object', { a: { x: '1' } }],
  ['a list of objects', { a: [{}] }],
  ['a list with a number', { a: ['1', 2] }],
  ['a list that ends with a name', { a: { 0: '1', x: '2' } }],
  ['a list that begins with a name', { a: { x: '1', 1: '2' } }],
  ['text that browsers escape', 'a=\u00e9'],
  ['bytes that are not UTF-8', Buffer.from('a=%E9')],
])('%s is refused', async (_name, body) => {
  const message = 'The form could not be read. Go back, reload the page and submit it again.';
  await expect(read(body)).rejects.toMatchObject({ status: 400, message });
});

it.each([[undefined], [null], [1], [true]])('the body %p is a mistake of the app', async (body) => {
  await expect(read(body)).rejects.toThrow(
    /^keyward: another middleware read the request body but did not set req\.body;/,
  );
});

it('a compressed body is refused', async () => {
  const refused = read({}, { 'content-encoding': 'gzip' });
  await expect(refused).rejects.toMatchObject({ status: 415, title: 'Invalid request' });
});
