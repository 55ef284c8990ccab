import { z } from 'zod';
import type { Client, Download } from '../client/connect.ts';
import type { CallOptions } from '../client/send.ts';
import { errorMessage } from '../base/error.ts';
import type { RunRead } from '../contract/run.ts';
import { parseExactJson } from '../github/read/exact-json.ts';

/** Longest file that is read, in bytes: all outputs of a job together have 1 MB. */
const FILE_MAX = 512 * 1024;

/** Deeper nesting would overflow the stack of whoever walks through the value. */
const DEPTH_MAX = 200;

const file = z.object({
  artifact_type: z.literal('FILE'),
  created_at: z.string().optional(),
  data: z.object({
    artifact_uid: z.string(),
    filename: z.string(),
    filepath: z.string().optional(),
    written_at: z.string().optional(),
  }),
});

/**
 * The contents of a file that a run left, also with integers too large for a number kept as text;
 * or why it cannot be read.
 */
export type RunJson = { value: unknown; exact: unknown } | { fault: string };

/**
 * The newest file of this name from the run's last execution, as JSON; undefined if there is none.
 */
export async function readRunJson(
  service: Client,
  run: RunRead,
  name: string,
  options: CallOptions,
): Promise<RunJson | undefined> {
  const begun = Date.parse(run.executions?.at(-1)?.queued_at ?? '');
  // Some services do not say when an execution began; then the file's age is unknown.
  const left = filesNamed(run, name).findLast(({ writtenAt }) => !(writtenAt < begun));
  return left && readFile(service, left.uid, name, options);
}

/** Id of the newest artifact of a run with this file name. */
export function findRunFile(run: RunRead, name: string): string | undefined {
  return filesNamed(run, name).at(-1)?.uid;
}

/** Whether a run left this file under this name. */
export function isRunFile(run: RunRead, name: string, artifact: string): boolean {
  return filesNamed(run, name).some(({ uid }) => uid === artifact);
}

function filesNamed({ artifacts }: RunRead, name: string): { uid: string; writtenAt: number }[] {
  return (artifacts ?? [])
    .flatMap((artifact) => file.safeParse(artifact).data ?? [])
    .filter(({ data: { filename, filepath } }) => (filepath ?? filename) === name)
    .map(({ created_at: made = '', data: { artifact_uid: uid, written_at: at = made } }) => {
      return { uid, writtenAt: Date.parse(at) };
    });
}

/** Reads a file that a run left, as JSON. */
export async function readFile(
  service: Client,
  artifact: string,
  name: string,
  options: CallOptions,
): Promise<RunJson> {
  const bytes = await readCapped(await service.artifacts.download(artifact, options));
  if (!bytes) return { fault: `${name} is larger than ${FILE_MAX / 1024} KB` };
  // Some programs write a byte order mark, which is not valid JSON.
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (isDeep(text)) return { fault: `${name} is nested more than ${DEPTH_MAX} deep` };
  try {
    return { value: JSON.parse(text), exact: parseExactJson(text) };
  } catch (error) {
    return { fault: `${name} is not JSON: ${errorMessage(error)}` };
  }
}

/** Whether brackets outside of strings are nested too deep. */
function isDeep(json: string): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < json.length && depth <= DEPTH_MAX; at += 1) {
    const mark = json[at];
    if (mark === '"') isText = !isText;
    else if (isText && mark === '\\') at += 1;
    else if (!isText && (mark === '[' || mark === '{')) depth += 1;
    else if (!isText && (mark === ']' || mark === '}')) depth -= 1;
  }
  return depth > DEPTH_MAX;
}

async function readCapped(body: Download): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(Buffer.from(chunk as Uint8Array));
    size += chunk.length;
    // Leaving the loop closes the connection.
    if (size > FILE_MAX) return undefined;
  }
  return Buffer.concat(chunks);
}
