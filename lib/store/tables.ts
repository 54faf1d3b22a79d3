/** The tables, as Kysely sees them on both engines. Times are milliseconds since 1970; lists are JSON texts. */
import type { Generated } from 'kysely';

export interface AccountRow {
  readonly id: string;
  /** JSON: `"all"` or a list. */
  readonly apis: string;
  /** JSON: a list. */
  readonly scopes: string;
  /** JSON: `"all"` or a list. */
  readonly channels: string;
  /** JSON: a list. */
  readonly platforms: string;
  readonly created_at: number;
  readonly disabled_at: number | null;
  readonly version: number;
}

export interface KeyRow {
  readonly id: string;
  readonly kind: 'secret' | 'public' | 'access';
  readonly account: string;
  readonly environment: 'live' | 'sandbox';
  readonly name: string | null;
  /** JSON: `"all"` or a list; null on an access key. */
  readonly apis: string | null;
  /** JSON: a list. */
  readonly scopes: string | null;
  /** JSON: a list; null on an API key. */
  readonly default_scopes: string | null;
  /** JSON: `"all"` or a list. */
  readonly channels: string;
  readonly platform: string | null;
  readonly created_at: number;
  readonly created_by: string;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  readonly disabled_at: number | null;
  readonly tokens_not_before: number | null;
  readonly version: number;
}

export interface SecretRow {
  /** SHA-256 in lower-case hex. */
  readonly digest: string;
  readonly key_id: string;
  /** `sk_…abcd`: fit to be shown. */
  readonly hint: string;
  /** The text of a public key, which is no secret: shown again on request. Null for every other. */
  readonly public_text: string | null;
  readonly created_at: number;
  /** When a rolled one stops being taken. */
  readonly retires_at: number | null;
  readonly last_used_at: number | null;
  readonly last_used_from: string | null;
}

export interface SigningKeyRow {
  /** 1, 2, … without a gap where a key was added: the primary key makes adding compare-and-set. */
  readonly number: number;
  readonly kid: string;
  readonly alg: string;
  readonly created_at: number;
  /** The private key as a compact JWE. */
  readonly jwe: string;
}

export interface AuditRow {
  readonly id: string;
  readonly at: number;
  readonly account: string;
  readonly actor: string;
  /** The permission that the actor acted by. */
  readonly role: string | null;
  readonly action: string;
  readonly outcome: string;
  readonly subject: string | null;
  /** JSON of the fields before and after; never a credential. */
  readonly before: string | null;
  readonly after: string | null;
  readonly origin: string | null;
}

/** As it is stored: numbered by the database in the order of writing. The number is never shown: it counts every account's. */
export interface StoredAuditRow extends AuditRow {
  readonly number: Generated<number>;
}

/** A creation that its caller may send again. */
export interface CreationRow {
  readonly account: string;
  readonly idempotency_key: string;
  /** SHA-256 of what was asked for. */
  readonly request: string;
  readonly key_id: string;
  readonly at: number;
}

export interface ChangeRow {
  readonly position: number;
  /** Random: tells a step from the one that stands at the same position in a restored database. */
  readonly id: string;
  readonly member: 'key' | 'accessKey' | 'account' | 'all';
  readonly subject: string | null;
}

export interface FeedHeadRow {
  /** Always 1: the table has one row, whose lock puts commits in order. */
  readonly one: number;
  readonly position: number;
}

/** Kysely's own. */
export interface MigrationRow {
  readonly name: string;
}

export interface Tables {
  readonly accounts: AccountRow;
  readonly keys: KeyRow;
  readonly secrets: SecretRow;
  readonly signing_keys: SigningKeyRow;
  readonly audit: StoredAuditRow;
  readonly creations: CreationRow;
  readonly changes: ChangeRow;
  readonly feed_head: FeedHeadRow;
  readonly migrations: MigrationRow;
}
