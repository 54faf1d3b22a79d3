/** The ideal as most engineers would write it: the principal is assigned to `req.auth`. */
import { makeIdeal } from './ideal.js';

export const title = 'the ideal, but assigning req.auth';

export const make = (given) =>
  makeIdeal(given, (req, principal) => {
    req.auth = principal;
  });
