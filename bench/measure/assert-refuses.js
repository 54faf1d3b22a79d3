/** A subject that accepts what it must refuse gets no figure. */
import { lane, requestWith } from '../platform/request.js';

/**
 * @param middlewares - The subject. @param good - Credentials that it must take. @param bad - By what is wrong with it, what it
 *   must refuse; a request without any credential is refused too.
 */
export async function assertRefuses(middlewares, good, bad) {
  const way = lane(middlewares);
  for (const credential of good) await way.send(requestWith(credential));
  for (const [fault, credential] of Object.entries({ ...bad, 'nothing presented': undefined })) {
    const status = await refusalOf(way, credential);
    if (status < 400 || status >= 500) throw new Error(`does not refuse ${fault}: ${status}`);
  }
}

async function refusalOf(way, credential) {
  try {
    await way.send(requestWith(credential));
  } catch (error) {
    return error.status ?? error.statusCode ?? 500;
  }
  return 200;
}
