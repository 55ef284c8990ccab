import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Profile } from '../../src/worker/profile/profile.ts';
import { packagesToInstall } from '../../src/worker/profile/agent-packages.ts';

const run = promisify(execFile);
const packageFile = z.looseObject({ version: z.string() });

export interface Installed {
  /** Directory of its programs. */
  bin: string;
  /** Version of each package of the profile, as it lies there. */
  versions: Record<string, string>;
}

/**
 * Installs an agent from npm into a cache outside the repository, once for the versions its profile
 * names. Undefined, said loudly, where it cannot be had.
 */
export async function installAgent(profile: Profile): Promise<Installed | undefined> {
  const wanted = packagesToInstall(profile);
  const cache = process.env['RUNLINK_AGENT_CACHE'] ?? join(homedir(), '.cache/runlink-agents');
  const dir = join(cache, wanted.join('+').replaceAll(/[^A-Za-z0-9.@+-]/g, '_'));
  const modules = join(dir, 'node_modules');
  try {
    if (!existsSync(join(dir, 'installed'))) {
      await mkdir(dir, { recursive: true });
      const options = ['--no-audit', '--no-fund', '--prefix', dir];
      await run('npm', ['install', ...options, ...wanted], { timeout: 600_000 });
      await mkdir(join(dir, 'installed'));
    }
    return { bin: join(modules, '.bin'), versions: versionsIn(modules, profile) };
  } catch (error) {
    process.stderr.write(
      `\nNOT TESTED: ${profile.name} could not be installed from npm: ${String(error)}\n\n`,
    );
    return undefined;
  }
}

/** A package that another one brings lies inside it, or beside it. */
function versionsIn(modules: string, { packages }: Profile): Record<string, string> {
  const [first] = packages;
  const found = packages.map(({ name }) => {
    const inside = join(modules, first?.name ?? '', 'node_modules', name, 'package.json');
    const file = existsSync(inside) ? inside : join(modules, name, 'package.json');
    return [name, packageFile.parse(JSON.parse(readFileSync(file, 'utf8'))).version];
  });
  return Object.fromEntries(found);
}
