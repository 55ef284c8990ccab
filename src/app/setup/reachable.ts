import { BlockList, isIP } from 'node:net';

const near = new BlockList();
near.addSubnet('0.0.0.0', 8);
near.addSubnet('127.0.0.0', 8);
near.addSubnet('10.0.0.0', 8);
near.addSubnet('100.64.0.0', 10);
near.addSubnet('169.254.0.0', 16);
near.addSubnet('172.16.0.0', 12);
near.addSubnet('192.168.0.0', 16);
near.addSubnet('198.18.0.0', 15);
near.addSubnet('224.0.0.0', 3);
near.addAddress('::', 'ipv6');
near.addAddress('::1', 'ipv6');
near.addSubnet('fc00::', 7, 'ipv6');
near.addSubnet('fe80::', 9, 'ipv6');
near.addSubnet('ff00::', 8, 'ipv6');

/** Host names that only the local network knows: single words, and the reserved endings. */
const NEAR_NAME =
  /^[^.]+$|\.(?:localhost|localdomain|local|internal|private|lan|home|home\.arpa|test|invalid|corp|intra|intranet)$/i;

/**
 * Whether an address is this machine or its local network, where nobody from outside can reach it.
 */
export function isNear(url: string): boolean {
  const { hostname } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const family = isIP(host);
  if (family === 0) return NEAR_NAME.test(host);
  return near.check(host, family === 6 ? 'ipv6' : 'ipv4');
}

/** Why GitHub cannot reach a webhook at this address; undefined if it may. */
export function whyUnreachable(publicUrl: string, webUrl: string): string | undefined {
  if (!isNear(publicUrl) || isNear(webUrl)) return undefined;
  const { host } = new URL(publicUrl);
  return `GitHub could not deliver anything to ${host}: it is an address of this machine or its own network. Start this server again for a new key, and open this page by the address that GitHub can reach: behind a tunnel or a proxy, that one’s.`;
}
