import { readFileSync } from 'node:fs';

const main = readFileSync(new URL('../src/cli/main.ts', import.meta.url), 'utf8');

/** The flags that Node.js is given for the command: those of its first line. */
export const PRODUCT_FLAGS: readonly string[] =
  main.split('\n', 1)[0]?.match(/--[\w-]+=\d+/g) ?? [];
