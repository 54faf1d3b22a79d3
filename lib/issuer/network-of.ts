import { isIP } from 'node:net';
import { digestOf } from '../credentials/digest.js';

/**
 * The network that an address is counted under: an IPv4 address by itself, an IPv6 address by its /64, since whoever
 * has one address of that has them all. What is no address, since a proxy wrote something else, by its digest: it may be
 * as long as a header.
 */
export function networkOf(address: string | undefined): string {
  if (address === undefined) return '';
  const version = isIP(address);
  if (version !== 6) return version === 4 ? address : digestOf(address);
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = new Array<string>(tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length)).fill('0');
  const groups = [...before, ...zeros, ...after].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
