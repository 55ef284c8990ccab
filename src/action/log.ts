import { randomUUID } from 'node:crypto';
import { EOL } from 'node:os';
import { debug as command, info as print, isDebug } from '@actions/core';
import { logLine, logLines } from './log-line.ts';

/** Logs a line of ours that may contain text from others. */
export function info(line: string): void {
  print(logLine(line));
}

/** A line for step debugging. */
export function debug(line: string): void {
  if (isDebug()) command(line);
}

/** Prints text from others so that the runner reads no command in it (threats.md G11). */
export function quote(text: string): void {
  const token = randomUUID();
  print([`::stop-commands::${token}`, ...logLines(text), `::${token}::`].join(EOL));
}
