import type { IncomingMessage } from 'node:http';
import { expect, it } from '@jest/globals';
import { assertSameOrigin } from '../../../lib/dashboard/http/same-origin.js';

const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '3' };

const requestWith = (headers: object) => ({ headers: { ...FORM, ...headers } }) as IncomingMessage;

it('a form to a host without a name is refused, whatever its origin is', () => {
  for (const origin of [undefined, 'http://undefined', 'null', 'http://'])
    expect(() => assertSameOrigin(requestWith({ origin }))).toThrow(expect.objectContaining({ reason: 'origin' }));
  expect(() => assertSameOrigin(requestWith({ host: 'undefined', origin: 'http://undefined' }))).not.toThrow();
});
