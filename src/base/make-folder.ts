import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RunlinkError, errorMessage } from './error.ts';

/**
 * Makes a folder of somebody's choice for its owner alone, with those above it. Node's own way of that never
 * ends in a file system that makes none and calls them missing, such as /proc (nodejs/node, `MKDirpAsync`).
 * Throws `folder_unusable`, with the setting that names it.
 */
export async function makeFolder(folder: string, setting = '--data'): Promise<void> {
  try {
    await makeWithParents(folder);
  } catch (cause) {
    throw new RunlinkError(
      'folder_unusable',
      `The directory ${folder} cannot be made: ${errorMessage(cause)}`,
      { hint: `Name one that you may write with ${setting}.`, cause },
    );
  }
}

async function makeWithParents(folder: string, isParentMade = false): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (await isFolder(folder)) return;
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' || isParentMade) throw error;
    await makeWithParents(dirname(folder));
    await makeWithParents(folder, true);
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
