/** `fetch` of a token client that has its token. Nothing is sent: what is measured is what it adds. */
import { tokenClient } from 'keyward/client';
import { answers, RESOURCE, TOKEN_ENDPOINT } from '../platform/unsent.js';

export const title = 'tokenClient.fetch';
export const isOpen = true;

export function make() {
  const names = { tokenEndpoint: TOKEN_ENDPOINT, clientId: 'bench', clientSecret: 'unused' };
  const client = tokenClient({ ...names, fetch: answers });
  return [(_req, _res, next) => void client.fetch(RESOURCE).then(() => next(), next)];
}
