#!/usr/bin/env -S node --max-semi-space-size=8 --heap-growing-percent=50
/**
 * Older versions lack what the other modules need, so the version is checked before importing them.
 */
const NEEDED = 24;
const { node } = process.versions;

if (Number(node.split('.')[0]) >= NEEDED) void import('./begin.ts');
else {
  process.stderr.write(
    `error: Runlink needs Node.js ${NEEDED} or newer; this is ${node}.\nInstall it from https://nodejs.org or with your version manager, such as: nvm install ${NEEDED}\n`,
  );
  process.exitCode = 1;
}
