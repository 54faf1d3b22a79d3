import { KeywardError } from '../../errors/keyward-error.js';

/** An error that the member sees as an error page. `message` is the text of the page. */
export class HttpError extends KeywardError {
  override readonly name = 'HttpError';
  declare readonly status: number;
  /** The heading of the page. */
  readonly title: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, title: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super('page_refused', message, { status });
    this.title = title;
    this.headers = headers;
  }
}

export function badRequest(message: string): HttpError {
  return new HttpError(400, 'Invalid request', message);
}

export function methodNotAllowed(allow: string): HttpError {
  const message = 'This address cannot be opened directly. Go to your keys and open the page from there.';
  return new HttpError(405, 'Method not allowed', message, { Allow: allow });
}

/**
 * The error if a hidden field of a form, such as the version of the key, is missing or not valid. A browser sends valid
 * hidden fields, so this happens only if somebody changed the form.
 */
export function incompleteForm(): HttpError {
  return badRequest('This form is incomplete. Go back, reload the page and try again.');
}

/**
 * The error for an unknown path, and for a key that does not exist or belongs to another account. The page is the same,
 * so that nobody learns which keys other accounts have.
 */
export function notFound(): HttpError {
  return new HttpError(404, 'Not found', 'This page does not exist, or it belongs to another account.');
}
