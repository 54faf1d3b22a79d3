/**
 * Validates lists of allowed addresses (IPv4, IPv6, and networks in CIDR form), and checks whether an address is in
 * such a list.
 */
import { BlockList, isIP } from 'node:net';
import { embeddedIPv4, parseIPv6, withoutPort } from '../protocol/ip-address.js';

const PREFIX_LENGTH = /^(?:0|[1-9]\d{0,2})$/;
/**
 * For each list of allowed addresses, an object that finds an address in the list. The class `BlockList` of Node blocks
 * nothing: here it is only used to search.
 */
const blockLists = new WeakMap<readonly string[], BlockList>();

/**
 * Checks whether a value is an address, or a network as `address/prefix length` (RFC 4632 section 3.1, RFC 4291 section
 * 2.3).
 */
export function isAddressRange(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  const { address, version, length } = parseRange(value);
  if (version === 0 || address.includes('%')) return false;
  return length === undefined || (PREFIX_LENGTH.test(length) && Number(length) <= (version === 4 ? 32 : 128));
}

/**
 * Checks whether an address, with or without a port, is in one of the ranges. Each range must pass `isAddressRange`. An
 * address that is unknown or invalid is in no range. An IPv6 address that contains an IPv4 address (IPv4-mapped, NAT64)
 * is compared with IPv4 ranges too.
 */
export function includesAddress(ranges: readonly string[], address: string | undefined): boolean {
  const host = address === undefined ? '' : withoutPort(address);
  const version = isIP(host);
  if (version === 0) return false;
  let blockList = blockLists.get(ranges);
  if (blockList === undefined) {
    blockList = blockListOf(ranges);
    blockLists.set(ranges, blockList);
  }
  if (version === 4) return blockList.check(host, 'ipv4');
  const embedded = embeddedIPv4(parseIPv6(host));
  return blockList.check(host, 'ipv6') || (embedded !== undefined && blockList.check(embedded, 'ipv4'));
}

function blockListOf(ranges: readonly string[]): BlockList {
  const blockList = new BlockList();
  for (const range of ranges) {
    const { address, version, length } = parseRange(range);
    const family = version === 4 ? 'ipv4' : 'ipv6';
    if (length === undefined) blockList.addAddress(address, family);
    else blockList.addSubnet(address, Number(length), family);
  }
  return blockList;
}

function parseRange(range: string) {
  const [address = '', length, ...rest] = range.split('/');
  return { address, length, version: rest.length === 0 ? isIP(address) : 0 };
}
