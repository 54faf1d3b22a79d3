import { Passport } from 'passport';
import { ExtractJwt, Strategy } from 'passport-jwt';

export const title = 'passport-jwt';

export function make({ issuer, audience, algorithm, pem }) {
  const passport = new Passport();
  const options = {
    ...{ issuer, audience, algorithms: [algorithm], secretOrKey: pem },
    jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
  };
  passport.use(new Strategy(options, (payload, done) => done(null, payload)));
  return [passport.authenticate('jwt', { session: false })];
}
