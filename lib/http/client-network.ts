/**
 * Maps the IP address of a client to its network. Limits count per network, because one client can use all IPv6
 * addresses of its network.
 */
import { isIP } from 'node:net';
import { digestOf } from '../credentials/digest.js';
import { embeddedIPv4, parseIPv6, withoutPort } from '../protocol/ip-address.js';

/**
 * Maps an address, as sockets and proxies write it, to a canonical network. A port and a scope id are ignored.
 *
 * An IPv4 address is its own network, even if it is written as an IPv6 address (IPv4-mapped, NAT64). Any other IPv6
 * address is mapped to its /64, because one customer usually has a whole /64.
 *
 * @returns `''` for `undefined`. For a text that is not an address, the result is its hash: a client may send a long
 *   text in the header of a proxy.
 */
export function clientNetwork(address: string | undefined): string {
  if (address === undefined) return '';
  const host = withoutPort(address);
  const version = isIP(host);
  if (version === 0) return digestOf(host);
  if (version === 4) return host;
  const groups = parseIPv6(host);
  return embeddedIPv4(groups) ?? `${groups.slice(0, 4).join(':')}::/64`;
}
