import { InvalidArgumentError } from 'commander';

export function readPort(word: string): number {
  const port = Number(word);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new InvalidArgumentError('Give a port from 0 to 65535; 0 means any free one.');
}

export function readCount(word: string): number {
  const count = Number(word);
  if (Number.isInteger(count) && count > 0) return count;
  throw new InvalidArgumentError('Give a whole number above 0.');
}
