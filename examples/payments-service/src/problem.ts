/** What the service answers when it does not do what it was asked. */
import { STATUS_CODES } from 'node:http';
import type { ErrorRequestHandler, RequestHandler } from 'express';

/** An answer of 400 or above. The message is for the caller, so it never repeats what was sent. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The routes end here: 404, as JSON. */
export const notFound: RequestHandler = (_req, _res, next) => {
  next(new Problem(404, 'not_found', 'There is no such resource'));
};

/** Writes errors as JSON, in the shape of `bearerErrors`. Only a `Problem` says more than its status. */
export const problems: ErrorRequestHandler = (error, req, res, next) => {
  if (res.headersSent) {
    next(error);
    return;
  }
  const { status, code, message } = error instanceof Problem ? error : problemOf(error);
  if (status >= 500) console.error(`${req.method} ${req.path} failed:`, error);
  res.status(status).json({ error: code, error_description: message });
};

/** Express and its body parsers put a status on their errors; their messages may quote the body. */
function problemOf(error: unknown): Problem {
  const given = (error as { status?: unknown } | null | undefined)?.status;
  const status = typeof given === 'number' && given >= 400 && given < 500 ? given : 500;
  const phrase = STATUS_CODES[status] ?? 'Error';
  return new Problem(status, phrase.toLowerCase().replaceAll(' ', '_'), phrase);
}
