import { describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import {
  replacesAll,
  type SettingOptions,
  settingsOf,
  switchedBy,
  withClearings,
  withEnvironment,
  withSettings,
  withSwitches,
} from '../../../lib/cli/commands/key-setting-options.js';

const parse = (command: Command, ...args: string[]) =>
  command
    .exitOverride()
    .configureOutput({ writeErr: () => undefined, outputError: () => undefined })
    .parse(args, { from: 'user' })
    .opts<SettingOptions>();

describe('the settings of a key', () => {
  it('are those of the options that are given', () => {
    expect(settingsOf({})).toEqual({});
    expect(settingsOf(parse(withSettings(new Command())))).toEqual({});
    const args = [
      ...['--name', 'Till', '--scope', 'a', '--scope', 'b', '--channel', 'web', '--platform', 'shop'],
      ...['--expires', '2027-01-31', '--metadata', 'team=checkout', '--metadata', 'floor=2'],
      ...['--allow-address', '203.0.113.7', '--limit', '100/1m', '--limit', '5/1s'],
    ];
    expect(settingsOf(parse(withSettings(new Command()), ...args))).toEqual({
      ...{ name: 'Till', scopes: ['a', 'b'], channels: ['web'], platform: 'shop' },
      ...{ expiresAt: new Date('2027-01-31T00:00:00Z'), metadata: { team: 'checkout', floor: '2' } },
      allowedAddresses: ['203.0.113.7'],
      limits: [
        { requests: 100, seconds: 60 },
        { requests: 5, seconds: 1 },
      ],
    });
  });

  it('may allow every channel, and no other beside it', () => {
    expect(settingsOf({ channel: ['all'] })).toEqual({ channels: 'all' });
    expect(() => settingsOf({ channel: ['all', 'web'] })).toThrow(/--channel/);
  });

  it('are removed by options of an edit', () => {
    const args = ['--no-name', '--no-platform', '--no-expires', '--no-metadata', '--no-allow-address', '--no-limit'];
    expect(settingsOf({ ...parse(withClearings(new Command()), ...args), scope: false })).toEqual({
      ...{ name: null, scopes: null, platform: null, expiresAt: null },
      ...{ metadata: null, allowedAddresses: null, limits: null },
    });
    expect(() => parse(withSettings(new Command()), '--no-name')).toThrow("unknown option '--no-name'");
  });

  it('are replaced as whole lists by an edit, which its help says', () => {
    const ends = (command: Command) =>
      command.options.flatMap(({ long, description }) => {
        const [, end] = /; (the given values .*)$/.exec(description) ?? [];
        return end === undefined ? [] : [[long, end]];
      });
    expect(ends(withSettings(new Command()))).toEqual([]);
    expect(ends(withClearings(new Command()))).toEqual([
      ['--scope', 'the given values replace the existing scopes of the key'],
      ['--channel', 'the given values replace the existing channels of the key'],
      ['--metadata', 'the given values replace the existing metadata of the key'],
      ['--allow-address', 'the given values replace the existing allowed addresses of the key'],
      ['--limit', 'the given values replace the existing rate limits of the key'],
    ]);
    expect(replacesAll('x')).toBe('; the given values replace the existing x of the key');
  });
});

describe('a key', () => {
  it.each([
    [{}, {}],
    [{ disable: true }, { disabled: true }],
    [{ enable: true }, { disabled: false }],
  ])('is disabled or enabled by %j', (options, expected) => {
    expect(switchedBy(options)).toEqual(expected);
    const args = Object.keys(options).map((name) => `--${name}`);
    expect(switchedBy(parse(withSwitches(new Command()), ...args))).toEqual(expected);
  });

  it('is not disabled and enabled at once', () => {
    expect(() => parse(withSwitches(new Command()), '--disable', '--enable')).toThrow('cannot be used with');
  });

  it('is accepted in one of two environments', () => {
    expect(parse(withEnvironment(new Command()), '--environment', 'sandbox')).toEqual({ environment: 'sandbox' });
    expect(parse(withEnvironment(new Command()), '--environment', 'live')).toEqual({ environment: 'live' });
    expect(parse(withEnvironment(new Command()))).toEqual({});
    expect(() => parse(withEnvironment(new Command()), '--environment', 'test')).toThrow('live, sandbox');
  });
});
