import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { readNetworkEntry, type NetworkEntry } from '../../config/network.ts';

/**
 * Addresses outside the public internet, and those of the clouds' metadata services, one of which
 * (168.63.129.16) looks public. In IPv6 only 2000::/3 is public at all.
 */
const SPECIAL_4 =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4';
/** Some of these contain an IPv4 address. */
const SPECIAL_6 = '2001::/23 2001:db8::/32 2002::/16 3fff::/20';

const special = new BlockList();
const public6 = new BlockList();
public6.addSubnet('2000::', 3, 'ipv6');
for (const [list, family] of [
  [SPECIAL_4, 'ipv4'],
  [SPECIAL_6, 'ipv6'],
] as const)
  for (const net of list.split(' ')) {
    const [address = '', bits] = net.split('/');
    special.addSubnet(address, Number(bits), family);
  }

/** What a run may reach according to the operator's list. */
export class AllowList {
  readonly #entries: readonly NetworkEntry[];

  constructor(entries: readonly string[]) {
    this.#entries = entries.map(readNetworkEntry).filter((entry) => entry !== undefined);
  }

  /** Whether a run may ask for this host: its name or its address must be listed. */
  allowsHost(host: string, port: number): boolean {
    if (isIP(host) !== 0) return this.#lists(host, port);
    return this.#entries.some(
      ({ name, ports }) =>
        ports.includes(port) &&
        (name?.startsWith('.') ? host.endsWith(name) && host !== name : host === name),
    );
  }

  /**
   * Whether the address of a listed name may be connected to: it must be public, or listed itself.
   */
  allowsAddress(address: string, port: number): boolean {
    return (isPublic(address) && !isOurs(address)) || this.#lists(address, port);
  }

  #lists(address: string, port: number): boolean {
    return this.#entries.some(({ range, ports }) => {
      if (range === undefined || !ports.includes(port)) return false;
      const listed = new BlockList();
      listed.addSubnet(range.address, range.bits, range.family);
      return listed.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
    });
  }
}

function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !special.check(address, 'ipv4');
  return public6.check(address, 'ipv6') && !special.check(address, 'ipv6');
}

/**
 * Whether this is an address of our own machine, even a public one: its firewall may let the
 * machine itself in where it keeps others out.
 */
function isOurs(address: string): boolean {
  return Object.values(networkInterfaces()).some((all) =>
    all?.some((each) => each.address === address),
  );
}
