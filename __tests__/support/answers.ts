/** The answers of behaviours.md, by their codes, as a client sees them. */

const CHALLENGE = 'Bearer realm="api"';

const described = (error: string, description: string) =>
  `${CHALLENGE}, error="${error}", error_description="${description}"`;

export const U0 = { status: 401, challenge: CHALLENGE };
export const R4 = {
  status: 400,
  challenge: described('invalid_request', 'The credential is malformed, or the request has more than one credential'),
};
export const T1 = {
  status: 401,
  challenge: described('invalid_token', 'The credential is invalid, expired or revoked'),
};
const INSUFFICIENT = described('insufficient_scope', 'The credential does not give access to this resource');
export const S3 = { status: 403, challenge: INSUFFICIENT };
export const A5 = { status: 503, challenge: undefined, retryAfter: '1' };

/** S3 where scopes were asked. */
export const lacking = (scope: string) => ({ status: 403, challenge: `${INSUFFICIENT}, scope="${scope}"` });

/** Reads the answer out of a response of supertest, fetch-like objects with plain headers, or a raw one. */
export function answerOf(response: { readonly status: number; readonly headers: Readonly<Record<string, string>> }) {
  const challenge = response.headers['www-authenticate'];
  const retryAfter = response.headers['retry-after'];
  return retryAfter === undefined
    ? { status: response.status, challenge }
    : { status: response.status, challenge, retryAfter };
}
