import { expect, it } from '@jest/globals';
import { KeywardError } from 'keyward';

it('has a code and a message, and nothing else', () => {
  const error = new KeywardError('code', 'message');
  expect(error).toMatchObject({ name: 'KeywardError', code: 'code', message: 'message', status: undefined });
  expect(error).toBeInstanceOf(Error);
  expect(error).not.toHaveProperty('cause');
});

it('may have a status and a cause', () => {
  const cause = new Error('cause');
  expect(new KeywardError('code', 'message', { status: 503, cause })).toMatchObject({ status: 503, cause });
});
