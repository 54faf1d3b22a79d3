import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Decision, FeedWarning, KeySetFetch, LookupFailure } from 'keyward';
import type { Logger, LoggerOptions } from 'pino';

const requests = new AsyncLocalStorage<{ readonly requestId: string }>();

/** Mount it before everything else: each line written in the course of a request then carries the request's id. */
export function correlate(_req: IncomingMessage, res: ServerResponse, next: () => void): void {
  const requestId = randomUUID();
  res.setHeader('X-Request-Id', requestId);
  requests.run({ requestId }, next);
}

/** For `pino()`: ids of requests, and no credentials. By itself pino-http writes every header, and the whole URL. */
export const pinoOptions: LoggerOptions = {
  mixin: () => ({ ...requests.getStore() }),
  redact: {
    paths: [
      'req.headers.authorization',
      'req.headers["proxy-authorization"]',
      'req.headers["x-api-key"]',
      'req.headers.cookie',
      'req.query',
      'req.url',
      'res.headers["set-cookie"]',
    ],
    censor: (value, path) => (path.at(-1) === 'url' ? String(value).split('?', 1)[0] : '[redacted]'),
  },
};

const LEVELS = { accepted: 'debug', refused: 'info', warning: 'warn', unavailable: 'error' } as const;

/** One line an event. */
export function logListeners(logger: Logger) {
  return {
    'keyward:decision': (event: Decision) => logger[LEVELS[event.outcome]](event, 'decision'),
    'keyward:lookup-failure': (event: LookupFailure) => logger.error(event, 'lookup failed'),
    'keyward:key-set': (event: KeySetFetch) => logger[event.outcome === 'loaded' ? 'info' : 'error'](event, 'key set'),
    'keyward:feed': (event: FeedWarning) => logger.error(event, 'change feed'),
  };
}
