import type { Profile } from './profile.ts';

/** The versions a profile was tested with, in words. */
export function testedWith({ packages, remark }: Profile): string {
  const versions = packages.map(({ name, version }) => `${name} ${version}`).join(' with ');
  return [versions, remark].filter(Boolean).join('; ');
}

/** The packages to install, as npm takes them; those that they bring along come with them. */
export function packagesToInstall({ packages }: Profile): string[] {
  return packages
    .filter(({ brought }) => !brought)
    .map(({ name, version }) => `${name}@${version}`);
}
