/** `keyward serve` and the example's API on one database, each in a process of its own, for the tests of one file. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { type RunningService, startService } from '../examples/built-service.js';
import type { Role } from './browser-site.js';
import { type RunningProgram, startProgram } from './built-cli.js';

export interface Programs {
  /** Where the Dashboard of `keyward serve` is. */
  readonly url: string;
  /** A new link; those before it are good no more. */
  link(role: Role): Promise<string>;
  /** The status that the example's API answers a key with, where it takes a payment or lists disputes. */
  pay(key: string): Promise<number>;
  disputes(key: string): Promise<number>;
  /** The status that its token endpoint answers an access key with. */
  obtainToken(identifier: string, secret: string): Promise<number>;
}

type Links = Readonly<Record<Role, string>>;

/** Time to build both, where that has not been done. */
const TO_BUILD = 120_000;

export function programs(): Programs {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-browser-'));
  let api: RunningService;
  let served: RunningProgram;
  let baseUrl: string;
  let url: string;

  beforeAll(async () => {
    const database = `file:${join(folder, 'keyward.db')}`;
    api = await startService({ args: ['--json'], database, folder });
    await api.until(/\n/);
    ({ baseUrl } = JSON.parse(api.printed()));
    const keyFile = ['--encryption-key-file', join(folder, 'keyward.key')];
    const args = [
      'serve',
      '--audience',
      baseUrl,
      '--port',
      '0',
      '--account',
      'acc_demo',
      '--json',
      '--sign-in-links',
      ...keyFile,
    ];
    served = startProgram(args, { KEYWARD_DATABASE: database }, folder);
    ({ url } = JSON.parse(await served.firstLine).dashboard);
  }, TO_BUILD);

  afterAll(async () => {
    served?.child.kill('SIGTERM');
    await Promise.all([served?.ended, api?.end('SIGTERM')]);
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = async (path: string, authorization: string, body?: string, type = 'application/json') => {
    const headers = { authorization, connection: 'close', ...(body === undefined ? {} : { 'content-type': type }) };
    const sent = body === undefined ? { headers } : { method: 'POST', headers, body };
    const response = await fetch(baseUrl + path, sent);
    await response.arrayBuffer();
    return response.status;
  };
  const card = { type: 'card', number: '4242424242424242', expiry_month: 12, expiry_year: 2040 };
  const order = JSON.stringify({ source: card, amount: 1000, currency: 'GBP', reference: 'order' });

  return {
    get url() {
      return url;
    },
    async link(role) {
      const printed = once(served.child.stdout, 'data');
      served.child.kill('SIGUSR2');
      return (JSON.parse(String((await printed)[0])).dashboard as Links)[role];
    },
    pay: (key) => ask('/payments', `Bearer ${key}`, order),
    disputes: (key) => ask('/disputes', `Bearer ${key}`),
    obtainToken: (identifier, secret) =>
      ask(
        '/connect/token',
        `Basic ${Buffer.from(`${identifier}:${secret}`).toString('base64')}`,
        'grant_type=client_credentials',
        'application/x-www-form-urlencoded',
      ),
  };
}
