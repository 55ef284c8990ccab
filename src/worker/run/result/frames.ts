import { z } from 'zod';
import type { ByteReader } from '../../../base/byte-reader.ts';
import { refuseResult } from './refuse.ts';

/** Longest line between two contents; a path of 4,096 bytes fits even if each byte is escaped. */
const LINE_MAX_BYTES = 64 * 1024;
const sha = z.string().regex(/^[0-9a-f]{40}$/);
const count = z.int().min(0);

/**
 * The collector's messages (`inside/collect.ts`). They come out of the run's sandbox, where the
 * agent's programs may have changed everything, so never trust them unchecked.
 */
const frame = z.discriminatedUnion('type', [
  /** A clone's last commit, its working directory as a tree, and how many objects follow. */
  z.object({ type: z.literal('clone'), head: sha, tree: sha, objects: count }),
  /** A clone that cannot be read, and the reason. */
  z.object({ type: z.literal('problem'), text: z.string() }),
  /** A file for people; its bytes follow. */
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
