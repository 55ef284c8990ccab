import { z } from 'zod';
import type { ByteReader } from './byte-reader.ts';
import { refuseResult } from './refuse.ts';

/** Longest line between two contents: a path of 4,096 bytes, each escaped, fits. */
const LINE_MAX_BYTES = 64 * 1024;
const sha = z.string().regex(/^[0-9a-f]{40}$/);
const count = z.int().min(0);

/**
 * What the collector says (`inside/collect.ts`). It comes out of the run's sandbox, where the agent's
 * programs may have changed everything: do not believe it before it has been checked.
 */
const frame = z.discriminatedUnion('type', [
  /** A clone's last commit, its working directory, and how many objects follow. */
  z.object({ type: z.literal('clone'), head: sha, tree: sha, objects: count }),
  /** A clone that cannot be read, and why. */
  z.object({ type: z.literal('problem'), text: z.string() }),
  /** A file for people, whose bytes follow. */
  z.object({ type: z.literal('file'), path: z.string(), size: count }),
  z.object({ type: z.literal('left_out'), path: z.string(), reason: z.string() }),
  z.object({ type: z.literal('more_files') }),
  z.object({ type: z.literal('end') }),
]);
export type Frame = z.infer<typeof frame>;

export async function readFrame(reader: ByteReader): Promise<Frame> {
  const line = await reader.line(LINE_MAX_BYTES);
  try {
    return frame.parse(JSON.parse(line));
  } catch {
    return refuseResult('it is no answer of ours');
  }
}
