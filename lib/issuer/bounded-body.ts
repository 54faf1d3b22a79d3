/** The body of a request that brings a form: bounded in size and in time. */
import type { IncomingMessage } from 'node:http';

// RFC 6749 §3.2 and Appendix B: a form, in UTF-8.
const FORM = /^application\/x-www-form-urlencoded *(?:; *charset *= *(?:utf-8|"utf-8") *)?$/i;

/** A request, as an earlier body parser may have left it. */
export interface MaybeParsed extends IncomingMessage {
  readonly body?: unknown;
}

export interface BodyBounds {
  readonly maxBytes: number;
  /** Milliseconds. */
  readonly patience: number;
}

/** Why there is no body. */
export type BodyFault = 'too_large' | 'slow_body' | 'aborted';

/** Whether a content type is that of a form. */
export function isFormType(type: string | undefined): boolean {
  return type !== undefined && FORM.test(type);
}

/** Reads a body, to its end or to a bound. It does not reject; after a fault the rest of the body is not waited for. */
export function readBody(req: IncomingMessage, { maxBytes, patience }: BodyBounds): Promise<Buffer | BodyFault> {
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
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) settle('too_large');
      else chunks.push(chunk);
    };
    const onEnd = () => settle(Buffer.concat(chunks));
    const onClose = () => settle('aborted');
    const timer = setTimeout(settle, patience, 'slow_body');
    req.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}
