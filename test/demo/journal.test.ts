import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openJournal, type JournalEntry } from '../../src/demo/journal.ts';
import { temporaryDirectory } from '../support/standin.ts';

const delivery = fc.record({
  type: fc.constant('delivery' as const),
  guid: fc.uuid(),
  at: fc.constant('2026-11-21T12:00:00.000Z'),
  event: fc.constantFrom('issue_comment', 'push'),
  payload: fc.string({ unit: 'binary' }),
});

async function write(file: string, entries: readonly JournalEntry[]): Promise<JournalEntry[]> {
  const { journal, entries: before } = await openJournal(file);
  await Promise.all(entries.map((entry) => journal.append(entry)));
  await journal.close();
  return before;
}

describe('the journal of the stand-in', () => {
  it('keeps every whole entry, wherever a crash cut it off, and goes on after it', async () => {
    const directory = await temporaryDirectory();
    const several = fc.array(delivery, { minLength: 1, maxLength: 6 });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(several, several, fc.nat(), async (first, second, cut) => {
        round += 1;
        const file = join(directory, `${round}.jsonl`);
        await write(file, first);
        const whole = await readFile(file);
        const kept = whole.subarray(0, cut % (whole.length + 1));
        await writeFile(file, kept);
        const lines = kept.toString().split('\n').length - 1;
        const survivors = await write(file, second);
        // A cut right before a line's end leaves that line whole.
        expect([lines, lines + 1]).toContain(survivors.length);
        expect(survivors).toEqual(first.slice(0, survivors.length));
        expect(await write(file, [])).toEqual([...survivors, ...second]);
      }),
      { numRuns: 50, seed: 5 },
    );
  });
});
