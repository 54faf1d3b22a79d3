import { describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import type { Io } from '../../lib/cli/io.js';
import { type ServeOptions, serveSettings, urlOf, withServeOptions } from '../../lib/cli/serve/serve-settings.js';

/** The settings of a command line and an environment. */
function settingsOf(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const command = withServeOptions(new Command('serve'))
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  command.parse([...args], { from: 'user' });
  return serveSettings({ env } as unknown as Io, command.opts<ServeOptions>());
}

const AUDIENCE = ['--audience', 'https://api.test'];

describe('the settings of keyward serve', () => {
  it('by default: port 4000 of this machine, with the Dashboard and the log, without the API', () => {
    expect(settingsOf(AUDIENCE)).toStrictEqual({
      ...{ audience: 'https://api.test', port: 4_000, host: '127.0.0.1', dashboard: true, log: true },
      encryptionKeyFile: './keyward.key',
    });
  });

  it.each([
    [['--port', '80'], { port: 80 }],
    [['--host', '::1'], { host: '::1' }],
    [['--issuer', 'https://a.test'], { issuer: 'https://a.test' }],
    [['--allow-http'], { allowHttp: true }],
    [['--encryption-key-file', 'k'], { encryptionKeyFile: 'k' }],
    [['--trust-proxy'], { trustProxy: true }],
    [['--account', 'acme'], { account: 'acme' }],
    [['--api-url', 'https://b.test'], { apiUrl: 'https://b.test' }],
    [['--api'], { api: true }],
    [['--no-dashboard'], { dashboard: false }],
    [['--sign-in-links'], { signInLinks: true }],
    [['--no-log'], { log: false }],
    [['--json'], { json: true }],
    [['--database', 'memory:'], { database: 'memory:' }],
  ])('%j', (args, settings) => {
    expect(settingsOf([...AUDIENCE, ...args])).toEqual({ ...settingsOf(AUDIENCE), ...settings });
  });

  const env = { KEYWARD_AUDIENCE: 'x', KEYWARD_ISSUER: 'https://a.test', KEYWARD_HOST: '0.0.0.0', PORT: '8080' };

  it('come from variables, and from options first', () => {
    expect(settingsOf([], env)).toMatchObject({
      ...{ audience: 'x', issuer: 'https://a.test', host: '0.0.0.0', port: 8_080 },
    });
    const args = [...AUDIENCE, '--issuer', 'https://b.test', '--host', '127.0.0.2', '--port', '0'];
    expect(settingsOf(args, env)).toMatchObject({
      ...{ audience: 'https://api.test', issuer: 'https://b.test', host: '127.0.0.2', port: 0 },
    });
  });

  it('a variable that is empty is not set', () => {
    const empty = { KEYWARD_AUDIENCE: '', KEYWARD_ISSUER: '', KEYWARD_HOST: '', PORT: '' };
    expect(settingsOf(AUDIENCE, empty)).toEqual(settingsOf(AUDIENCE));
    expect(() => settingsOf([], empty)).toThrow('--audience or KEYWARD_AUDIENCE');
  });

  it.each([
    [['--host', '0.0.0.0'], '--issuer or KEYWARD_ISSUER'],
    [['--host', '192.0.2.1'], '--issuer or KEYWARD_ISSUER'],
    [['--host', ''], 'expected a text that is not empty'],
    [['--account', ''], 'expected a text that is not empty'],
    [['--port', '65536'], 'expected a port from 0 to 65535'],
    [['--api-url', 'http://b.test'], 'expected an https URL'],
  ])('refuses %j', (args, message) => {
    expect(() => settingsOf([...AUDIENCE, ...args])).toThrow(message);
  });

  it('have a URL with an IPv6 address in brackets', () => {
    expect([urlOf('::1', 80), urlOf('127.0.0.1', 4_000)]).toEqual(['http://[::1]:80', 'http://127.0.0.1:4000']);
  });
});
