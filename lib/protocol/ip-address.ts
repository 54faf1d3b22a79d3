/** Parses IP addresses in the forms that sockets and proxies write. */
import { isIP } from 'node:net';

/** Matches `[v6]` and `[v6]:port`; the text in the brackets is not checked. */
const BRACKETED = /^\[([^\]]*)\](?::\d{1,5})?$/;
/** Matches `host:port`. It also matches many IPv6 addresses, so use it only for a text that is not an IP address. */
const WITH_PORT = /^(.+):\d{1,5}$/;
const ZONE = /%.*$/;
/** An IPv6 address has at most 45 characters. The rest is for a zone ID, brackets and a port. */
const MAX_ADDRESS_LENGTH = 64;

/**
 * Removes port, brackets and zone ID (RFC 4007 section 11), so that limits and allowlists get only the address. A
 * client could choose another port for each connection.
 */
export function withoutPort(address: string): string {
  const bracketed = BRACKETED.exec(address)?.[1];
  if (bracketed !== undefined) return bracketed.replace(ZONE, '');
  const host = isIP(address) === 0 ? (WITH_PORT.exec(address)?.[1] ?? address) : address;
  return isIP(host) === 6 ? host.replace(ZONE, '') : host;
}

/**
 * Returns an address as it is stored, for example in the audit log. Removes the prefix `::ffff:`, which sockets for
 * both IPv4 and IPv6 put before an IPv4 address. Cuts long texts: if the app trusts all proxies, a client can send any
 * text as its address.
 */
export function storedAddress(address: string): string {
  const mapped = address.startsWith('::ffff:') ? address.slice(7) : '';
  return isIP(mapped) === 4 ? mapped : address.slice(0, MAX_ADDRESS_LENGTH);
}

/** Returns the eight groups of a valid IPv6 address, in lowercase hex without leading zeros. */
export function parseIPv6(address: string): readonly string[] {
  const [before = [], after = []] = address.split('::').map(groupsOf);
  const zeros = new Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after];
}

/**
 * Returns the IPv4 address inside an IPv6 address: IPv4-mapped (RFC 4291 section 2.5.5.2), or NAT64 (64:ff9b::/96, RFC
 * 6052 section 2.1). `undefined` if the IPv6 address contains none.
 *
 * @param groups - The groups of the IPv6 address, as `parseIPv6` returns them.
 */
export function embeddedIPv4(groups: readonly string[]): string | undefined {
  const prefix = groups.slice(0, 6).join(':');
  if (prefix !== '0:0:0:0:0:ffff' && prefix !== '64:ff9b:0:0:0:0') return undefined;
  return groups
    .slice(6)
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
}

function groupsOf(part: string): readonly string[] {
  if (part === '') return [];
  return part
    .split(':')
    .flatMap((group) => (group.includes('.') ? groupsOfIPv4(group) : [hexOf(Number.parseInt(group, 16))]));
}

function groupsOfIPv4(dotted: string): readonly string[] {
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number);
  return [hexOf(a * 256 + b), hexOf(c * 256 + d)];
}

function hexOf(group: number): string {
  return group.toString(16);
}
