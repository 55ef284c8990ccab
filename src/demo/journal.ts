import { open, readFile, type FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import { actor } from './actor.ts';

/** Everything that happened in the stand-in, in order. Its state is rebuilt from this. */
const entry = z.discriminatedUnion('type', [
  /** A request that may have changed something. */
  z.object({
    type: z.literal('request'),
    at: z.string(),
    actor,
    method: z.string(),
    path: z.string(),
    body: z.string(),
  }),
  /** A branch or tag that a push moved; an empty side means that it did not exist. */
  z.object({
    type: z.literal('ref'),
    at: z.string(),
    actor,
    repository: z.string(),
    ref: z.string(),
    before: z.string(),
    after: z.string(),
  }),
  /** An installation token that was issued. */
  z.object({ type: z.literal('token'), token: z.string(), actor, expires_at: z.string() }),
  /** An event to send to the App. */
  z.object({
    type: z.literal('delivery'),
    guid: z.string(),
    at: z.string(),
    event: z.string(),
    payload: z.string(),
  }),
  /** One attempt to deliver an event; without a status, the App was not reached. */
  z.object({
    type: z.literal('attempt'),
    id: z.coerce.string(),
    guid: z.string(),
    at: z.string(),
    status: z.int().optional(),
    duration: z.number(),
    redelivery: z.boolean(),
  }),
]);
export type JournalEntry = z.infer<typeof entry>;

export interface Journal {
  /** Resolves when the entry is on disk. */
  append(entry: JournalEntry): Promise<void>;
  close(): Promise<void>;
}

/** Opens a journal and returns its entries. */
export async function openJournal(
  file: string,
): Promise<{ journal: Journal; entries: JournalEntry[] }> {
  const { entries, torn } = await readJournal(file);
  const handle: FileHandle = await open(file, 'a', 0o600);
  if (torn) await handle.appendFile('\n');
  let last: Promise<unknown> = Promise.resolve();
  const write = async (line: string): Promise<void> => {
    await handle.appendFile(line);
    await handle.datasync();
  };
  return {
    entries,
    journal: {
      append(item) {
        const next = last.then(() => write(`${JSON.stringify(item)}\n`));
        last = next.catch(() => undefined);
        return next;
      },
      async close() {
        await last;
        await handle.close();
      },
    },
  };
}

function readLine(line: string): JournalEntry[] {
  try {
    const parsed = entry.safeParse(JSON.parse(line));
    return parsed.success ? [parsed.data] : [];
  } catch {
    return [];
  }
}

/**
 * The entries of a journal. A last line that a crash cut off is dropped: its request was never
 * answered.
 */
async function readJournal(file: string): Promise<{ entries: JournalEntry[]; torn: boolean }> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return { entries: text.split('\n').flatMap(readLine), torn: text !== '' && !text.endsWith('\n') };
}
