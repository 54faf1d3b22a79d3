/** passport-http-bearer over a Map of the keys themselves, as its examples have it. */
import { Passport } from 'passport';
import { Strategy } from 'passport-http-bearer';

export const title = 'passport-http-bearer over a Map';

export function make({ credentials }) {
  const known = new Map(credentials().map((key, number) => [key, { id: `key_${number}`, account: `acc_${number}` }]));
  const passport = new Passport();
  passport.use(new Strategy((key, done) => done(null, known.get(key) ?? false)));
  return [passport.authenticate('bearer', { session: false })];
}
