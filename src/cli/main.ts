#!/usr/bin/env -S node --max-semi-space-size=8 --heap-growing-percent=50
/** Older ones lack what the rest imports and says: so nothing is imported before that is clear. */
const NEEDED = 24;
const { node } = process.versions;

if (Number(node.split('.')[0]) >= NEEDED) void import('./begin.ts');
else {
  process.stderr.write(
    `error: Runlink needs Node.js ${NEEDED} or newer; this is ${node}.\nInstall it from https://nodejs.org or with your version manager, such as: nvm install ${NEEDED}\n`,
  );
  process.exitCode = 1;
}
