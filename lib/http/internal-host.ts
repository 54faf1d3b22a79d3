/** Recognizes hosts that are not reachable from the internet. */
import { BlockList, isIP } from 'node:net';

/** Matches names of this machine: every name under localhost, also with dots at the end (RFC 6761 section 6.3). */
const LOCALHOST = /(?:^|\.)localhost\.*$/;

/** Addresses that are not globally reachable (RFC 6890 and the registries of IANA), and multicast addresses. */
const INTERNAL_IPV4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];
const INTERNAL_IPV6: readonly (readonly [network: string, prefix: number])[] = [
  ['::', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['100:0:0:1::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
];
/** Prefixes of IPv6 addresses that end with an IPv4 address: IPv4-mapped, and NAT64 (RFC 6052 section 2.1). */
const EMBEDDING = ['::ffff:', '64:ff9b::'];

/**
 * Checks whether the host of a URL is a name of this machine, or an address that is not reachable from the internet.
 * Other host names are not resolved, so a name that leads to an internal address is not recognized.
 */
export function isInternalHost({ hostname }: URL): boolean {
  if (LOCALHOST.test(hostname)) return true;
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  const version = isIP(address);
  return version !== 0 && internalAddresses().check(address, version === 4 ? 'ipv4' : 'ipv6');
}

/** Created for each check: few processes ever check an address, and at import it would take almost a millisecond. */
function internalAddresses(): BlockList {
  const internal = new BlockList();
  for (const [network, prefix] of INTERNAL_IPV6) internal.addSubnet(network, prefix, 'ipv6');
  for (const [network, prefix] of INTERNAL_IPV4) {
    internal.addSubnet(network, prefix, 'ipv4');
    for (const before of EMBEDDING) internal.addSubnet(`${before}${network}`, 96 + prefix, 'ipv6');
  }
  return internal;
}
