import type { Profile } from './profile.ts';

/** Describes the versions that a profile was tested with. */
export function testedWith({ packages, remark }: Profile): string {
  const versions = packages.map(({ name, version }) => `${name} ${version}`).join(' with ');
  return [versions, remark].filter(Boolean).join('; ');
}

/** The packages to install, in npm's notation; without those that come with another one. */
export function packagesToInstall({ packages }: Profile): string[] {
  return packages
    .filter(({ brought }) => !brought)
    .map(({ name, version }) => `${name}@${version}`);
}
