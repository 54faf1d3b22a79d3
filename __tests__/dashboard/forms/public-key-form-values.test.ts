import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { shownAgain } from '../../../lib/dashboard/forms/public-key-form-values.js';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const PUBLIC_PEM = String(publicKey.export({ type: 'spki', format: 'pem' }));
const PRIVATE_PEM = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
const MEMBERS = { kid: 'a', use: 'sig', alg: 'ES256', key_ops: ['verify'], x5t: 'AAAA', 'x5t#S256': 'AAAA' };
const [, inner] = PRIVATE_PEM.split('-----BEGIN PRIVATE KEY-----');

it.each([
  ['a JWK', JSON.stringify({ ...publicKey.export({ format: 'jwk' }), ...MEMBERS })],
  ['a PEM', PUBLIC_PEM],
  ['a PEM between spaces', ` \n${PUBLIC_PEM}\n`],
])('%s of a public key is shown again', (_name, text) => expect(shownAgain(text)).toBe(text));

it.each([
  ['a JWK of a private key', JSON.stringify(privateKey.export({ format: 'jwk' }))],
  ['a PEM of a private key', PRIVATE_PEM],
  ['a private key that is called public', `-----BEGIN PUBLIC KEY-----${inner?.replace(/PRIVATE/, 'PUBLIC')}`],
  ['a PEM after other text', `secret\n${PUBLIC_PEM}`],
  ['a PEM before other text', `${PUBLIC_PEM}\nsecret`],
  ['an array', '[]'],
  ['a string', '""'],
  ['a number', '123456'],
  ['null', 'null'],
  ['other text', 'secret'],
])('%s is not', (_name, text) => expect(shownAgain(text)).toBe(''));
