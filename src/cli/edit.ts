import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { z } from 'zod';
import { RunlinkError } from '../base/error.ts';
import { wrongUse } from './exit-code.ts';
import { canAsk } from './questions.ts';

/** The fields that an update of this resource accepts. */
export function editable(item: object, update: z.ZodObject): Record<string, unknown> {
  const names = Object.keys(update.shape);
  return Object.fromEntries(
    Object.entries(item).filter(([name, value]) => names.includes(name) && value !== null),
  );
}

/**
 * Opens a resource as YAML in the user's editor (VISUAL, EDITOR) and returns the result. If the
 * schema refuses it, throws with line and column, and keeps the text.
 */
export async function editInEditor<S extends z.ZodType>(
  name: string,
  fields: Record<string, unknown>,
  schema: S,
): Promise<z.output<S> | undefined> {
  if (!canAsk())
    throw wrongUse(
      'Nothing is changed.',
      'Say what is to change, or run it on a terminal to get an editor.',
    );
  const { stringify } = await import('yaml');
  const { readYaml } = await import('../base/yaml.ts');
  const before = stringify(fields);
  const directory = await mkdtemp(join(tmpdir(), 'runlink-'));
  const file = join(directory, `${name}.yaml`);
  await writeFile(file, before, { mode: 0o600 });
  await openEditor(file);
  const after = await readFile(file, 'utf8');
  const changed =
    after === before ? undefined : readKept(() => readYaml(after, schema, file), file);
  await rm(directory, { recursive: true });
  return changed;
}

function readKept<T>(read: () => T, file: string): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RunlinkError)) throw error;
    const hint = `Your text is kept in ${file}.`;
    throw new RunlinkError(error.code, error.message, { hint, cause: error });
  }
}

async function openEditor(file: string): Promise<void> {
  const fallback = process.platform === 'win32' ? 'notepad' : 'vi';
  const editor = process.env['VISUAL'] || process.env['EDITOR'] || fallback;
  // As git does: the variable may hold options, so a shell reads it; the file is its argument.
  const child =
    process.platform === 'win32'
      ? spawn(editor, [file], { stdio: 'inherit', shell: true })
      : spawn('sh', ['-c', `${editor} "$1"`, editor, file], { stdio: 'inherit' });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0)
    throw new RunlinkError(
      'editor_failed',
      `The editor (${editor}) ended with ${code}; nothing is changed.`,
    );
}
