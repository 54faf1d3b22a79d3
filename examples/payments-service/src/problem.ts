/** Error responses of the service. */
import { STATUS_CODES } from 'node:http';
import type { ErrorRequestHandler, RequestHandler } from 'express';

/** An error response. The caller reads the message, so it never repeats input. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Answers requests without a route: 404, as JSON. */
export const notFound: RequestHandler = (_req, _res, next) => {
  next(new Problem(404, 'not_found', 'There is no such resource'));
};

/** Writes errors as JSON, in the form of `bearerErrors`. Other errors than a `Problem` get only the name of their status. */
export const problems: ErrorRequestHandler = (error, req, res, next) => {
  if (res.headersSent) {
    next(error);
    return;
  }
  const { status, code, message } = error instanceof Problem ? error : problemOf(error);
  if (status >= 500) console.error(`${req.method} ${req.path} failed:`, error);
  res.status(status).json({ error: code, error_description: message });
};

/** Errors of Express and its body parsers have a status. Their messages may quote the body, so they are not used. */
function problemOf(error: unknown): Problem {
  const given = (error as { status?: unknown } | null | undefined)?.status;
  const status = typeof given === 'number' && given >= 400 && given < 500 ? given : 500;
  const phrase = STATUS_CODES[status] ?? 'Error';
  return new Problem(status, phrase.toLowerCase().replaceAll(' ', '_'), phrase);
}
