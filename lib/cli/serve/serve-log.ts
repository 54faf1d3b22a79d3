/**
 * The log of `keyward serve`: it logs each request, each result of a token request, and when the database becomes
 * unreachable, unusable or reachable.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { RequestHandler } from 'express';
import { shortenSecretsInPath } from '../../credentials/whole-secret.js';
import type { StoreWarning } from '../../events/store-warning.js';
import type { TokenDecision } from '../../events/token-decision.js';
import type { Output } from '../io.js';
import { escapeText } from '../terminal/escape-text.js';
import { jsonLine } from '../terminal/output.js';

export interface ServeLog {
  /** Logs a request when its response ends. Mount it before all other middleware. */
  readonly middleware: RequestHandler;
  /** Stops logging events of the token endpoint and of the store. */
  stop(): void;
}

/** Paths that are not logged, because health checks are requested every few seconds. */
const NOT_LOGGED = ['/healthz', '/readyz'];
/** Maximum characters of a path in the log. Callers choose the path, and could fill the disk with long paths. */
const MAX_PATH = 200;
/** `?`, or escaped as `%3F`, `%253F` and so on. */
const QUERY_START = /\?|%(?:25)*3F/i;

export function serveLog(output: Output, isJson: boolean): ServeLog {
  function write(fields: Readonly<Record<string, string | number | undefined>>): void {
    const line = { at: new Date().toISOString(), ...fields };
    if (isJson) output.write(jsonLine(line));
    else
      output.write(
        `${escapeText(
          Object.values(line)
            .filter((value) => value !== undefined)
            .join(' '),
        )}\n`,
      );
  }

  function onToken(message: unknown): void {
    const { outcome, reason, clientId } = message as TokenDecision;
    write({ event: 'token', outcome, reason, client: clientId });
  }

  function onStore(message: unknown): void {
    const { warning, detail } = message as StoreWarning;
    if (warning === 'unreachable' || warning === 'unusable' || warning === 'reachable')
      write({ event: 'database', outcome: warning, reason: detail });
  }

  subscribe('keyward:token', onToken);
  subscribe('keyward:store', onStore);
  return {
    middleware(req, res, next) {
      const start = performance.now();
      const { method, ip } = req;
      // The query is not logged, because the query of a sign-in link is a secret. Its `?` may be escaped, even twice.
      // A secret that a client put into the path by mistake is shortened, before the cut, which could leave most of it.
      const path = shortenSecretsInPath(req.originalUrl.split(QUERY_START, 1).join()).slice(0, MAX_PATH);
      res.once('close', () => {
        if (NOT_LOGGED.includes(path)) return;
        const status = res.writableFinished ? res.statusCode : 'aborted';
        write({ event: 'request', ip, method, path, status, ms: Math.round(performance.now() - start) });
      });
      next();
    },
    stop() {
      unsubscribe('keyward:token', onToken);
      unsubscribe('keyward:store', onStore);
    },
  };
}
