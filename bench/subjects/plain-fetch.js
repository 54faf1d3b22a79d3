/** The same `fetch` with an access token that is at hand. */
import { answers, RESOURCE } from '../platform/unsent.js';

export const title = 'fetch alone';
export const isOpen = true;

const headers = { authorization: 'Bearer token' };

export const make = () => [(_req, _res, next) => void answers(RESOURCE, { headers }).then(() => next(), next)];
