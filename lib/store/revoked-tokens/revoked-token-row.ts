/** A token that was revoked before it expired. */
export interface RevokedTokenRow {
  readonly key_id: string;
  readonly jti: string;
  /** The number of the revocation: 1, 2, … for each access key, in the order of commits. */
  readonly number: number;
  readonly expires_at: number;
}
