import { existsSync, realpathSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { RunlinkError } from '../../base/error.ts';
import type { Confinement, Shown, View } from './confinement.ts';
import { machineView } from './machine-view.ts';

/**
 * What every run of a worker sees of the machine, and what it sees if it has an image of its own.
 * `dir` is for files made here.
 */
export async function workerViews(
  options: { readOnly?: readonly string[] | undefined },
  dir: string,
  user: Confinement['user'],
): Promise<{ view: View; imageView: View }> {
  const imageView = joinViews(operatorView(options.readOnly ?? []), await identityView(dir, user));
  return { view: joinViews(machineView(), imageView), imageView };
}

/** Combines views; drops what lies inside something that is shown already. */
export function joinViews(...views: readonly View[]): View {
  const readOnly: Shown[] = [];
  const all = views.flatMap((view) => view.readOnly);
  for (const shown of all.toSorted((a, b) => a.at.length - b.at.length))
    if (!readOnly.some((outer) => shows(outer, shown))) readOnly.push(shown);
  const links = views.flatMap((view) => view.links);
  return {
    readOnly,
    links: links.filter(
      ({ at }, index) =>
        links.findIndex((each) => each.at === at) === index &&
        !readOnly.some((outer) => isWithin(at, outer.at)),
    ),
  };
}

function shows(outer: Shown, inner: Shown): boolean {
  const rest = inner.at.slice(outer.at.length);
  return isWithin(inner.at, outer.at) && inner.path === outer.path + rest;
}

/** The operator's additions to the view, as far as they exist. */
export function operatorView(paths: readonly string[]): View {
  const present = paths.filter((path) => existsSync(path));
  const why = 'sandbox.read_only of runlink.yaml';
  return { readOnly: present.map((at) => ({ path: realpathSync(at), at, why })), links: [] };
}

/**
 * Throws `data_shown` if a view would show one of these directories, which hold keys, leases and
 * other runs, or if something that the operator added lies in one (threats.md S16).
 */
export function assertUnseen(
  { readOnly }: View,
  directories: readonly string[],
  added: readonly string[] = [],
): void {
  for (const directory of directories.map(realPath)) {
    const above = readOnly.find(({ path }) => isWithin(directory, realPath(path)))?.at;
    const shown = above ?? added.find((path) => isWithin(realPath(path), directory));
    if (shown !== undefined)
      throw new RunlinkError(
        'data_shown',
        `Every run would see data in ${directory}: ${shown} is shown to runs.`,
        { hint: 'Keep the data somewhere else (--data), or take that path out of the list.' },
      );
  }
}

const isWithin = (path: string, dir: string): boolean => path === dir || path.startsWith(`${dir}/`);

/**
 * Resolves all links of a path. If the path does not exist yet, its nearest existing parent is
 * resolved.
 */
export function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : realPath(parent) + path.slice(parent.length);
}

/** The only user that a run can see, in place of the machine's list of users. */
async function identityView(dir: string, { uid, gid }: Confinement['user']): Promise<View> {
  const name = uid === 0 ? 'root' : 'agent';
  const files = {
    passwd: `${name}:x:${uid}:${gid}:${name}:/nonexistent:/bin/sh\n`,
    group: `${name}:x:${gid}:\n`,
  };
  await mkdir(dir, { recursive: true, mode: 0o700 });
  for (const [file, content] of Object.entries(files)) {
    await writeFile(join(dir, file), content);
    await chmod(join(dir, file), 0o644);
  }
  const why = 'the name of the user that runs have';
  const shown = Object.keys(files).map((file) => ({
    path: join(dir, file),
    at: `/etc/${file}`,
    why,
  }));
  return { readOnly: shown, links: [] };
}
