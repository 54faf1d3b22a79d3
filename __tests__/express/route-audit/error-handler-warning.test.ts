import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import express, { type ErrorRequestHandler, type Express } from 'express';
import { assertGuarded, bearerErrors } from 'keyward';
import { gate, handler } from '../../support/audited.js';

const ownErrors: ErrorRequestHandler = (error, _req, res, _next) => {
  res.status(error.status).json({ error: error.code });
};
const guarded = () => express.Router().use(gate).get('/payments', handler);

describe('assertGuarded', () => {
  let emitWarning: jest.SpiedFunction<typeof process.emitWarning>;

  beforeEach(() => {
    emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  });

  afterEach(() => {
    emitWarning.mockRestore();
  });

  function warningsOf(mount: (app: Express) => void): readonly unknown[] {
    const app = express();
    mount(app);
    assertGuarded(app);
    return emitWarning.mock.calls;
  }

  it.each<[name: string, mount: (app: Express) => void]>([
    ['no error handler', (app) => app.get('/payments', gate, handler)],
    ['no error handler, and the gate in a router', (app) => app.use(guarded())],
    ['an error handler in front of the gate only', (app) => app.use(bearerErrors()).get('/payments', gate, handler)],
  ])('warns about an app with %s', (_name, mount) => {
    expect(warningsOf(mount)).toEqual([
      [
        'assertGuarded: no error handler is mounted after the gates (such as requireBearer) of this app, so Express answers refused requests with its ' +
          'HTML error page; call app.use(bearerErrors()) after the routes',
        { type: 'KeywardWarning', code: 'KEYWARD_NO_ERROR_HANDLER' },
      ],
    ]);
  });

  it.each<[name: string, mount: (app: Express) => void]>([
    ['bearerErrors', (app) => app.get('/payments', gate, handler).use(bearerErrors())],
    ['bearerErrors in the router of the gate', (app) => app.use(guarded().use(bearerErrors()))],
    ['an error handler of its own', (app) => app.get('/payments', gate, handler).use(ownErrors)],
    ['no gate', (app) => app.use((_req, _res, next) => next())],
  ])('does not warn about an app with %s', (_name, mount) => {
    expect(warningsOf(mount)).toEqual([]);
  });

  it('does not warn about a router, or a mounted app: the error handler may be in the app around it', () => {
    const inner = express().use(guarded());
    express().use('/v1', inner);
    assertGuarded(guarded());
    assertGuarded(inner);
    expect(emitWarning).not.toHaveBeenCalled();
  });
});
