/** What every credential of the bench holds. The first is asked for where scopes are. */
export const SCOPES = Object.freeze(['payments:capture', 'payments:refund']);
