import { createWriteStream } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import {
  artifactResponse,
  artifactVisibilityResponse,
  type ArtifactResponse,
} from '../../contract/artifact.ts';
import { clean, oneLine } from '../output/text.ts';
import { remoteCommand, type Remote } from '../remote/remote.ts';
import { addGet } from './lists.ts';

export function addArtifactsCommands(program: Command): void {
  const artifacts = program.command('artifacts');
  const fields = Object.keys(artifactResponse.options[0].shape);
  addGet(artifacts, 'artifact', fields, ({ client }, uid) => client.artifacts.get(uid));
  remoteCommand(
    artifacts,
    'download <artifact>',
    'save its content: to standard output, or on a terminal to a file',
    download,
    ['file', ...fields],
  )
    .option('-o, --output <file>', 'where to; "-" is standard output')
    .addHelpText('after', '\nExample:\n  $ runlink artifacts download report.pdf -o report.pdf');
  const shown = Object.keys(artifactVisibilityResponse.shape);
  for (const [verb, help, isPublic] of [
    ['publish', 'let anyone read it, without a key', true],
    ['unpublish', 'make it private again', false],
  ] as const)
    remoteCommand(artifacts, `${verb} <artifact>`, help, setVisibility(isPublic), shown);
}

function setVisibility(isPublic: boolean) {
  return async ({ client, show }: Remote, uid: string): Promise<void> => {
    const answer = await client.artifacts.setVisibility(uid, { public: isPublic });
    show(answer, () => `${uid} ${isPublic ? 'can be read by anyone' : 'is private'} now.`);
  };
}

/** A safe name for the file here, whatever the artifact's own name. */
function fileName(artifact: ArtifactResponse): string {
  const named = artifact.artifact_type === 'FILE' ? artifact.data.filename : undefined;
  const safe = oneLine(basename(named ?? ''))
    .replaceAll(/[^\p{L}\p{N}._ -]/gu, '_')
    .replace(/^\.+/, '');
  return safe || `artifact-${artifact.artifact_uid.slice(0, 8)}`;
}

/** Downloads into a file if standard output is a terminal, else to standard output. */
async function download(
  { client, options, show }: Remote<{ output?: string }>,
  uid: string,
): Promise<void> {
  const artifact = await client.artifacts.get(uid);
  const isPlan = artifact.artifact_type === 'PLAN';
  const file = options.output ?? (process.stdout.isTTY && !isPlan ? fileName(artifact) : '-');
  if (isPlan && file === '-') return show(artifact, () => clean(artifact.data.content));
  const body = isPlan ? [artifact.data.content] : await client.artifacts.download(uid);
  if (file === '-') return pipeline(body, process.stdout, { end: false });
  await pipeline(body, createWriteStream(file, { flags: options.output ? 'w' : 'wx' }));
  show({ file }, () => `Saved ${file}.`);
}
