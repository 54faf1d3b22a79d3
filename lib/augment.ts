/**
 * Import this once, for its types alone, to have `req.auth` typed on every Express request:
 * `import 'keyward/augment'`. Not where another package declares `req.auth` too: two such declarations break each
 * other, and `authOf(req)` has the type without any.
 */
import type { Principal } from './credentials/principal.js';

declare global {
  namespace Express {
    interface Request {
      auth?: Principal;
    }
  }
}
