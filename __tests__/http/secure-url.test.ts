import { expect, it } from '@jest/globals';
import { SECURE_PLAIN_URL, SECURE_URL, secureUrl } from '../../lib/http/secure-url.js';

it.each([
  'https://issuer.test',
  'https://issuer.test:8443/keys?tenant=1',
  'http://localhost/keys',
  'http://localhost:3000',
  'http://LOCALHOST',
  'http://127.0.0.1:3000',
  'http://127.1',
  'http://127.255.255.254',
  'http://[::1]:3000',
])('accepts %s', (text) => {
  expect(secureUrl(text)?.href).toBe(new URL(text).href);
  expect(secureUrl(new URL(text))?.href).toBe(new URL(text).href);
});

it.each([
  'http://issuer.test',
  'http://localhost.issuer.test',
  'http://notlocalhost',
  'http://127.0.0.1.issuer.test',
  'http://128.0.0.1',
  'http://10.0.0.1',
  'http://[::2]',
  'http://[::ffff:127.0.0.1]',
  'ftp://localhost',
  'file:///etc/hosts',
  'data:application/json,{}',
  'https://user@issuer.test',
  'https://:secret@issuer.test',
  'https://user:secret@issuer.test',
  'https://issuer.test/#',
  'https://issuer.test/#keys',
  'http://user@localhost',
])('refuses %s', (text) => {
  expect(secureUrl(text)).toBeUndefined();
  expect(secureUrl(new URL(text))).toBeUndefined();
});

it.each([undefined, null, '', 'issuer.test', '/keys', 'https://', 1, {}, ['https://issuer.test']])(
  'refuses a value that is not a URL: %j',
  (value) => {
    expect(secureUrl(value)).toBeUndefined();
  },
);

it('the text for errors can also say which parts are refused', () => {
  expect(SECURE_PLAIN_URL).toBe(`${SECURE_URL} without a user name, password or fragment`);
});
