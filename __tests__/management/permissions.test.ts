import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ManagementError } from '../../lib/management/management-error.js';
import { readMember } from '../../lib/management/member.js';
import {
  type Action,
  isAllowed,
  mayGrant,
  type Permission,
  permissionScope,
  permissionTitle,
} from '../../lib/management/permissions.js';
import { law } from '../support/law.js';

/** docs/spec.md §5.4, written out, and a reader who only looks; rotating is an edit, and the audit is a list. */
const TABLE: Readonly<
  Record<Action, { readonly reader: boolean; readonly developer: boolean; readonly owner: boolean }>
> = {
  list: { reader: true, developer: true, owner: true },
  view: { reader: true, developer: true, owner: true },
  create: { reader: false, developer: true, owner: true },
  edit: { reader: false, developer: false, owner: true },
  revoke: { reader: false, developer: false, owner: true },
  rotate: { reader: false, developer: false, owner: true },
  audit: { reader: true, developer: true, owner: true },
};
const ACTIONS = Object.keys(TABLE) as Action[];

describe('the permission table', () => {
  it.each(
    ACTIONS.flatMap((action) => [
      { action, held: [] as Permission[], allowed: false },
      { action, held: ['reader'] as Permission[], allowed: TABLE[action].reader },
      { action, held: ['developer'] as Permission[], allowed: TABLE[action].developer },
      { action, held: ['owner'] as Permission[], allowed: TABLE[action].owner },
      { action, held: ['developer', 'owner'] as Permission[], allowed: true },
    ]),
  )('$action with $held: $allowed', ({ action, held, allowed }) => {
    expect(isAllowed(action, held)).toBe(allowed);
  });

  it.each(ACTIONS)('says which permission and scope %s needs', (action) => {
    const { reader, developer } = TABLE[action];
    expect(permissionTitle(action)).toBe(reader ? 'Reader' : developer ? 'Developer' : 'Owner');
    expect(permissionScope(action)).toBe(reader ? 'keys:read' : developer ? 'keys:write' : 'keys:manage');
  });

  it.each<[string, Permission | undefined]>([
    ['payments', undefined],
    ['monkeys:', undefined],
    ['keys:read', 'reader'],
    ['keys:write', 'developer'],
    ['keys:manage', 'owner'],
    ['keys:', 'owner'],
    ['keys:other', 'owner'],
  ])('lets a member give a key the scope %s with the permission %s', (scope, needed) => {
    const order: Permission[] = ['reader', 'developer', 'owner'];
    expect(mayGrant(scope, [])).toBe(needed === undefined);
    for (const held of order) {
      const isEnough = needed === undefined || order.indexOf(held) >= order.indexOf(needed);
      expect([held, mayGrant(scope, [held])]).toEqual([held, isEnough]);
    }
  });

  law('allows exactly what the table does, whatever else a member holds', () =>
    fc.property(
      fc.constantFrom(...ACTIONS),
      fc.array(fc.oneof(fc.constantFrom('reader', 'developer', 'owner'), fc.constantFrom(...STRANGE), fc.anything())),
      (action, permissions) => {
        const { permissions: held } = readMember({ id: 'm', account: 'a', permissions });
        const { reader, developer, owner } = TABLE[action];
        const expected =
          (reader && permissions.includes('reader')) ||
          (developer && permissions.includes('developer')) ||
          (owner && permissions.includes('owner'));
        expect(isAllowed(action, held)).toBe(expected);
      },
    ),
  );
});

const STRANGE = ['Owner', 'OWNER', 'owner ', 'admin', 'root', '', 'developer,owner', ['owner'], { owner: true }, '*'];

describe('readMember', () => {
  it('returns a valid member', () => {
    const member = { id: 'm', account: 'a', permissions: ['owner'], address: '203.0.113.7' };
    expect(readMember(member)).toEqual(member);
  });

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['false', false],
    ['a text', 'owner'],
    ['an empty object', {}],
    ['a list', []],
    ['no id', { account: 'a', permissions: ['owner'] }],
    ['an empty id', { id: '', account: 'a', permissions: ['owner'] }],
    ['an id that is no text', { id: 1, account: 'a', permissions: ['owner'] }],
    ['no account', { id: 'm', permissions: ['owner'] }],
    ['an empty account', { id: 'm', account: '', permissions: ['owner'] }],
    ['an account that is no text', { id: 'm', account: ['a'], permissions: ['owner'] }],
    ['no permissions', { id: 'm', account: 'a' }],
    ['permissions in a text', { id: 'm', account: 'a', permissions: 'owner' }],
    ['permissions in an object', { id: 'm', account: 'a', permissions: { owner: true } }],
  ])('refuses %s', (_what, value) => {
    expect(() => readMember(value)).toThrow(
      new ManagementError('no_member', 'the caller is not a member of an account'),
    );
  });

  it('leaves out an address that is not a string', () => {
    expect(readMember({ id: 'm', account: 'a', permissions: [], address: ['::1'] }).address).toBeUndefined();
  });
});
