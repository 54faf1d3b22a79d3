/** The types of the database tables, as Kysely needs them. Times are milliseconds since 1970; lists are JSON. */
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
  /** Tokens of the access key from before this time are revoked. Null if no time was set, and on an API key. */
  readonly tokens_not_before: number | null;
  /** JSON: an object of strings. */
  readonly metadata: string | null;
  /** JSON: a list of addresses and networks. */
  readonly allowed_addresses: string | null;
  /** JSON: a list of `{ requests, seconds }`. */
  readonly limits: string | null;
  /** How tokens of an access key must be bound to the client; null if they need not be bound, and on an API key. */
  readonly require_confirmation: 'dpop' | 'mtls' | 'any' | null;
  readonly version: number;
  /** When a secret or public key of this key was last used, even if it was deleted later; 0 for a key without a use. */
  readonly used_at: number;
}

/** A row of the table `keys` with all its columns. The database gives the generated columns a default value. */
export interface StoredKeyRow extends Omit<KeyRow, 'used_at'> {
  /** The name, the id and the hints of the key, case-folded. Searches read it. */
  readonly search_text: Generated<string>;
  /** The name of the key, or its id if it has no name, case-folded. Lists are sorted by it. */
  readonly sort_name: Generated<string>;
  readonly used_at: Generated<number>;
  /** How many tokens of an access key were ever revoked one by one. The latest of these revocations has this number. */
  readonly tokens_revoked: Generated<number>;
  /**
   * The value of `tokens_revoked` when all tokens of the access key were last revoked at once. Revocations up to this
   * number do not count towards the limit of 100,000. They stay stored until they expire, because a token may still
   * need its own revocation: the `iat` of an issuer whose clock is ahead may be after the time at which all tokens were
   * revoked.
   */
  readonly tokens_superseded: Generated<number>;
}

export interface SecretRow {
  /** SHA-256 in lowercase hex. */
  readonly digest: string;
  readonly key_id: string;
  /** A shortened form that may be shown: `sk_…abcd`. */
  readonly hint: string;
  /** The key value of a public key, which is not a secret and can be viewed again; null for other kinds. */
  readonly public_text: string | null;
  readonly created_at: number;
  /** When the grace period of a rotated secret ends, by the clock of each process; null if the secret has none. */
  readonly retires_at: number | null;
  /**
   * When the secret was ended; null if it was not ended. As soon as a time is set, every process refuses the secret,
   * whatever its clock says.
   */
  readonly ended_at: number | null;
  readonly last_used_at: number | null;
  readonly last_used_from: string | null;
}

/**
 * The digest of an ended secret whose row was deleted. It stays stored, so that the secret cannot be imported again.
 */
export interface EndedDigestRow {
  readonly digest: string;
  readonly key_id: string;
}

/** A public key with which an access key authenticates (RFC 7523). */
export interface PublicKeyRow {
  readonly key_id: string;
  /** Unique among the public keys of the access key. */
  readonly kid: string;
  /** The public JWK as JSON, with its `kid`. */
  readonly jwk: string;
  /** SHA-256 of the access key's id and the `kid`, in lowercase hex. Uses of the public key are recorded under it. */
  readonly digest: string;
  readonly created_at: number;
  readonly last_used_at: number | null;
  readonly last_used_from: string | null;
}

/** A token that was revoked before it expired. */
export interface RevokedTokenRow {
  readonly key_id: string;
  readonly jti: string;
  /** The number of the revocation: 1, 2, … for each access key, in the order of commits. */
  readonly number: number;
  readonly expires_at: number;
}

export interface SigningKeyRow {
  /**
   * 1, 2, …: a new signing key gets the next number. If two instances add one at the same time, the primary key lets
   * only one of them succeed.
   */
  readonly number: number;
  readonly kid: string;
  readonly alg: string;
  readonly created_at: number;
  /** The private key as a compact JWE. */
  readonly jwe: string;
  /**
   * When the signing key was retired; null if it was not. A retired key is published until its last token has expired.
   */
  readonly retired_at: number | null;
}

/**
 * A row that only the encryption key of this database can decrypt. If `openStore` gets encryption keys, but none of
 * them decrypts the row, it throws.
 */
export interface EncryptionCheckRow {
  /** Always 1, because the table has only one row. */
  readonly one: number;
  readonly jwe: string;
}

/** A running issuer. While it runs, a new issuer with another signing algorithm issues no tokens. */
export interface IssuerRow {
  readonly id: string;
  readonly algorithm: string;
  /** When the issuer last sent a heartbeat, by the clock of the database. */
  readonly seen_at: number;
}

export interface AuditRow {
  readonly id: string;
  readonly at: number;
  readonly account: string;
  readonly actor: string;
  /**
   * The highest permission of the member who acted; `operator` for an operation of the operator, such as an import or a
   * change of an account. Null for a member without a permission, and for the issuer.
   */
  readonly role: string | null;
  readonly action: string;
  readonly outcome: string;
  /** The id of the key, account or signing key that the operation concerns. */
  readonly subject: string | null;
  /** The changed fields before and after the operation, as JSON. They never contain a credential. */
  readonly before: string | null;
  readonly after: string | null;
  /** The IP address of the actor. */
  readonly origin: string | null;
}

/**
 * A row of the table `audit` with all its columns. The database numbers the entries in the order in which they are
 * written. The number is never shown, because it would reveal how many entries other accounts have.
 */
export interface StoredAuditRow extends AuditRow {
  readonly number: Generated<number>;
}

/** Counts equal refusals of one minute. They share one entry in the audit log, which the first refusal wrote. */
export interface RefusalRow {
  readonly account: string;
  readonly actor: string;
  readonly action: string;
  readonly code: string;
  /**
   * The id of the key in the request; empty if the account has no key with this id, because a caller could otherwise
   * create any number of rows with invented ids.
   */
  readonly key_id: string;
  /** The minute of the refusals, as the number of minutes since 1970. */
  readonly minute: number;
  /** The id of the shared entry in the audit log. */
  readonly entry: string;
  readonly count: number;
}

/**
 * A request that created or changed a key. It is stored with its idempotency key, so that a repeated request is not
 * carried out twice.
 */
export interface CreationRow {
  readonly account: string;
  readonly idempotency_key: string;
  /** SHA-256 of the request, which detects a different request with the same idempotency key. */
  readonly request: string;
  readonly key_id: string;
  readonly at: number;
}

/** The id of a DPoP proof or client assertion that was used, or of a batch of usage counts that was written. */
export interface UsedIdRow {
  readonly id: string;
  /** When the id may be deleted: milliseconds since 1970, by the clock of the database. */
  readonly expires_at: number;
}

/** The number of requests of one key on one day. */
export interface UsageRow {
  readonly key_id: string;
  /** The day in UTC, as the number of days since 1970-01-01. */
  readonly day: number;
  readonly accepted: number;
  readonly refused: number;
}

export interface ChangeRow {
  readonly position: number;
  /** A random id. After a backup was restored, another change may get the same position, but it gets another id. */
  readonly id: string;
  /** The type of the changed record; `all` if everything cached must be invalidated. */
  readonly member: 'key' | 'accessKey' | 'account' | 'all';
  /** The id of the changed record; null for `all`. */
  readonly subject: string | null;
}

export interface FeedHeadRow {
  /** Always 1, because the table has only one row. Each transaction with a change locks this row until its commit. */
  readonly one: number;
  readonly position: number;
}

/** The table in which Kysely records the migrations that have run. */
export interface MigrationRow {
  readonly name: string;
}

export interface Tables {
  readonly accounts: AccountRow;
  readonly keys: StoredKeyRow;
  readonly secrets: SecretRow;
  readonly ended_digests: EndedDigestRow;
  readonly public_keys: PublicKeyRow;
  readonly revoked_tokens: RevokedTokenRow;
  readonly signing_keys: SigningKeyRow;
  readonly encryption_check: EncryptionCheckRow;
  readonly issuers: IssuerRow;
  readonly audit: StoredAuditRow;
  readonly refusals: RefusalRow;
  readonly creations: CreationRow;
  readonly usage: UsageRow;
  readonly used_ids: UsedIdRow;
  readonly changes: ChangeRow;
  readonly feed_head: FeedHeadRow;
  readonly migrations: MigrationRow;
}
