/**
 * Refuses records with unknown fields that look like an expiry or a revocation, such as `status: 'revoked'` or
 * `deleted_at`. keyward does not read such a field, so it would accept the revoked key forever.
 */
import { RecordError } from './record-error.js';

/**
 * Matches parts of words that suggest whether or until when a credential is valid, anywhere in the name of a field:
 * `is_revoked`, `expires_at`, `is_active`. The name is first converted to lower case and snake case: `isRevoked` becomes
 * `is_revoked`.
 */
const ENDINGS =
  /expir|revo[ck]|delet|disabl|enabl|activ|suspend|block|banned|cancel|terminat|compromis|archiv|retire|withdraw|valid|destroy/;
/**
 * Matches further such words, but only as whole words of the converted name, as in `key_status` and `locked_at`. As a part
 * of a longer word they often mean something else: `state` in `estate`.
 */
const ENDING_WORDS =
  /(?:^|_)(?:status|state|until|ends?|ended|ttl|locked|removed|closed|dead|killed|lapsed|frozen|paused|before|after|exp)(?:_|$)/;
/**
 * Matches a name that could be the name of a column. Any other name may contain data, so the error message does not
 * repeat it.
 */
const NAME = /^[\w$-]{1,60}$/;

/**
 * Refuses a record that has a value in a field that keyward does not read, if the name of the field looks like an expiry
 * or a revocation. There is one exception: `expires_at` is allowed if `expiresAt`, which keyward reads, has a value too.
 * The same holds for every name that differs only in case and separators from the name of a field that keyward reads.
 *
 * @param readMembers - An object whose property names are the fields that keyward reads.
 * @param path - Put before the name of the field in the error, such as `secrets.`.
 */
export function refuseUnknownExpiryFields(
  record: object,
  readMembers: Readonly<Record<string, true>>,
  path = '',
): void {
  const values = record as Readonly<Record<string, unknown>>;
  for (const member of membersOf(values)) {
    if (Object.hasOwn(readMembers, member) || !looksLikeAnExpiry(member) || !hasValue(values[member])) continue;
    const copy = Object.keys(readMembers).find((name) => spelling(name) === spelling(member));
    if (copy !== undefined && hasValue(values[copy])) continue;
    const named = NAME.test(member) ? `${path}${member}: the` : 'the record has a field whose';
    const remedy = copy ?? `${endingFieldsOf(readMembers)} instead, or remove this field from the record`;
    throw new RecordError(
      `${named} name suggests an expiry or a revocation, but keyward does not read this field; use ${remedy}`,
    );
  }
}

/** Returns a text such as `expiresAt, revokedAt or disabled`: the fields by which this record can say that it ended. */
function endingFieldsOf(readMembers: Readonly<Record<string, true>>): string {
  const fields = ['expiresAt', 'revokedAt', 'disabled'].filter((field) => Object.hasOwn(readMembers, field));
  return fields.join(', ').replace(/, (?=\w+$)/, ' or ');
}

/**
 * Returns the names of all properties, including inherited getters: the model class of an ORM may define its columns as
 * getters.
 */
function* membersOf(record: object): Generator<string> {
  for (const member in record) yield member;
  for (let proto = Object.getPrototypeOf(record); hasGetters(proto); proto = Object.getPrototypeOf(proto)) {
    for (const [member, { get }] of Object.entries(Object.getOwnPropertyDescriptors(proto)))
      if (get !== undefined) yield member;
  }
}

function hasGetters(proto: object | null): proto is object {
  return proto !== null && Object.getPrototypeOf(proto) !== null;
}

function looksLikeAnExpiry(member: string): boolean {
  const words = member
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/\W/g, '_')
    .toLowerCase();
  return ENDINGS.test(words) || ENDING_WORDS.test(words);
}

function spelling(member: string): string {
  return member.replace(/[^A-Za-z0-9]/g, '').toLowerCase();
}

function hasValue(value: unknown): boolean {
  return value !== undefined && value !== null;
}
