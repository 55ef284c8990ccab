import { lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Link, Shown, View } from './confinement.ts';

/**
 * Where a machine keeps its programs and libraries. Keys and data must not be stored below these.
 */
export const SYSTEM_DIRECTORIES: readonly string[] = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/opt',
];

/** The files in `/etc` that programs need, by reason. A `*` matches any ending. */
const ETC: Readonly<Record<string, readonly string[]>> = {
  'which program a name means': ['alternatives'],
  'where libraries are': ['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d'],
  'names of hosts and services': [
    'hosts',
    'host.conf',
    'resolv.conf',
    'nsswitch.conf',
    'gai.conf',
    'services',
    'protocols',
  ],
  'time zone': ['localtime', 'timezone'],
  certificates: [
    'ssl/certs',
    'ssl/cert.pem',
    'ssl/ca-bundle.pem',
    'ssl/openssl.cnf',
    'pki/tls/certs',
    'pki/tls/cert.pem',
    'pki/tls/openssl.cnf',
    'pki/ca-trust/extracted',
    'ca-certificates/extracted',
    'crypto-policies',
  ],
  'settings that programs do not start without': ['java-*', 'fonts', 'mime.types', 'os-release'],
};

/**
 * The machine's part of every view: programs, libraries, and the settings that all programs need.
 */
export function machineView(): View {
  const readOnly: Shown[] = [];
  const links: Link[] = [];
  const add = (at: string, why: string): void => {
    const found = lstatSync(at, { throwIfNoEntry: false });
    if (!found) return;
    const link = found.isSymbolicLink() && systemLink(at);
    if (link) links.push({ at, to: link, why });
    else readOnly.push({ path: realpathSync(at), at, why });
  };
  for (const dir of SYSTEM_DIRECTORIES) add(dir, 'programs and libraries');
  for (const [why, names] of Object.entries(ETC))
    for (const name of names.flatMap(expand)) add(join('/etc', name), why);
  return { readOnly, links };
}

/**
 * The target of a link that leads to a visible place; programs read the time zone's name from it.
 */
function systemLink(at: string): string | undefined {
  const to = readlinkSync(at);
  return isSystem(resolve(dirname(at), to)) ? to : undefined;
}

/** Whether the path lies in a directory that every run sees. */
export function isSystem(path: string): boolean {
  return SYSTEM_DIRECTORIES.some((dir) => path === dir || path.startsWith(`${dir}/`));
}

function expand(name: string): string[] {
  if (!name.endsWith('*')) return [name];
  return readdirSync('/etc').filter((each) => each.startsWith(name.slice(0, -1)));
}
