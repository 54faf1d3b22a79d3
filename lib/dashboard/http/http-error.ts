import { KeywardError } from '../../errors/keyward-error.js';

/** An error that the member sees as a page: `message` is its text. */
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
  const message = 'This page cannot be opened this way. Go to your keys, and open it from there.';
  return new HttpError(405, 'Method not allowed', message, { Allow: allow });
}

/** For a request without a valid hidden field, such as the version. No form of the Dashboard sends such a request. */
export function incompleteForm(): HttpError {
  return badRequest('This form is incomplete. Go back, reload the page and try again.');
}

/** The same page for an unknown path and for a key of another account, so that nobody learns which keys exist. */
export function notFound(): HttpError {
  return new HttpError(404, 'Not found', 'This page does not exist, or it belongs to another account.');
}
