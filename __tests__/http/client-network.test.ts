import { describe, expect, it } from '@jest/globals';
import { digestOf } from '../../lib/credentials/digest.js';
import { clientNetwork } from '../../lib/http/client-network.js';
import { basic, GRANT, ID, tokenService } from '../support/token-service.js';

describe('clientNetwork', () => {
  it.each([
    [undefined, ''],
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['fe80::1', 'fe80:0:0:0::/64'],
    ['unknown', digestOf('unknown')],
    ['', digestOf('')],
    ['64:ff9b:1::192.0.2.1', '64:ff9b:1:0::/64'],
  ])('maps %s to %s', (address, network) => {
    expect(clientNetwork(address)).toBe(network);
  });

  it.each([
    ['IPv4 with a port', '192.0.2.1', ['192.0.2.1:8443', '192.0.2.1:1', '192.0.2.1:65535']],
    [
      'IPv6 with a port',
      '2001:db8:1:2::/64',
      ['[2001:db8:1:2::6]:443', '[2001:db8:1:2::7]', '2001:db8:1:2:3:4:5:6:80'],
    ],
    [
      'IPv4-mapped',
      '192.0.2.1',
      ['::ffff:192.0.2.1', '::FFFF:c000:201', '0:0:0:0:0:ffff:192.0.2.1', '[::ffff:192.0.2.1]:80'],
    ],
    [
      'NAT64',
      '192.0.2.1',
      ['64:ff9b::192.0.2.1', '64:ff9b::c000:201', '64:FF9B:0:0:0:0:C000:0201', '[64:ff9b::c000:201]:9'],
    ],
    ['a scope id', 'fe80:0:0:0::/64', ['fe80::1%eth0', 'fe80::1%25', '[fe80::1%eth0]:80', 'fe80::9%1:2']],
    ['what is no address, with a port', digestOf('unknown'), ['unknown', 'unknown:1', 'unknown:2']],
  ])('N28 %s is one network', (_what, network, addresses) => {
    expect(addresses.map(clientNetwork)).toEqual(addresses.map(() => network));
  });

  it('N28 the brute-force limiter is not evaded by a port', async () => {
    const service = await tokenService({ limits: { perAddress: 3 } }, [
      (req, _res, next) => {
        Object.defineProperty(req, 'ip', { value: req.headers['x-client'] });
        next();
      },
    ]);
    const statuses: number[] = [];
    for (const address of ['192.0.2.1:1', '192.0.2.1:2', '[::ffff:192.0.2.1]:3', '64:ff9b::192.0.2.1', '192.0.2.2:1']) {
      const headers = { ...basic(`${ID}_${statuses.length}`, 'wrong'), 'x-client': address };
      statuses.push((await service.post(GRANT, headers)).status);
    }
    await service.close();
    expect(statuses).toEqual([401, 401, 401, 429, 401]);
  });
});
