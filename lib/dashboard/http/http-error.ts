import { KeywardError } from '../../errors/keyward-error.js';

/** An error page with a status, for the member. */
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
  return new HttpError(400, 'Bad request', message);
}

/** One page for every missing thing, so that it does not reveal whether a key of another account exists. */
export function notFound(): HttpError {
  return new HttpError(404, 'Not found', 'This page does not exist, or it belongs to another account.');
}
