import { rateLimit } from 'express-rate-limit';
import { authOf } from 'keyward';

/** Requests a minute for each key, and for each access key however many tokens it obtains. Mount it behind a gate. */
export function limitByPrincipal(limit: number) {
  return rateLimit({
    windowMs: 60_000,
    limit,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: (req) => {
      const { kind, keyId } = authOf(req);
      return `${kind} ${keyId}`;
    },
  });
}
