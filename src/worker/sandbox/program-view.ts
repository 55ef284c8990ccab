import { closeSync, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import type { Link, Shown, View } from './confinement.ts';
import { isSystem } from './machine-view.ts';
import { joinViews } from './view.ts';

const MODULES = '/node_modules/';
const SHEBANG_MAX = 256;
/** Longest chain of scripts that interpret scripts; a longer one is a circle. */
const INTERPRETERS_MAX = 4;

/** A command, and what must be visible for it to start. */
export interface PlacedProgram {
  command: string[];
  view: View;
}

/** A command for a sandbox in which programs are seen at their own paths. */
export function placedProgram(
  words: readonly string[],
  path: string,
  files: readonly string[] = [],
): PlacedProgram {
  const shown = files.map((file) => ({ path: file, at: file, why: 'files of the program' }));
  const view = joinViews({ readOnly: shown, links: [] }, programView(words, path));
  return { command: [...words], view };
}

/** Where a container sees the worker's own programs, so that they hide nothing of the image. */
export const CARRIED = '/runlink';

/**
 * A command of this machine for a container whose image does not have it: the program with its
 * packages and, for a Node script, the worker's own Node. Programs of the system, such as a shell,
 * and programs that are missing here are left to the image.
 */
export function carriedProgram(
  [program = '', ...others]: readonly string[],
  path: string,
  files: readonly string[] = [],
): PlacedProgram {
  const file = findProgram(program, path);
  const view = new Carried();
  for (const each of files) view.show(each, 'files of the program');
  const carry = (word: string): string => view.add(realpathSync(word));
  const args = others.map((word) => (isAbsolute(word) && isFile(word) ? carry(word) : word));
  if (file === undefined) return { command: [program, ...args], view };
  const real = realpathSync(file);
  const isScript = interpreterOf(real).some((word) => basename(word) === 'node');
  if (isScript) return { command: [carry(process.execPath), carry(real), ...args], view };
  const isSystems =
    isSystem(real) && !real.includes(MODULES) && real !== realpathSync(process.execPath);
  return { command: [isSystems ? program : carry(real), ...args], view };
}

class Carried implements View {
  readonly readOnly: Shown[] = [];
  readonly links: Link[] = [];

  /** Shows a file together with its package, and returns its path inside. */
  add(real: string): string {
    for (const path of packageOf(real)) this.show(path, `the program ${real}`);
    return CARRIED + real;
  }

  show(path: string, why: string): void {
    const seen = this.readOnly.some((shown) => `${path}/`.startsWith(`${shown.path}/`));
    if (!seen) this.readOnly.push({ path, at: CARRIED + path, why });
  }
}

/** Finds a program as a shell would; undefined if there is none. */
export function findProgram(name: string, path: string): string | undefined {
  if (isAbsolute(name)) return isFile(name) ? name : undefined;
  const places = path.split(delimiter).filter((dir) => isAbsolute(dir));
  return places.map((dir) => join(dir, name)).find(isFile);
}

class Collected implements View {
  readonly readOnly: Shown[] = [];
  readonly links: Link[] = [];

  addProgram(file: string, path: string, depth: number): void {
    this.addFile(file, `the program ${file}`);
    if (depth === 0) return;
    for (const word of interpreterOf(realpathSync(file))) {
      const interpreter = findProgram(word, path);
      if (interpreter) this.addProgram(interpreter, path, depth - 1);
    }
  }

  /** Shows a file together with its package and, if its name is a link, the link too. */
  addFile(file: string, why: string): void {
    const real = realpathSync(file);
    if (!isSystem(real)) for (const path of packageOf(real)) this.#show(path, why);
    if (real !== file && !this.#isSeen(file)) this.links.push({ at: file, to: real, why });
  }

  #show(path: string, why: string): void {
    if (!this.#isSeen(path)) this.readOnly.push({ path, at: path, why });
  }

  #isSeen(path: string): boolean {
    return (
      isSystem(path) ||
      this.links.some(({ at }) => at === path) ||
      this.readOnly.some(({ at }) => path === at || path.startsWith(`${at}/`))
    );
  }
}

/**
 * The package that a file belongs to: all modules that were installed with it, or its Python
 * environment. Without a package it is the file alone, with the `package.json` that tells Node how
 * to read it.
 */
function packageOf(file: string): string[] {
  const modules = file.indexOf(MODULES);
  if (modules > 0) return [file.slice(0, modules + MODULES.length - 1)];
  const environment = above(file).find((dir) => existsSync(join(dir, 'pyvenv.cfg')));
  if (environment !== undefined) return [environment];
  const settings = above(file)
    .map((dir) => join(dir, 'package.json'))
    .find(isFile);
  return settings === undefined ? [file] : [file, settings];
}

/** The parent directories of a path, nearest first, without the root. */
export function above(path: string): string[] {
  const dir = dirname(path);
  return dir === '/' ? [] : [dir, ...above(dir)];
}

/** The programs in a script's first line: `#!/usr/bin/env node` names two. */
function interpreterOf(file: string): string[] {
  const line = /^#!\s*(.*)/.exec(firstBytes(file))?.[1] ?? '';
  const [interpreter, ...words] = line.trim().split(/\s+/);
  if (!interpreter) return [];
  const named = words.find((word) => !word.startsWith('-') && !word.includes('='));
  return interpreter.endsWith('/env') && named ? [interpreter, named] : [interpreter];
}

function firstBytes(file: string): string {
  const handle = openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(SHEBANG_MAX);
    return buffer.toString('latin1', 0, readSync(handle, buffer, 0, SHEBANG_MAX, 0));
  } finally {
    closeSync(handle);
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    // A directory on PATH that this user may not enter is passed over, as shells do.
    return false;
  }
}

/**
 * What must be visible for a command to start: its program (found on `path`) with its packages and
 * interpreter, and the files that its arguments name.
 */
function programView(words: readonly string[], path: string): View {
  const seen = new Collected();
  const [program, ...others] = words;
  const file = program === undefined ? undefined : findProgram(program, path);
  if (file) seen.addProgram(file, path, INTERPRETERS_MAX);
  for (const word of others)
    if (isAbsolute(word) && isFile(word)) seen.addFile(word, 'the command');
  return seen;
}
