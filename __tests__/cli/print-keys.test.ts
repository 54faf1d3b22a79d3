import { describe, expect, it } from '@jest/globals';
import type { Io } from '../../lib/cli/io.js';
import { showKey, showKeys, showKeyUsage } from '../../lib/cli/print-keys.js';
import type { KeyView } from '../../lib/management/keys/key-view.js';
import { outputInto } from '../support/command-line.js';

const DAY = new Date('2027-01-31T10:20:30Z');
const KEY = {
  ...{
    id: 'key_1',
    kind: 'secret',
    account: 'acme',
    environment: 'live',
    name: null,
    apis: ['payments'],
    scopes: null,
  },
  ...{ defaultScopes: null, channels: 'all', platform: null, metadata: null, allowedAddresses: null, limits: null },
  ...{ state: 'active', createdAt: DAY, createdBy: 'ada', expiresAt: null, revokedAt: null, disabledAt: null },
  ...{ version: 3, hint: 'sk_…abcd', publicKey: null, secrets: [], publicKeys: [], requireConfirmation: null },
  lastUsedAt: null,
} satisfies KeyView;

function printed(print: (io: Io) => void): string[] {
  const parts: string[] = [];
  print({ stdout: outputInto(parts) } as unknown as Io);
  return parts.join('').split('\n').slice(0, -1);
}
const linesOf = (key: KeyView) => printed((io) => showKey(io, key));
const fieldsOf = (key: KeyView) => Object.fromEntries(linesOf(key).map((line) => line.split(/ {2,}/)));

describe('one key', () => {
  it('is printed with its settings', () => {
    expect(linesOf(KEY)).toEqual([
      'id           key_1',
      'kind         secret',
      'state        active',
      'account      acme',
      'environment  live',
      'name         -',
      'apis         payments',
      'scopes       every scope of its APIs',
      'channels     all',
      'platform     -',
      'created      2027-01-31 10:20:30Z by ada',
      'expires      -',
      'revoked      -',
      'version      3',
      '',
      'The key has no secrets.',
    ]);
  });

  it('has lines for what only some keys have', () => {
    const fields = fieldsOf({
      ...KEY,
      ...{ name: 'Till', platform: 'shop', channels: ['web', 'till'], scopes: ['a', 'b'], apis: 'all' },
      ...{ allowedAddresses: ['203.0.113.7', '10.0.0.0/8'], metadata: { team: 'checkout', floor: '2' } },
      limits: [
        { requests: 100, seconds: 60 },
        { requests: 5, seconds: 1 },
      ],
      ...{ expiresAt: DAY, revokedAt: DAY, publicKey: 'pk_abc' },
    });
    expect(fields).toMatchObject({
      ...{ name: 'Till', platform: 'shop', channels: 'web till', scopes: 'a b', apis: 'all' },
      ...{ 'allowed addresses': '203.0.113.7 10.0.0.0/8', metadata: 'team=checkout, floor=2', limits: '100/1m 5/1s' },
      ...{ expires: '2027-01-31 10:20:30Z', revoked: '2027-01-31 10:20:30Z', key: 'pk_abc' },
    });
  });

  it('of the kind public has no scopes by default', () => {
    expect(fieldsOf({ ...KEY, kind: 'public' }).scopes).toBe('none');
  });

  it('of the kind access has scopes and default scopes, and no APIs', () => {
    const access = { ...KEY, kind: 'access', apis: null, scopes: ['a', 'b'], defaultScopes: ['a'] } as const;
    expect(fieldsOf(access)).toMatchObject({ scopes: 'a b', 'default scopes': 'a' });
    expect(fieldsOf(access)).not.toHaveProperty('apis');
    expect(fieldsOf({ ...access, defaultScopes: null })['default scopes']).toBe('-');
  });

  it.each([
    [true, 'dpop or mtls'],
    ['dpop', 'dpop'],
    ['mtls', 'mtls'],
    [null, undefined],
  ] as const)('that requires the confirmation %p says "%s"', (requireConfirmation, expected) => {
    expect(fieldsOf({ ...KEY, requireConfirmation })['token binding']).toBe(expected);
  });

  it('is printed with its secrets and public keys', () => {
    const secret = {
      id: 'abc',
      hint: '…wxyz',
      createdAt: DAY,
      acceptedUntil: null,
      lastUsedAt: null,
      lastUsedFrom: null,
    };
    const used = { lastUsedAt: DAY, lastUsedFrom: '203.0.113.7' };
    const jwk = { kty: 'EC', crv: 'P-256', x: '', y: '' };
    const key = {
      ...KEY,
      secrets: [
        { ...secret, state: 'current' },
        { ...secret, ...used, state: 'grace_period', acceptedUntil: DAY },
        { ...secret, state: 'ended', acceptedUntil: DAY },
      ],
      publicKeys: [
        { kid: 'one', type: 'P-256', jwk, createdAt: DAY, lastUsedAt: null, lastUsedFrom: null },
        { kid: 'two', type: 'RSA', jwk, createdAt: DAY, ...used },
      ],
    } as unknown as KeyView;
    expect(linesOf(key).slice(14)).toEqual([
      '',
      'SECRET  HINT   CREATED               ACCEPTED UNTIL        LAST USED             FROM',
      'abc     …wxyz  2027-01-31 10:20:30Z  -                     -                     -',
      'abc     …wxyz  2027-01-31 10:20:30Z  2027-01-31 10:20:30Z  2027-01-31 10:20:30Z  203.0.113.7',
      'abc     …wxyz  2027-01-31 10:20:30Z  ended                 -                     -',
      '',
      'KID  TYPE   ADDED                 LAST USED             FROM',
      'one  P-256  2027-01-31 10:20:30Z  -                     -',
      'two  RSA    2027-01-31 10:20:30Z  2027-01-31 10:20:30Z  203.0.113.7',
    ]);
  });
});

describe('a page of keys', () => {
  it('is a table', () => {
    const access = { ...KEY, id: 'acc_1', kind: 'access', apis: null, scopes: ['a'], name: 'Till' } as const;
    const page = { items: [{ ...KEY, lastUsedAt: DAY, expiresAt: DAY }, access], next: null };
    expect(printed((io) => showKeys(io, page, 'APIS'))).toEqual([
      'ID     KIND    ENVIRONMENT  STATE   HINT      APIS      LAST USED             EXPIRES               NAME',
      'key_1  secret  live         active  sk_…abcd  payments  2027-01-31 10:20:30Z  2027-01-31 10:20:30Z  -',
      'acc_1  access  live         active  sk_…abcd  a         -                     -                     Till',
    ]);
    expect(printed((io) => showKeys(io, page, 'SCOPES'))[0]).toContain('  SCOPES  ');
  });

  it('says how to get the next one', () => {
    expect(printed((io) => showKeys(io, { items: [], next: 'k1' }, 'APIS'))).toEqual([
      'There are no matching keys.',
      'There are more keys. For the next page, add --after k1',
    ]);
    expect(printed((io) => showKeys(io, { items: [], next: null }, 'APIS'))).toEqual(['There are no matching keys.']);
  });
});

describe('the usage of a key', () => {
  const PERIOD = { id: 'key_1', from: '2027-01-30', to: '2027-01-31' };
  it('leaves out days without requests', () => {
    const days = [
      { day: '2027-01-29', accepted: 0, refused: 0 },
      { day: '2027-01-30', accepted: 0, refused: 2 },
      { day: '2027-01-31', accepted: 1000, refused: 0 },
    ];
    expect(printed((io) => showKeyUsage(io, { ...PERIOD, accepted: 1000, refused: 2, days }))).toEqual([
      'DAY         ACCEPTED  REFUSED',
      '2027-01-30  0         2',
      '2027-01-31  1000      0',
      '1000 accepted and 2 refused requests from 2027-01-30 to 2027-01-31 (UTC)',
    ]);
  });

  it('is a sentence if there were none', () => {
    expect(printed((io) => showKeyUsage(io, { ...PERIOD, accepted: 0, refused: 0, days: [] }))).toEqual([
      'There were no requests from 2027-01-30 to 2027-01-31.',
    ]);
  });
});
