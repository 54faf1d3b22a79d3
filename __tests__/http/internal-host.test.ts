import { expect, it } from '@jest/globals';
import { isInternalHost } from '../../lib/http/internal-host.js';
import { SECURE_URL, secureUrl } from '../../lib/http/secure-url.js';

const isInternal = (host: string) => isInternalHost(new URL(`https://${host}/`));

it.each([
  ...['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'a.b.localhost.', 'localhost..'],
  ...['0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255'],
  ...['127.0.0.1', '127.255.255.255', '169.254.169.254', '172.16.0.0', '172.31.255.255', '192.0.0.1', '192.0.2.1'],
  ...['192.168.0.1', '192.168.255.255', '198.18.0.0', '198.19.255.255', '198.51.100.1', '203.0.113.1'],
  ...['224.0.0.1', '240.0.0.1', '255.255.255.255'],
  ...['[::]', '[::1]', '[64:ff9b:1::1]', '[100::1]', '[2001::1]', '[2001:1ff::1]', '[2001:db8::1]', '[2002::1]'],
  ...['[fc00::1]', '[fdff::1]', '[fe80::1]', '[febf::1]', '[fec0::1]', '[feff::1]', '[ff02::1]', '[ffff::1]'],
  ...['[::ffff:0:127.0.0.1]', '[100:0:0:1::1]', '[3fff::1]', '[3fff:fff::1]', '[5f00::1]', '[5f00:ffff::1]'],
  ...['[::ffff:10.0.0.1]', '[::ffff:192.168.0.1]', '[64:ff9b::10.0.0.1]', '[64:ff9b::7f00:1]'],
])('%s is internal', (host) => {
  expect(isInternal(host)).toBe(true);
});

it.each([
  ...['issuer.test', 'localhost.test', 'notlocalhost', 'localhosts', '1.0.0.0', '9.255.255.255', '11.0.0.0'],
  ...['100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.1', '169.253.0.1', '172.15.255.255', '172.32.0.0'],
  ...['192.0.1.1', '192.0.3.1', '192.167.0.1', '192.169.0.1', '198.17.255.255', '198.20.0.0', '198.51.99.1'],
  ...['198.51.101.1', '203.0.112.1', '203.0.114.1', '223.255.255.255', '8.8.8.8'],
  ...['[2606:4700::1111]', '[2001:200::1]', '[2001:db9::1]', '[2003::1]', '[101::1]', '[100:0:0:2::1]', '[fbff::1]'],
  ...['[3ffe:ffff::1]', '[3fff:1000::1]', '[5eff::1]', '[5f01::1]', '[::fffe:0:127.0.0.1]'],
  ...['[64:ff9b:2::1]', '[::ffff:8.8.8.8]', '[64:ff9b::8.8.8.8]'],
])('%s is not internal', (host) => {
  expect(isInternal(host)).toBe(false);
});

it('allowHttp accepts http to any machine, but nothing else', () => {
  expect(secureUrl('http://issuer.test/', true)?.href).toBe('http://issuer.test/');
  expect(secureUrl('http://issuer.test/', false)).toBeUndefined();
  for (const url of ['ftp://issuer.test/', 'http://user@issuer.test/', 'http://issuer.test/#']) {
    expect(secureUrl(url, true)).toBeUndefined();
  }
});

it('the text for errors says which URLs are accepted', () => {
  expect(SECURE_URL).toBe('an https URL (http only for a loopback host, or with "allowHttp")');
});
