/**
 * Import this once, for its types alone, to have `req.auth` typed on every Express request: `import 'keyward/augment'`.
 * Do not import it if another package declares `req.auth` too: two such declarations conflict. `authOf(req)` has the
 * type without this import.
 */
import type { Principal } from './credentials/principal.js';

declare global {
  namespace Express {
    interface Request {
      auth?: Principal;
    }
  }
}
