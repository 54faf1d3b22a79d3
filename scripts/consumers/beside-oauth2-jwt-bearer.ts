import express from 'express';
import { auth } from 'express-oauth2-jwt-bearer';
import { authOf, requireBearer } from 'keyward';
import { createTestKit } from 'keyward/testing';

const app = express();
app.get('/old', auth({ issuerBaseURL: 'https://issuer.test', audience: 'https://api.test' }), (req, res) => {
  res.json(req.auth?.payload.sub);
});
app.get('/new', requireBearer({ accept: createTestKit().accept }), (req, res) => {
  res.json(authOf(req).keyId);
});
