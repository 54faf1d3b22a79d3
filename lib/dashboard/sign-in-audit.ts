/** Sign-ins in the audit, those that were refused among them (OWASP ASVS 16.3.1). */
import type { Clock } from '../contracts/clock.js';
import type { Member } from '../management/member.js';
import { transactOn } from '../management/reached.js';
import type { CredentialStore } from '../store/credential-store.js';

/**
 * Writes one down.
 *
 * @param member - Who signed in; `undefined` where nobody did.
 * @param origin - The address of who tried.
 * @throws ManagementError `unavailable` where the store fails.
 */
export type RecordSignIn = (member: Member | undefined, origin: string | undefined) => Promise<void>;

/** What the audit says in the place of a member. */
const NOBODY = 'unknown';

/** @param members - Who can sign in: a link that was refused is told to the accounts of all, since it is nobody's. */
export function signInAudit(
  store: CredentialStore | undefined,
  members: ReadonlyMap<string, Member>,
  clock: Clock,
): RecordSignIn {
  if (store === undefined) return async () => undefined;
  const { ledger } = store;
  const everyAccount = new Set([...members.values()].map(({ account }) => account));

  return async function recordSignIn(member, origin = '') {
    const entry = {
      ...{ at: clock.now(), actor: member?.id ?? NOBODY, role: roleOf(member), origin: origin === '' ? null : origin },
      ...{ action: 'sign_in', outcome: member === undefined ? 'refused' : 'done' },
      ...{ subject: null, before: null, after: null },
    };
    await transactOn(ledger, async (tx) => {
      for (const account of member === undefined ? everyAccount : [member.account]) {
        await tx.audit({ ...entry, account });
      }
    });
  };
}

function roleOf(member: Member | undefined): string | null {
  if (member === undefined) return null;
  return member.permissions.includes('owner') ? 'owner' : (member.permissions[0] ?? null);
}
