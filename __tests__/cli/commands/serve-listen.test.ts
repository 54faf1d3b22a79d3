import { Server } from 'node:net';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { fixClock, transcriptOn } from '../../support/transcript.js';

beforeEach(() => fixClock());
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

const keyward = transcriptOn({ KEYWARD_DATABASE: 'memory:', KEYWARD_ENCRYPTION_KEY: 'A'.repeat(43) });

it.each([
  [
    'EACCES',
    'cannot listen on port 80, because the current user does not have permission to use it (EACCES); choose another port with --port, such as 4000',
  ],
  ['EADDRINUSE', 'port 80 on 127.0.0.1 is already in use (EADDRINUSE); choose another port with --port'],
  [
    'EADDRNOTAVAIL',
    'cannot listen on 127.0.0.1:80 (EADDRNOTAVAIL); check that 127.0.0.1 is an address of this machine',
  ],
])('keyward serve that cannot listen because of %s', async (code, message) => {
  jest.spyOn(Server.prototype, 'listen').mockImplementation(function listen(this: Server) {
    process.nextTick(() => this.emit('error', Object.assign(new Error(code), { code })));
    return this;
  });
  expect(await keyward.run('serve', '--audience', 'https://api.test', '--port', '80')).toContain(
    `[standard error]\n${message}\n[exit code 2]`,
  );
});
