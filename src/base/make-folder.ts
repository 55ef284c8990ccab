import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RunlinkError, errorMessage, isDiskFull } from './error.ts';

/**
 * Makes a folder and its parents, readable by the owner alone. Node's own recursive way never ends
 * in file systems such as /proc, which refuse new folders by calling them missing (nodejs/node,
 * `MKDirpAsync`). Throws `folder_unusable`, with the setting that names the folder.
 */
export async function makeFolder(folder: string, setting = '--data'): Promise<void> {
  try {
    await makeWithParents(folder);
  } catch (cause) {
    throw new RunlinkError(
      'folder_unusable',
      `The directory ${folder} cannot be made: ${errorMessage(cause)}`,
      {
        hint: isDiskFull(errorMessage(cause))
          ? `Make room on that disk, or name a directory on another with ${setting}.`
          : `Name one that you may write with ${setting}.`,
        cause,
      },
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
