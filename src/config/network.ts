import { isIP } from 'node:net';
import { z } from 'zod';

/**
 * A host, a domain with everything below it, or a range of addresses; on one port or on those of
 * the web.
 */
export interface NetworkEntry {
  /** A host name, or the end of names, such as `.example.org`. */
  name?: string;
  /** An address and the length of its network prefix. */
  range?: { address: string; family: 'ipv4' | 'ipv6'; bits: number };
  ports: readonly number[];
}

const WEB_PORTS = [80, 443];
const ENTRY =
  /^(?:\[(?<six>[\da-f:.]+)\]|(?<host>[^:[\]/]+))(?:\/(?<bits>\d{1,3}))?(?::(?<port>\d{1,5}))?$/i;
const NAME = /^(?:\*\.)?[a-z\d_](?:[a-z\d_.-]*[a-z\d_])?$/i;

/** Parses an entry of `network`; undefined if it is invalid. */
export function readNetworkEntry(text: string): NetworkEntry | undefined {
  const { six, host = '', bits, port = '' } = ENTRY.exec(text)?.groups ?? {};
  const what = isIP(six ?? host) !== 0 ? readRange(six ?? host, bits) : readName(six, host, bits);
  const ports = port === '' ? WEB_PORTS : [Number(port)];
  return what && ports.every((each) => each > 0 && each < 65_536) ? { ...what, ports } : undefined;
}

function readRange(address: string, text?: string): Pick<NetworkEntry, 'range'> | undefined {
  const [family, most] = isIP(address) === 4 ? (['ipv4', 32] as const) : (['ipv6', 128] as const);
  const bits = Number(text ?? most);
  return bits > most ? undefined : { range: { address, family, bits } };
}

function readName(
  six: string | undefined,
  host: string,
  bits: string | undefined,
): Pick<NetworkEntry, 'name'> | undefined {
  if (six !== undefined || bits !== undefined || !NAME.test(host) || host.includes('..'))
    return undefined;
  const name = host.replace(/^\*(?=\.)/, '').toLowerCase();
  // Parsed as browsers do: a name that turns out to be an address, such as `127.1`, is refused.
  const read = URL.parse(`http://${name.replace(/^\./, '')}`)?.hostname;
  return `.${read}`.endsWith(name) ? { name } : undefined;
}

export const networkEntry = z
  .string()
  .max(256)
  .refine(
    (text) => readNetworkEntry(text) !== undefined,
    'must be a host such as packages.example.org, *.example.org, example.org:8443, 10.1.2.3 or [fd00::1]:443; other letters are written as xn--…',
  );
