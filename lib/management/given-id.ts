/** The id of a key, as somebody gave it. */

const KEY_ID = /^(?:key|ack)_[\w-]{1,60}$/;

/** Whether it may be looked up: PostgreSQL has no text with a NUL in it. */
export function isIdText(id: unknown): id is string {
  return typeof id === 'string' && !id.includes('\0');
}

/** What the audit says of it. Whatever has not the shape of an id may be a credential, and is not written down. */
export function subjectOf(id: unknown): string | undefined {
  return typeof id === 'string' && KEY_ID.test(id) ? id : undefined;
}
