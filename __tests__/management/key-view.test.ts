import { describe, expect, it } from '@jest/globals';
import { keyViewOf, secretIdOf } from '../../lib/management/key-view.js';
import type { KeyRow } from '../../lib/store/tables.js';
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
    expect(keyViewOf({ key: keyRow(traits), secrets: [] }, NOW).state).toBe(state);
  });
});

describe('the texts of a key', () => {
  const key = keyRow();
  const old = secretRow(key.id, 'sk_old', { created_at: 1, retires_at: NOW, last_used_at: 7, last_used_from: '::1' });
  const young = secretRow(key.id, 'sk_young', { created_at: 2, last_used_at: 5 });
  const unused = secretRow(key.id, 'sk_unused', { created_at: 3 });

  it('are the newest first, whose hint is the key’s; each says when and from where it was used', () => {
    const view = keyViewOf({ key, secrets: [old, young] }, NOW);
    const since = (time: number) => ({ createdAt: new Date(time) });
    expect(view.secrets).toEqual([
      {
        ...{ id: secretIdOf(young), hint: young.hint, ...since(2), retiresAt: null },
        ...{ lastUsedAt: new Date(5), lastUsedFrom: null },
      },
      {
        ...{ id: secretIdOf(old), hint: old.hint, ...since(1), retiresAt: new Date(NOW) },
        ...{ lastUsedAt: new Date(7), lastUsedFrom: '::1' },
      },
    ]);
    expect(view.hint).toBe(young.hint);
  });

  it('have a hint of the newest that stays', () => {
    const gone = secretRow(key.id, 'sk_gone', { created_at: 9, retires_at: NOW });
    expect(keyViewOf({ key, secrets: [young, gone] }, NOW).hint).toBe(young.hint);
    expect(keyViewOf({ key, secrets: [gone] }, NOW).hint).toBe(gone.hint);
  });

  it.each([
    ['the latest use of any', [old, young], 7],
    ['the one use', [young, unused], 5],
    ['none', [unused], undefined],
  ])('say when the key was used last: %s', (_what, secrets, time) => {
    expect(keyViewOf({ key, secrets }, NOW).lastUsedAt).toEqual(time === undefined ? null : new Date(time));
  });

  it('are none where there is none', () => {
    expect(keyViewOf({ key, secrets: [] }, NOW)).toMatchObject({ hint: '', publicText: null, secrets: [] });
  });

  it('hold nothing of a digest but its beginning', () => {
    expect(JSON.stringify(keyViewOf({ key, secrets: [old] }, NOW))).not.toContain(old.digest.slice(0, 17));
  });
});
