/** O17: express-openapi-validator behind an openApiGate. */
import { describe, expect, it } from '@jest/globals';
import express, { type ErrorRequestHandler } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { bearerErrors } from 'keyward';
import { openApiGate } from 'keyward/openapi';
import request from 'supertest';
import { A5, answerOf, lacking, U0 } from '../support/answers.js';
import { documentOf, keys, kit, SCHEMES } from '../support/openapi.js';

const pet = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
const body = { required: true, content: { 'application/json': { schema: pet } } };
const responses = { 200: { description: 'done', content: { 'application/json': { schema: pet } } } };
const apiSpec = documentOf(
  {
    '/pets': {
      post: { security: [{ secretKey: ['pets:write'] }], requestBody: body, responses },
      get: {
        security: [{ secretKey: [] }, {}],
        parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer' } }],
        responses,
      },
    },
  },
  { openapi: '3.0.3', components: { securitySchemes: { secretKey: SCHEMES.secretKey } } },
);

const problem: ErrorRequestHandler = (error, _req, res, _next) => {
  res.status(error.status ?? 500).json({ message: error.message });
};

const app = express();
app.use(openApiGate(apiSpec, { schemes: { secretKey: keys } }));
app.use(express.json());
app.use(OpenApiValidator.middleware({ apiSpec: apiSpec as never, validateSecurity: false, validateResponses: true }));
app.post('/pets', (req, res) => void res.json({ name: req.body.name }));
app.get('/pets', (req, res) => void res.json({ name: `limit ${typeof req.query.limit}` }));
app.use(bearerErrors());
app.use(problem);

const key = kit.secretKey({ scopes: ['pets:write'] });
const post = (content: object, credential?: string) => {
  const sent = request(app).post('/pets').send(content);
  return credential === undefined ? sent : sent.set('Authorization', `Bearer ${credential}`);
};

describe('express-openapi-validator behind an openApiGate', () => {
  it('O17 validates requests that pass the gate', async () => {
    const good = await post({ name: 'Tom' }, key);
    expect([good.status, good.body]).toEqual([200, { name: 'Tom' }]);
    const bad = await post({ title: 'Tom' }, key);
    expect([bad.status, bad.body.message]).toEqual([
      400,
      expect.stringContaining("must have required property 'name'"),
    ]);
    expect((await request(app).get('/pets?limit=many')).status).toBe(400);
    expect((await request(app).get('/pets?limit=3')).status).toBe(200);
  });

  it('O17 nothing of a caller without a credential is validated', async () => {
    expect(answerOf(await post({ title: 'Tom' }))).toEqual({
      status: 401,
      challenge: `${U0.challenge}, scope="pets:write"`,
    });
    expect(answerOf(await post({ title: 'Tom' }, kit.secretKey({ scopes: ['pets:read'] })))).toEqual(
      lacking('pets:write'),
    );
  });

  it('O17 a response of 200 has no challenge', async () => {
    for (const answer of [await post({ name: 'Tom' }, key), await request(app).get('/pets')]) {
      expect(answer.status).toBe(200);
      expect(answer.headers['www-authenticate']).toBeUndefined();
    }
  });

  it('O17 an outage is 503, not 401', async () => {
    const fresh = kit.secretKey({ scopes: ['pets:write'] });
    kit.outage(true);
    const answer = await post({ name: 'Tom' }, fresh);
    kit.outage(false);
    expect(answerOf(answer)).toEqual(A5);
  });
});
