import { describe, expect, it } from '@jest/globals';
import { keyViewOf, secretIdOf } from '../../lib/management/keys/key-view.js';
import type { KeyRow, SecretRow } from '../../lib/store/tables.js';
import { keyRow, secretRow } from '../support/stored-rows.js';

const NOW = 1_800_000_000_000;

describe('the state of a key', () => {
  const [past, future] = [{ revoked_at: NOW - 1, expires_at: NOW - 1, disabled_at: NOW - 1 }, { expires_at: NOW + 1 }];

  it.each<[string, Partial<KeyRow>]>([
    ['active', {}],
    ['active', future],
    ['disabled', { disabled_at: NOW }],
    ['disabled', { ...future, disabled_at: past.disabled_at }],
    ['expired', { expires_at: NOW }],
    ['expired', { expires_at: past.expires_at, disabled_at: past.disabled_at }],
    ['revoked', { revoked_at: NOW }],
    ['revoked', past],
  ])('is %s: %j', (state, traits) => {
    expect(keyViewOf({ key: keyRow(traits), secrets: [], publicKeys: [] }, NOW).state).toBe(state);
  });
});

describe('the secrets of a key', () => {
  const key = keyRow();
  const old = secretRow(key.id, 'sk_old', { created_at: 1, retires_at: NOW, last_used_at: 7, last_used_from: '::1' });
  const young = secretRow(key.id, 'sk_young', { created_at: 2, last_used_at: 5 });
  const unused = secretRow(key.id, 'sk_unused', { created_at: 3 });

  it('are listed newest first, each with its last use; the key has the hint of the newest', () => {
    const view = keyViewOf({ key, secrets: [old, young], publicKeys: [] }, NOW);
    const since = (time: number) => ({ createdAt: new Date(time) });
    expect(view.secrets).toEqual([
      {
        ...{ id: secretIdOf(young), hint: young.hint, ...since(2), state: 'current', acceptedUntil: null },
        ...{ lastUsedAt: new Date(5), lastUsedFrom: null },
      },
      {
        ...{ id: secretIdOf(old), hint: old.hint, ...since(1), state: 'ended', acceptedUntil: new Date(NOW) },
        ...{ lastUsedAt: new Date(7), lastUsedFrom: '::1' },
      },
    ]);
    expect(view.hint).toBe(young.hint);
  });

  it('the key was last used when the store says so, whichever credentials are left', () => {
    const lastUse = (used_at: number) =>
      keyViewOf({ key: { ...key, used_at }, secrets: [unused], publicKeys: [] }, NOW).lastUsedAt;
    expect([lastUse(0), lastUse(9)]).toEqual([null, new Date(9)]);
  });

  it('the key has the hint of the newest secret without an end', () => {
    const gone = secretRow(key.id, 'sk_gone', { created_at: 9, retires_at: NOW });
    expect(keyViewOf({ key, secrets: [young, gone], publicKeys: [] }, NOW).hint).toBe(young.hint);
    expect(keyViewOf({ key, secrets: [gone], publicKeys: [] }, NOW).hint).toBe(gone.hint);
  });

  it('a public API key has the value of the newest secret without an end', () => {
    const row = keyRow({ kind: 'public' });
    const current = secretRow(row.id, 'pk_current', { created_at: 2, public_text: 'pk_current' });
    const gone = secretRow(row.id, 'pk_gone', { created_at: 9, retires_at: NOW, public_text: 'pk_gone' });
    const ended = secretRow(row.id, 'pk_ended', { created_at: 10, ended_at: NOW, public_text: 'pk_ended' });
    const publicKeyOf = (secrets: readonly SecretRow[]) =>
      keyViewOf({ key: row, secrets, publicKeys: [] }, NOW).publicKey;
    expect([publicKeyOf([current, gone, ended]), publicKeyOf([gone])]).toEqual(['pk_current', 'pk_gone']);
  });

  it.each<[string, Partial<KeyRow>, Partial<SecretRow>, string, number | null]>([
    ['the key has no end', {}, {}, 'current', null],
    ['with the key, which expires', { expires_at: NOW + 5 }, {}, 'current', null],
    ['with the key, which has expired', { expires_at: NOW }, {}, 'ended', null],
    ['with the key, which was revoked', { revoked_at: NOW + 3 }, {}, 'ended', null],
    ['a grace period', {}, { retires_at: NOW + 9 }, 'grace_period', NOW + 9],
    ['a grace period longer than the key', { expires_at: NOW + 5 }, { retires_at: NOW + 9 }, 'grace_period', NOW + 5],
    ['a grace period shorter than the key', { expires_at: NOW + 9 }, { retires_at: NOW + 5 }, 'grace_period', NOW + 5],
    ['the key has expired', { expires_at: NOW }, { retires_at: NOW + 9 }, 'ended', NOW],
    ['the key was revoked', { revoked_at: NOW - 1 }, { retires_at: NOW + 9 }, 'ended', NOW - 1],
    [
      'the key was revoked by a clock that is ahead',
      { revoked_at: NOW + 3 },
      { retires_at: NOW + 9 },
      'ended',
      NOW + 3,
    ],
    ['the secret was ended by a clock that is ahead', {}, { retires_at: NOW + 9, ended_at: NOW + 3 }, 'ended', NOW + 3],
  ])('N37 show when they end: %s', (_what, ofKey, ofSecret, state, until) => {
    const row = keyRow(ofKey);
    const view = keyViewOf({ key: row, secrets: [secretRow(row.id, 'sk', ofSecret)], publicKeys: [] }, NOW);
    expect(view.secrets[0]).toMatchObject({ state, acceptedUntil: until === null ? null : new Date(until) });
  });

  it('are empty if there are none', () => {
    expect(keyViewOf({ key, secrets: [], publicKeys: [] }, NOW)).toMatchObject({
      hint: '',
      publicKey: null,
      secrets: [],
    });
  });

  it('contain only the start of a digest', () => {
    expect(JSON.stringify(keyViewOf({ key, secrets: [old], publicKeys: [] }, NOW))).not.toContain(
      old.digest.slice(0, 17),
    );
  });
});
