import type { IncomingMessage, ServerResponse } from 'node:http';
import { digestOf } from '../../credentials/digest.js';
import type { AccessPrincipal, Principal } from '../../credentials/principal.js';
import type { RateLimit } from '../../credentials/rate-limit.js';
import { endAfterUncaughtError } from '../end-after-uncaught-error.js';
import { refuse } from '../gate/refuse.js';
import { reportDecision } from '../gate/report-decision.js';
import { authContextOf } from '../gate/request-principal.js';
import { fail, type Middleware } from '../middleware.js';
import { type GateMetadata, type GuardMetadata, mark } from '../route-metadata.js';
import { type Counted, UNKNOWN } from './bounded-counter.js';
import { createRatePlans, type RatePlan, type RateWindow, rateLimitItem, secondsOf } from './rate-limit-counters.js';
import { type RateLimitOptions, readRateLimitOptions } from './rate-limit-options.js';

/**
 * How a guard has counted requests of a principal. A request has its own object if it was counted before, if it is
 * refused, or if a count is unknown. All other requests of the principal share one object: a new object for each
 * request would be slower, because V8 keeps it longer than the request (docs/decisions/0033).
 */
interface Counting {
  /** The name under which the requests are counted. */
  readonly key: string;
  readonly plan: RatePlan;
  /**
   * The counts in the windows of the plan. If requests share this object, these are the counts of the latest one, which
   * a later guard then shows in the fields of the others too.
   */
  counts: readonly Counted[];
  /** How an earlier guard counted the same request, as in a linked list. */
  readonly earlier: Counting | undefined;
}

const BY = 'requireRateLimit';
const METADATA: GuardMetadata = Object.freeze({ name: BY, kinds: undefined, scopes: undefined, passesAnonymous: true });

/**
 * How the guards have counted each request. A request counts only once in a window, even if several guards check it: a
 * later guard uses the count of the earlier one.
 */
const countings = new WeakMap<IncomingMessage, Counting>();

/**
 * Limits how many requests each API key, or each client of an issuer, may make. The limits are those in the record of
 * the key, or otherwise `default`. Without either, the key is not limited.
 *
 * A request that exceeds a limit gets 429 with `Retry-After`. Each counted request gets the header fields `RateLimit`
 * and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers).
 *
 * Mount this guard after `requireBearer`. If `requireBearer` is optional, a request without a credential passes and is
 * not counted. If no `requireBearer` ran before the guard, the request gets an error, which Express answers with 500.
 *
 * @throws TypeError for an option that is missing, unknown or of the wrong type.
 * @example
 * ```ts
 * import { requireRateLimit } from 'keyward';
 * import { RateLimiterMemory } from 'rate-limiter-flexible';
 *
 * const rateLimit = requireRateLimit({
 *   counter: (options) => new RateLimiterMemory(options),
 *   default: [{ requests: 100, seconds: 60 }],
 *   onOutage: 'allow',
 * });
 * ```
 */
export function requireRateLimit(options: RateLimitOptions): Middleware {
  const { counter, default: defaultLimits, onOutage } = readRateLimitOptions(options);
  const planOf = createRatePlans(counter);
  const shared = new WeakMap<Principal, Counting>();
  // Checks at startup that `counter` returns a counter.
  if (defaultLimits !== undefined) planOf(defaultLimits);

  const rateLimitGuard: Middleware = (req, res, next) => {
    const context = authContextOf(req);
    if (context === undefined) {
      next(
        new Error(
          `keyward: ${BY} ran before requireBearer accepted the request; mount requireBearer before ${BY} on this route`,
        ),
      );
      return;
    }
    const { gate, principal } = context;
    const limits = principal?.limits ?? defaultLimits;
    if (principal === undefined || limits === undefined) {
      next();
      return;
    }
    let counting: Counting;
    try {
      counting = countingOf(principal, limits);
    } catch (error) {
      fail(next, error);
      return;
    }
    countAll(counting, countings.get(req))
      .then(
        (counts) => respond(req, res, next, { gate, principal, counting, counts }),
        (error) => fail(next, error),
      )
      .catch((error) => endAfterUncaughtError(BY, res, error));
  };

  function countingOf(principal: Principal, limits: readonly RateLimit[]): Counting {
    const known = shared.get(principal);
    if (known !== undefined) return known;
    const counting = { key: counterKey(principal), plan: planOf(limits), counts: [], earlier: undefined };
    shared.set(principal, counting);
    return counting;
  }

  function respond(
    req: IncomingMessage,
    res: ServerResponse,
    next: (error?: unknown) => void,
    { gate, principal, counting, counts }: Answered,
  ): void {
    const { key, plan } = counting;
    const headers = fieldsOf(plan, counts);
    // Another middleware may have sent the headers while the counters were asked.
    if (headers !== undefined && !res.headersSent) {
      for (const name in headers) res.setHeader(name, headers[name] ?? '');
    }
    let isRefused = false;
    let wait = 0;
    for (const { isOver, count } of counts) {
      if (!isOver) continue;
      isRefused = true;
      if (count !== undefined) wait = Math.max(wait, count.msBeforeNext);
    }
    const earlier = countings.get(req);
    if (earlier === undefined && !isRefused && headers !== undefined) {
      counting.counts = counts;
      countings.set(req, counting);
    } else {
      // A later guard must also refuse a request that is over a limit, or see that it could not be counted.
      countings.set(req, { key, plan, counts, earlier });
    }
    if (isRefused) {
      reportDecision(req, { outcome: 'refused', by: BY, code: 'too_many_requests', reason: 'rate_limit' }, principal);
      refuse(res, next, gate, { code: 'too_many_requests', retryAfter: secondsOf(wait), headers });
      return;
    }
    // `headers` is `undefined` only if a counter failed.
    if (headers === undefined) {
      const code = onOutage === 'refuse' ? 'temporarily_unavailable' : undefined;
      const outcome = onOutage === 'refuse' ? 'unavailable' : 'warning';
      reportDecision(req, { outcome, by: BY, code, reason: 'counter_unavailable' }, principal);
      if (code !== undefined) {
        refuse(res, next, gate, { code });
        return;
      }
    }
    next();
  }

  Object.defineProperty(rateLimitGuard, 'name', { value: BY });
  return mark(rateLimitGuard, 'keyward.guard', METADATA);
}

interface Answered {
  readonly gate: GateMetadata;
  readonly principal: Principal;
  readonly counting: Counting;
  readonly counts: readonly Counted[];
}

/**
 * Counts a request in every window, even if it exceeds the limit of another window.
 *
 * @param earlier - How earlier guards have counted the request.
 */
function countAll({ key, plan }: Counting, earlier: Counting | undefined): Promise<readonly Counted[]> {
  const { windows, sameAs } = plan;
  const counted: (Counted | Promise<Counted>)[] = [];
  for (const [index, window] of windows.entries()) {
    const same = counted[sameAs[index] as number];
    counted.push(same ?? earlierCount(earlier, window, key) ?? window.counter.count(key));
  }
  return Promise.all(counted);
}

/**
 * Returns the name under which the requests of a principal are counted. It contains the type of the credential and the
 * issuer: otherwise a client of one issuer could use up the limit of another issuer's client with the same id. The name
 * of a client contains a digest, because the columns of counters in a database are short.
 */
function counterKey(principal: Principal): string {
  if (principal.kind !== 'access') return `key:${principal.keyId}`;
  // A custom verifier may omit the payload, and the response of an introspection endpoint may omit `iss`.
  const issuer = String((principal as Partial<AccessPrincipal>).payload?.iss ?? '');
  return `client:${digestOf(`${issuer} ${principal.keyId}`)}`;
}

/** Returns the count of a request by an earlier guard; `undefined` if no earlier guard has counted it in this window. */
function earlierCount(earlier: Counting | undefined, { name }: RateWindow, key: string): Counted | undefined {
  for (let done = earlier; done !== undefined; done = done.earlier) {
    const index = done.key === key ? done.plan.windows.findIndex((window) => window.name === name) : -1;
    if (index !== -1) return done.counts[index] ?? UNKNOWN;
  }
  return undefined;
}

/** Returns the header fields; `undefined` if the count in one window is unknown, because the fields would be wrong. */
function fieldsOf({ windows, policies }: RatePlan, counts: readonly Counted[]): Record<string, string> | undefined {
  const items: string[] = [];
  for (const [index, window] of windows.entries()) {
    const known = counts[index]?.count;
    if (known === undefined) return undefined;
    items.push(rateLimitItem(window, known));
  }
  return { RateLimit: items.join(', '), 'RateLimit-Policy': policies };
}
