import { Option, type Command } from 'commander';

export interface WatchFlags {
  onInterrupt?: 'ask' | 'detach' | 'cancel';
}

/** Adds the options of whoever watches a run. */
export function addWatchOptions(command: Command): Command {
  return command.addOption(
    new Option(
      '--on-interrupt <what>',
      'Ctrl-C while following: leave the run working, cancel it, or ask (default: ask on a terminal, else detach)',
    ).choices(['ask', 'detach', 'cancel']),
  );
}
