import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import * as real from '../../../lib/issuer/create-issuer.js';

const createIssuer = jest.fn<typeof real.createIssuer>();
jest.unstable_mockModule('../../../lib/issuer/create-issuer.js', () => ({ ...real, createIssuer }));
const { fixClock, transcriptOn } = await import('../../support/transcript.js');

beforeEach(() => fixClock());
afterEach(() => void jest.useRealTimers());

const keyward = transcriptOn({ KEYWARD_DATABASE: 'memory:', KEYWARD_ENCRYPTION_KEY: 'A'.repeat(43) });

it.each([
  ['that names no option', new TypeError('a fault of the program')],
  ['that quotes an option', new TypeError('a fault after createIssuer: option "audience" must be a text')],
  ['that is no TypeError', new Error('createIssuer: option "audience" must be a text')],
])('keyward serve throws an error %s as it is, so that it is printed with its stack', async (_what, fault) => {
  createIssuer.mockImplementation(() => {
    throw fault;
  });
  await expect(keyward.run('serve', '--audience', 'https://api.test', '--port', '0')).rejects.toBe(fault);
});
