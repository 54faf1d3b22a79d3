import { describe, expect, it } from '@jest/globals';
import { readAccessKeyRecord, readKeyRecord } from '../../lib/credentials/records/key-records.js';
import { accessKeyRecordOf, type FoundKey, keyRecordOf } from '../../lib/store/rows-to-records.js';
import { keyRow } from '../support/stored-rows.js';

const found = (traits: Partial<FoundKey> = {}): FoundKey => ({
  ...keyRow({ id: 'key_1' }),
  ...{
    retires_at: null,
    ended_at: null,
    account_apis: '"all"',
    account_scopes: '[]',
    account_channels: '"all"',
    account_disabled_at: null,
  },
  ...traits,
});

describe('keyRecordOf', () => {
  it.each([
    ['no APIs', { apis: null }, { apis: [] }],
    ['the APIs of a list that are its account’s', { apis: '["a","b"]', account_apis: '["b"]' }, { apis: ['b'] }],
    ['no list of scopes', { scopes: null, account_scopes: '["a"]' }, { scopes: null }],
    ['the scopes that are its account’s', { scopes: '["a","b"]', account_scopes: '["b"]' }, { scopes: ['b'] }],
    ['no scope where none is its account’s', { scopes: '["a"]' }, { scopes: [] }],
    ['"all", which is no list of scopes', { scopes: '"all"', account_scopes: '"all"' }, { scopes: [] }],
    ['its own end', { expires_at: 5 }, { expiresAt: new Date(5), acceptedUntil: null }],
    ['the end of the text presented', { retires_at: 5 }, { expiresAt: null, acceptedUntil: new Date(5) }],
    [
      'a secret that was ended, whatever the time',
      { retires_at: 8e15, ended_at: 8e15 },
      { acceptedUntil: new Date(0) },
    ],
    ['a time of 0', { revoked_at: 0 }, { revokedAt: new Date(0) }],
    ['a time that is yet to come by the clock here', { revoked_at: 8e15 }, { revokedAt: new Date(0) }],
    ['its own ban', { disabled_at: 0 }, { disabled: true }],
    ['the ban of its account', { account_disabled_at: 0 }, { disabled: true }],
    ['no ban', {}, { disabled: false }],
    ['no channels', { channels: '[]' }, { channels: [], disabled: false }],
    ['the channel of its platform', { platform: 'p', channels: '["c"]' }, { channels: ['c'], disabled: false }],
    [
      'a ban instead of a platform without its channel',
      { platform: 'p', channels: '["c"]', account_channels: '["d"]' },
      { channels: ['c'], disabled: true },
    ],
  ])('makes a record with %s', (_what, traits, expected) => {
    const record = keyRecordOf(found(traits));
    expect(record).toMatchObject(expected);
    expect(readKeyRecord(record)).toMatchObject({ id: 'key_1', kind: 'secret', account: 'acme' });
  });

  it('makes no record of an access key', () => {
    const error = new TypeError('expected an API key, got an access key');
    expect(() => keyRecordOf(found({ kind: 'access' }))).toThrow(error);
  });
});

describe('accessKeyRecordOf', () => {
  const secrets = [
    { digest: 'd', retires_at: 0, ended_at: null },
    { digest: 'e', retires_at: null, ended_at: null },
    { digest: 'f', retires_at: null, ended_at: 9 },
  ];

  it.each([
    [
      'its secrets with their ends',
      {},
      {
        secrets: [
          { digest: 'd', expiresAt: new Date(0) },
          { digest: 'e', expiresAt: null },
        ],
        formerSecrets: ['f'],
      },
    ],
    ['no scopes', { scopes: null, default_scopes: null }, { scopes: [], defaultScopes: [] }],
    [
      'scopes, and those granted by default, that are its account’s',
      { scopes: '["a","b"]', default_scopes: '["a"]', account_scopes: '["b"]' },
      { scopes: ['b'], defaultScopes: [] },
    ],
    ['the end of old tokens', { tokens_not_before: 7 }, { tokensNotBefore: new Date(7) }],
    ['none', {}, { tokensNotBefore: null, expiresAt: null, revokedAt: null }],
    ['its end', { expires_at: 7 }, { expiresAt: new Date(7) }],
    ['a required confirmation', { require_confirmation: 'dpop' as const }, { requireConfirmation: 'dpop' }],
    ['any confirmation', { require_confirmation: 'any' as const }, { requireConfirmation: true }],
  ])('makes a record with %s', (_what, traits, expected) => {
    const record = accessKeyRecordOf({
      ...found({ kind: 'access', ...traits }),
      secrets,
      public_keys: null,
      revokedTokens: undefined,
    });
    expect(record).toMatchObject(expected);
    expect(readAccessKeyRecord(record)).toMatchObject({ id: 'key_1', account: 'acme' });
  });

  it('makes a record with its public keys, or without any', () => {
    const row = { ...found({ kind: 'access' }), secrets, revokedTokens: undefined };
    const keysOf = (public_keys: string | null) => accessKeyRecordOf({ ...row, public_keys }).publicKeys;
    expect([keysOf('{"kid":"a"},{"kid":"b"}'), keysOf(null)]).toEqual([[{ kid: 'a' }, { kid: 'b' }], null]);
  });
});
