import { randomUUID } from 'node:crypto';
import { EOL } from 'node:os';
import { debug as command, info as print, isDebug } from '@actions/core';
import { logLine, logLines } from './log-line.ts';

/** A line of ours, which may hold words of others. */
export function info(line: string): void {
  print(logLine(line));
}

/** A line for step debugging. */
export function debug(line: string): void {
  if (isDebug()) command(line);
}

/** Prints text of others so that the runner takes no command from it (threats.md G11). */
export function quote(text: string): void {
  const token = randomUUID();
  print([`::stop-commands::${token}`, ...logLines(text), `::${token}::`].join(EOL));
}
