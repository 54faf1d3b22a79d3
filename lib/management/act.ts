/** One act of a member: allowed, done and written down in one transaction, or refused and written down. */
import type { Clock } from '../contracts/clock.js';
import type { CredentialStore } from '../store/credential-store.js';
import type { LedgerTransaction } from '../store/ledger.js';
import { ManagementError } from './management-error.js';
import { type Member, readMember } from './member.js';
import { type Action, isAllowed, permissionFor } from './permissions.js';
import { reached, transactOn } from './reached.js';

/** What is done, to what. */
export interface Deed {
  readonly action: Action;
  /** What the audit calls it: `key.create`. */
  readonly name: string;
  /** The id of what it is done to, once it is known; `undefined` for what is yet to be made. */
  subject: string | undefined;
}

/** What the audit says of it: the fields that were, and those that are. */
export interface Done<T> {
  readonly result: T;
  readonly subject: string;
  readonly before: object | undefined;
  readonly after: object | undefined;
}

export interface Acting {
  readonly member: Member;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Acts for members on one store. */
export interface Acts {
  /** Looks, and changes nothing. */
  look<T>(member: unknown, deed: Deed, work: (acting: Acting) => Promise<T>): Promise<T>;
  /** Changes something. Where the change or its entry in the audit fails, neither happens. */
  change<T>(member: unknown, deed: Deed, work: (tx: LedgerTransaction, acting: Acting) => Promise<Done<T>>): Promise<T>;
}

export function actsOn(store: CredentialStore, clock: Clock): Acts {
  const { ledger } = store;

  async function look<T>(given: unknown, deed: Deed, work: (acting: Acting) => Promise<T>): Promise<T> {
    const member = readMember(given);
    return await attempt(member, deed, () => work({ member, now: clock.now() }));
  }

  async function change<T>(
    given: unknown,
    deed: Deed,
    work: (tx: LedgerTransaction, acting: Acting) => Promise<Done<T>>,
  ): Promise<T> {
    const member = readMember(given);
    return await attempt(member, deed, () =>
      transactOn(ledger, async (tx) => {
        const acting = { member, now: clock.now() };
        const { result, subject, before, after } = await work(tx, acting);
        await tx.audit({
          ...entryOf(acting, deed),
          outcome: 'done',
          subject,
          before: textOf(before),
          after: textOf(after),
        });
        return result;
      }),
    );
  }

  async function attempt<T>(member: Member, deed: Deed, work: () => Promise<T>): Promise<T> {
    try {
      if (!isAllowed(deed.action, member.permissions)) {
        throw new ManagementError('forbidden', `this needs the permission ${permissionFor(deed.action)}`);
      }
      return await reached(work);
    } catch (error) {
      if (isRefusal(error)) await writeRefusal(member, deed, error);
      throw error;
    }
  }

  /** In a transaction of its own: the one that was refused is rolled back. */
  async function writeRefusal(member: Member, deed: Deed, { code }: ManagementError): Promise<void> {
    const entry = entryOf({ member, now: clock.now() }, deed);
    const subject = deed.subject ?? null;
    await transactOn(ledger, (tx) =>
      tx.audit({ ...entry, outcome: 'refused', subject, before: null, after: textOf({ refused: code }) }),
    );
  }

  return { look, change };
}

/** A slip of the pen is none; whoever asks for what is not his, or comes too late, leaves a trace. */
function isRefusal(error: unknown): error is ManagementError {
  return (
    error instanceof ManagementError && ['forbidden', 'not_found', 'version_conflict', 'revoked'].includes(error.code)
  );
}

function entryOf({ member, now }: Acting, { name }: Deed) {
  return {
    at: now,
    account: member.account,
    actor: member.id,
    role: member.permissions.includes('owner') ? 'owner' : (member.permissions[0] ?? null),
    action: name,
    origin: member.address ?? null,
  };
}

function textOf(fields: object | undefined): string | null {
  return fields === undefined ? null : JSON.stringify(fields);
}
