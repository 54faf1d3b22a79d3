import express from 'express';
import { accessTokens, requireBearer } from 'keyward';
export const schemes = { bearer: accessTokens({ issuer: 'https://login.example', audience: 'x' }) };
export const app = express();
app.get('/x', requireBearer({ accept: [schemes.bearer] }), (_req, res) => void res.end());
