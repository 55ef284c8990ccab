import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { interruptSignal } from '../interrupt.ts';
import { addRemoteOptions, remoteClient, type RemoteOptions } from '../remote.ts';
import { printJson } from '../terminal.ts';

function setVisibility(isPublic: boolean) {
  return async (uid: string, options: RemoteOptions): Promise<void> => {
    const answer = await remoteClient(options).artifacts.setVisibility(
      uid,
      { public: isPublic },
      { signal: interruptSignal() },
    );
    if (options.json) printJson(answer);
    else
      process.stdout.write(
        isPublic ? `${uid} can be read by anyone now.\n` : `${uid} is private now.\n`,
      );
  };
}

async function download(uid: string, options: RemoteOptions): Promise<void> {
  const body = await remoteClient(options).artifacts.download(uid, { signal: interruptSignal() });
  await pipeline(body, process.stdout, { end: false });
}

async function show(uid: string, options: RemoteOptions): Promise<void> {
  printJson(await remoteClient(options).artifacts.get(uid, { signal: interruptSignal() }));
}

export function addArtifactsCommands(program: Command): void {
  const artifacts = program.command('artifacts').description('what runs left behind');
  addRemoteOptions(artifacts.command('get <uid>'))
    .description('one artifact, as JSON')
    .action(show);
  addRemoteOptions(artifacts.command('download <uid>'))
    .description('its content, on standard output')
    .addHelpText('after', '\nExample:\n  $ runlink artifacts download 7c9e… > report.pdf')
    .action(download);
  addRemoteOptions(artifacts.command('publish <uid>'))
    .description('let anyone read it, without a key')
    .action(setVisibility(true));
  addRemoteOptions(artifacts.command('unpublish <uid>'))
    .description('make it private again')
    .action(setVisibility(false));
}
