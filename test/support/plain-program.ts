import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';

/** Every sandbox sees it, as it sees the Node that lies there. */
const FOLDER = resolve(import.meta.dirname, '../../node_modules/.cache/runlink');

/**
 * A program of one TypeScript file as plain JavaScript, made once for each state of its text. In a
 * sandbox nothing compiled is kept: there taking the types out costs more at each start than all
 * else.
 */
export async function plainProgram(file: string): Promise<string> {
  const source = await readFile(file, 'utf8');
  const hash = createHash('sha256').update(source).digest('hex').slice(0, 12);
  const program = join(FOLDER, `${basename(file, '.ts')}-${hash}.mjs`);
  if (existsSync(program)) return program;
  const { transform } = await import('rolldown/utils');
  const { code, errors } = await transform(file, source);
  if (errors.length > 0) throw new Error(`${file} cannot be read`, { cause: errors });
  await mkdir(FOLDER, { recursive: true });
  await writeFile(`${program}.${process.pid}`, code);
  await rename(`${program}.${process.pid}`, program);
  return program;
}
