import { describe, expect, it } from '@jest/globals';
import { removedEntitlements } from '../../../lib/cli/commands/removed-entitlements.js';

type Before = NonNullable<Parameters<typeof removedEntitlements>[0]>;

const BEFORE = {
  ...{ apis: ['payments', 'disputes'], scopes: ['a:read', 'a:*', "it's"], channels: 'all', platforms: ['shop one'] },
} as unknown as Before;

describe('what an account loses', () => {
  it.each([
    ['nothing that is not set', {}, []],
    ['nothing that stays', { apis: ['disputes', 'payments', 'new'], channels: 'all' }, []],
    ['nothing that becomes all', { apis: 'all' }, []],
    [
      'one API',
      { apis: ['payments'] },
      [{ list: 'apis', what: 'the API disputes', restoredBy: '--api payments --api disputes' }],
    ],
    [
      'several scopes, which are quoted for a shell',
      { scopes: ['a:read'] },
      [
        {
          ...{ list: 'scopes', what: "the scopes a:*, it's" },
          restoredBy: String.raw`--scope a:read --scope 'a:*' --scope 'it'\''s'`,
        },
      ],
    ],
    [
      'all channels but two',
      { channels: ['web', 'till'] },
      [{ list: 'channels', what: 'all channels (except web, till)', restoredBy: '--channel all' }],
    ],
    [
      'entries of two lists',
      { apis: [], platforms: [] },
      [
        { list: 'apis', what: 'the APIs payments, disputes', restoredBy: '--api payments --api disputes' },
        { list: 'platforms', what: 'the platform shop one', restoredBy: "--platform 'shop one'" },
      ],
    ],
  ])('is %s', (_what, after, expected) => {
    expect(removedEntitlements(BEFORE, after as Parameters<typeof removedEntitlements>[1])).toEqual(expected);
  });

  it.each(['a b', '$a', 'a;b', '~', 'é'])('is quoted if a shell would read it differently: %s', (name) => {
    const before = { ...BEFORE, apis: [name] } as Before;
    expect(removedEntitlements(before, { apis: [] } as never)[0]?.restoredBy).toBe(`--api '${name}'`);
  });

  it.each(['a_b-c.d:e/f9', 'A'])('is not quoted otherwise: %s', (name) => {
    const before = { ...BEFORE, apis: [name] } as Before;
    expect(removedEntitlements(before, { apis: [] } as never)[0]?.restoredBy).toBe(`--api ${name}`);
  });

  it('is nothing if the account is new', () => {
    expect(removedEntitlements(undefined, { apis: [] } as never)).toEqual([]);
  });
});
