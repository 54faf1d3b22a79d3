import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, expect, it, jest } from '@jest/globals';
import { readFormBody } from '../../../lib/dashboard/http/form-body.js';

const request = () => new IncomingMessage(new Socket());

afterEach(() => {
  jest.useRealTimers();
});

it('a form whose connection closed is incomplete', async () => {
  const req = request();
  const form = readFormBody(req, 10);
  req.destroy();
  await expect(form).rejects.toMatchObject({
    ...{ status: 400, title: 'Invalid request', headers: {} },
    message: 'Only part of the form was received. Submit it again.',
  });
});

it('a form has ten seconds; then the connection is closed', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  const answered = jest.fn();
  const form = readFormBody(request(), 10);
  form.catch(answered);
  await jest.advanceTimersByTimeAsync(9_999);
  expect(answered).not.toHaveBeenCalled();
  await jest.advanceTimersByTimeAsync(1);
  await expect(form).rejects.toMatchObject({
    ...{ status: 408, title: 'Request timed out', headers: { Connection: 'close' } },
    message: 'The form took too long to upload. Submit it again.',
  });
});

it('a form that is too large is not read; the connection is closed', async () => {
  const req = request();
  req.headers['content-length'] = '11';
  await expect(readFormBody(req, 10)).rejects.toMatchObject({
    ...{ status: 413, title: 'Form too large', headers: { Connection: 'close' } },
    message: 'The form is too large. Go back, shorten the values and submit it again.',
  });
});
