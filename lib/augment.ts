/**
 * Adds the type of `req.auth` to every Express request. Import it once, `import 'keyward/augment'`; it does nothing at
 * run time. Do not import it if another package also declares `req.auth`, because TypeScript reports a conflict.
 * `authOf(req)` has the type without this import.
 */
import type { Principal } from './credentials/principal.js';

declare global {
  namespace Express {
    interface Request {
      auth?: Principal;
    }
  }
}
