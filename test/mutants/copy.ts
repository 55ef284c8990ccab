import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A copy of the working tree, as it is now, to be changed; it borrows the installed modules. */
export interface Copy extends AsyncDisposable {
  root: string;
}

export async function copyTree(from: string): Promise<Copy> {
  const root = await mkdtemp(join(tmpdir(), 'runlink-mutants-'));
  // Where root runs the tests, some of its programs run as somebody else.
  await chmod(root, 0o755);
  const options = ['-c', 'safe.directory=*', 'ls-files', '-z'];
  const { stdout } = await run('git', [...options, '--cached', '--others', '--exclude-standard'], {
    cwd: from,
    maxBuffer: 16 * 1024 * 1024,
  });
  for (const name of stdout.split('\0').filter(Boolean)) {
    await mkdir(join(root, dirname(name)), { recursive: true });
    // One that was deleted here is listed all the same.
    await copyFile(join(from, name), join(root, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
  await symlink(join(from, 'node_modules'), join(root, 'node_modules'));
  return {
    root,
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true, maxRetries: 3 }),
  };
}
