/** Writes sign-ins, sign-outs and refused links to the audit log (OWASP ASVS 16.3.1). */
import type { Clock } from '../../contracts/clock.js';
import type { Member } from '../../management/member.js';
import { retryTransaction } from '../../management/retry-transaction.js';
import { storedAddress } from '../../protocol/ip-address.js';
import type { CredentialStore } from '../../store/credential-store.js';

/** `origin` is the IP address of the request. Each method throws ManagementError `unavailable` if the store fails. */
export interface SignInAudit {
  signedIn(member: Member, origin: string | undefined): Promise<void>;
  /**
   * Writes a refused link to the audit log of its member's account. An unknown link may belong to any member, so it is
   * written to the log of every account that has one. If there are several accounts, the entries have no address: the
   * visitor may be a member of another account.
   *
   * @param member - The member of the link; `undefined` for an unknown link.
   */
  refused(member: Member | undefined, origin: string | undefined): Promise<void>;
  signedOut(member: Pick<Member, 'id' | 'account'>, origin: string | undefined): Promise<void>;
}

/** The actor in the entry for a refused link. Anyone may have opened the link, so the entry names no member. */
const UNKNOWN_ACTOR = 'unknown';
const NO_AUDIT: SignInAudit = {
  signedIn: async () => undefined,
  refused: async () => undefined,
  signedOut: async () => undefined,
};

export function signInAudit(
  store: CredentialStore | undefined,
  members: ReadonlyMap<string, Member>,
  clock: Clock,
): SignInAudit {
  if (store === undefined) return NO_AUDIT;
  const { repository } = store;
  const everyAccount = new Set([...members.values()].map(({ account }) => account));

  async function record(action: string, { id, account }: Pick<Member, 'id' | 'account'>, origin: string | undefined) {
    const who = { actor: id, role: roleOf(members.get(id)), origin: originOf(origin) };
    const what = { action, outcome: 'done', subject: null, before: null, after: null };
    await retryTransaction(repository, (tx) => tx.audit({ at: clock.now(), account, ...who, ...what }));
  }

  return {
    signedIn: (member, origin) => record('sign_in', member, origin),
    signedOut: (member, origin) => record('sign_out', member, origin),
    async refused(member, origin) {
      const accounts = member === undefined ? everyAccount : new Set([member.account]);
      const who = { actor: UNKNOWN_ACTOR, role: null, origin: accounts.size > 1 ? null : originOf(origin) };
      const what = { action: 'sign_in', code: 'bad_link', subject: null };
      await retryTransaction(repository, async (tx) => {
        for (const account of accounts) await tx.auditRefusal({ at: clock.now(), account, ...who, ...what });
      });
    },
  };
}

function originOf(address: string | undefined): string | null {
  return address === undefined ? null : storedAddress(address);
}

function roleOf(member: Member | undefined): string | null {
  // `readMember` has sorted the permissions, so the last one is the highest.
  return member?.permissions.at(-1) ?? null;
}
