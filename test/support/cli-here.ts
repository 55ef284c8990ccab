import { vi } from 'vitest';
import { runCli } from '../../src/cli/run-cli.ts';

export interface Printed {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command line in this process; `columns` makes its output a terminal of that width. */
export async function runCliHere(
  words: readonly string[],
  env: Record<string, string>,
  columns?: number,
): Promise<Printed> {
  const printed = { stdout: '', stderr: '' };
  const before = process.exitCode;
  const streams = ['stdout', 'stderr'] as const;
  const undo = streams.map((name) => {
    const stream = process[name];
    const write = vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      printed[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      return true;
    });
    const kept = Object.getOwnPropertyDescriptors(stream);
    const colourless = { getColorDepth: () => 1 };
    Object.assign(stream, { isTTY: columns !== undefined, columns: columns ?? 0, ...colourless });
    return () => {
      write.mockRestore();
      for (const name of ['isTTY', 'columns', 'getColorDepth'] as const)
        if (kept[name]) Object.defineProperty(stream, name, kept[name]);
        else Reflect.deleteProperty(stream, name);
    };
  });
  vi.stubEnv('FORCE_COLOR', undefined);
  vi.stubEnv('LC_ALL', 'C.UTF-8');
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  try {
    process.exitCode = undefined;
    const code = await runCli(words);
    return { code, ...printed };
  } finally {
    for (const restore of undo) restore();
    vi.unstubAllEnvs();
    process.exitCode = before;
  }
}
