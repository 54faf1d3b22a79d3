import { inspect } from 'node:util';
import { describe, expect, it, jest } from '@jest/globals';
import express, { type ErrorRequestHandler, type Express } from 'express';
import { type BearerErrorsOptions, bearerErrors, requireBearer, requireScopes } from 'keyward';
import { createTestKit } from 'keyward/testing';
import request from 'supertest';
import { A5, answerOf, lacking, R4, T1, U0 } from '../support/answers.js';

const kit = createTestKit();
const key = kit.secretKey({ apis: ['disputes'] });

function appWith(mount: (app: Express) => void) {
  const app = express();
  app.get('/', requireBearer({ accept: kit.accept }), requireScopes('payments'), (_req, res) => {
    res.json({});
  });
  app.get('/foreign', () => {
    throw Object.assign(new Error('no tea'), { status: 418 });
  });
  app.get('/late', (_req, res, next) => {
    res.write('half');
    requireBearer({ accept: kit.accept })(_req, res, next);
  });
  mount(app);
  return app;
}

const withFormat = (options?: BearerErrorsOptions) => appWith((app) => app.use(bearerErrors(options)));
const ask = (app: Express, authorization?: string, path = '/') => {
  const asked = request(app).get(path);
  return authorization === undefined ? asked : asked.set('Authorization', authorization);
};

describe('the options of bearerErrors', () => {
  it.each([
    [null, 'expected an options object, got null'],
    [{ form: 'oauth' }, 'unknown option "form"; the options are format'],
    [{ format: 'html' }, "option \"format\" must be 'oauth' or 'problem', got an invalid string"],
  ])('%j throws at start', (options, message) => {
    expect(() => bearerErrors(options as BearerErrorsOptions)).toThrow(new TypeError(`bearerErrors: ${message}`));
  });

  it('says that the parentheses are missing if it is mounted itself', async () => {
    const errors: unknown[] = [];
    const app = express().use(bearerErrors as () => void);
    const onError: ErrorRequestHandler = (error, _req, res, _next) => {
      errors.push(error);
      res.sendStatus(500);
    };
    await request(app.use(onError)).get('/').expect(500);
    const message = 'bearerErrors: expected options, got a request; call it in app.use(bearerErrors())';
    expect(errors).toEqual([new TypeError(message)]);
  });

  it('returns a function that Express recognizes as an error handler', () => {
    expect(bearerErrors()).toHaveLength(4);
  });
});

const CASES = [
  ['nothing presented', undefined, U0, undefined, 'A credential is required'],
  [
    'a malformed credential',
    'Bearer a b',
    R4,
    'invalid_request',
    'The credential is malformed, or the request has more than one credential',
  ],
  ['a bad one', 'Bearer abc', T1, 'invalid_token', 'The credential is invalid, expired or revoked'],
  [
    'too little',
    `Bearer ${key}`,
    lacking('payments'),
    'insufficient_scope',
    'The credential does not give access to this resource',
  ],
] as const;

describe("the format 'oauth', the default", () => {
  it.each(CASES)('%s', async (_name, authorization, answer, error, error_description) => {
    for (const app of [withFormat(), withFormat({ format: 'oauth' })]) {
      const response = await ask(app, authorization);
      expect(answerOf(response)).toEqual(answer);
      expect(response.body).toEqual(error === undefined ? { error_description } : { error, error_description });
      expect(response.headers).toMatchObject({
        'content-type': 'application/json',
        'content-length': String(response.text.length),
        'cache-control': 'no-store',
        vary: 'Authorization',
      });
    }
  });

  it('a credential that cannot be verified now', async () => {
    kit.outage(true);
    const response = await ask(withFormat(), `Bearer ${kit.secretKey()}`);
    kit.outage(false);
    expect(answerOf(response)).toEqual(A5);
    expect(response.body).toEqual({
      error_description:
        'The credential cannot be checked at the moment; retry after the number of seconds in the Retry-After header',
    });
  });
});

describe("the format 'problem' (RFC 9457)", () => {
  const TITLES = new Map([
    [400, 'Bad Request'],
    [401, 'Unauthorized'],
    [403, 'Forbidden'],
  ]);

  it.each(CASES)('%s', async (_name, authorization, answer, error, detail) => {
    const code = error ?? 'credential_missing';
    const response = await ask(withFormat({ format: 'problem' }), authorization);
    const { status } = answer;
    expect(answerOf(response)).toEqual(answer);
    expect(JSON.parse(response.text)).toEqual({ type: 'about:blank', title: TITLES.get(status), status, detail, code });
    expect(response.headers['content-type']).toBe('application/problem+json');
  });
});

describe('bearerErrors', () => {
  it('answers HEAD as GET, without the body', async () => {
    const head = await request(withFormat()).head('/');
    const get = await ask(withFormat());
    expect(head.text).toBeUndefined();
    expect(answerOf(head)).toEqual(answerOf(get));
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });

  it('passes other errors on', async () => {
    const messages: unknown[] = [];
    const app = appWith((made) =>
      made.use(bearerErrors(), ((error, _req, res, _next) => {
        messages.push(error.message);
        res.sendStatus(error.status);
      }) as ErrorRequestHandler),
    );
    expect((await ask(app, undefined, '/foreign')).status).toBe(418);
    expect(messages).toEqual(['no tea']);
  });

  it('passes a refusal on if the response has started, so that Express ends the connection', async () => {
    await expect(ask(withFormat(), undefined, '/late')).rejects.toThrow('aborted');
  });

  it('restores the headers that an earlier handler removed', async () => {
    const app = appWith((made) =>
      made.use(
        ((error, _req, res, next) => {
          for (const name of res.getHeaderNames()) res.removeHeader(name);
          res.statusCode = 200;
          next(error);
        }) as ErrorRequestHandler,
        bearerErrors(),
      ),
    );
    expect(answerOf(await ask(app))).toEqual(U0);
  });
});

describe('without bearerErrors', () => {
  it('the challenge is kept by a custom handler that does not know the errors of keyward', async () => {
    const app = appWith((made) =>
      made.use(((_error, _req, res, _next) => {
        res.status(401).json({ message: 'no' });
      }) as ErrorRequestHandler),
    );
    const response = await ask(app, 'Bearer abc');
    expect([answerOf(response), response.body]).toEqual([T1, { message: 'no' }]);
    expect(response.headers).toMatchObject({ 'cache-control': 'no-store', vary: 'Authorization' });
  });

  it.each([['production'], ['development']])(
    'the default handler of Express keeps status and headers in %s',
    async (env) => {
      const app = appWith((made) => made.set('env', env));
      const log = jest.spyOn(console, 'error').mockImplementation(() => {});
      for (const [, authorization, answer] of CASES) {
        const response = await ask(app, authorization);
        expect(answerOf(response)).toEqual(answer);
        expect(response.headers).toMatchObject({ 'cache-control': 'no-store', vary: 'Authorization' });
      }
      expect(inspect(log.mock.calls)).not.toContain(key);
      log.mockRestore();
    },
  );
});
