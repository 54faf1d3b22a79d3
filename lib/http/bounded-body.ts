/** Reads the body of a request, up to a maximum size and within a time limit. */
import type { IncomingMessage } from 'node:http';

// Matches a media type whose only parameter is the charset UTF-8. A parameter may be empty: a `;` at the end is valid
// (RFC 9110 §5.6.6).
const UTF8_TYPE = /^([^\s;,]+)[ \t]*(?:;[ \t]*(?:charset[ \t]*=[ \t]*(?:utf-8|"utf-8")[ \t]*)?)*$/i;

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

/**
 * Returns the media type of a `Content-Type` in lower case, without its parameters. Returns `undefined` for a parameter
 * other than the charset UTF-8.
 */
export function utf8MediaType(contentType: string | undefined): string | undefined {
  return UTF8_TYPE.exec(contentType ?? '')?.[1]?.toLowerCase();
}

/** Checks whether a `Content-Type` is that of a form in UTF-8 (RFC 6749 §3.2 and Appendix B). */
export function isFormType(contentType: string | undefined): boolean {
  return utf8MediaType(contentType) === 'application/x-www-form-urlencoded';
}

/** Checks whether the body is not compressed. The names of content codings are case-insensitive (RFC 9110 §8.4.1). */
export function isUncompressed({ headers }: IncomingMessage): boolean {
  return (headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity';
}

/**
 * Reads the body of a request. The promise never rejects. If the body is too large or too slow, or the connection
 * closes, the promise resolves to the fault without waiting for the rest of the body.
 */
export function readBody(req: IncomingMessage, { maxBytes, timeoutMs }: BodyBounds): Promise<Buffer | BodyFault> {
  // A connection that has been closed already emits no event.
  if (req.destroyed) return Promise.resolve('aborted');
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
