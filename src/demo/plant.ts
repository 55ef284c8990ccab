import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gitIn, type GitPlace } from './git.ts';
import { DEMO_FILES, DEMO_PEOPLE } from './seed.ts';

const { name, email } = DEMO_PEOPLE.maintainer;
const IDENTITY = {
  GIT_AUTHOR_NAME: name,
  GIT_AUTHOR_EMAIL: email,
  GIT_COMMITTER_NAME: name,
  GIT_COMMITTER_EMAIL: email,
};

/** Creates the bare repository with the demo's files, completely or not at all. */
export async function plantRepository(place: GitPlace): Promise<void> {
  if (existsSync(place.directory)) return;
  const parent = dirname(place.directory);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const scratch = await mkdtemp(join(parent, '.planting-'));
  try {
    const work: GitPlace = { directory: join(scratch, 'work'), path: place.path };
    for (const [file, content] of Object.entries(DEMO_FILES)) {
      const target = join(work.directory, file);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, content);
    }
    await gitIn(work, ['init', '--quiet', '--initial-branch=main']);
    await gitIn(work, ['add', '--all']);
    await gitIn(work, ['commit', '--quiet', '-m', 'Prices and delivery of widgets'], {
      env: IDENTITY,
    });
    await gitIn(work, ['clone', '--quiet', '--bare', work.directory, join(scratch, 'bare')]);
    await rename(join(scratch, 'bare'), place.directory);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
