/** Reads the body of a request, up to a maximum size and within a time limit. */
import type { IncomingMessage } from 'node:http';

// Matches the content type of a form in UTF-8 (RFC 6749 §3.2 and Appendix B).
const FORM = /^application\/x-www-form-urlencoded *(?:; *charset *= *(?:utf-8|"utf-8") *)?$/i;

/** A request whose body an earlier middleware may have parsed. */
export interface MaybeParsed extends IncomingMessage {
  readonly body?: unknown;
}

export interface BodyBounds {
  readonly maxBytes: number;
  /** The time limit in milliseconds. */
  readonly timeoutMs: number;
}

/** Why the body could not be read: it was too large, arrived too slowly, or the connection closed before its end. */
export type BodyFault = 'too_large' | 'slow_body' | 'aborted';

/** Checks whether a `Content-Type` is that of a form in UTF-8. */
export function isFormType(type: string | undefined): boolean {
  return type !== undefined && FORM.test(type);
}

/**
 * Reads the body of a request. The promise never rejects. If the body is too large or too slow, or the connection
 * closes, the promise resolves to the fault without waiting for the rest of the body.
 */
export function readBody(req: IncomingMessage, { maxBytes, timeoutMs }: BodyBounds): Promise<Buffer | BodyFault> {
  if (Number(req.headers['content-length']) > maxBytes) return Promise.resolve('too_large');
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (outcome: Buffer | BodyFault) => {
      clearTimeout(timer);
      req.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      req.pause();
      resolve(outcome);
    };
    const onData = (given: Buffer | string) => {
      // A chunk is a string if another middleware has called `req.setEncoding`.
      const chunk = typeof given === 'string' ? Buffer.from(given, req.readableEncoding ?? 'utf8') : given;
      bytes += chunk.length;
      if (bytes > maxBytes) settle('too_large');
      else chunks.push(chunk);
    };
    const onEnd = () => settle(Buffer.concat(chunks));
    const onClose = () => settle('aborted');
    const timer = setTimeout(settle, timeoutMs, 'slow_body');
    req.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}
