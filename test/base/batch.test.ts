import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batched } from '../../src/base/batch.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Carries out on command, and remembers each batch. */
function onCommand() {
  const batches: number[][] = [];
  const release: (() => void)[] = [];
  const carryOut = async (items: readonly number[]) => {
    batches.push([...items]);
    await new Promise<void>((resolve) => release.push(resolve));
    return (item: number) => item * 10;
  };
  return { batches, release, carryOut };
}

const ANY = { max: 100, maxBytes: Infinity, bytesOf: () => 1, isOneAtFault: () => false };

describe('batched', () => {
  it('carries out at once what comes alone', async () => {
    const { batches, release, carryOut } = onCommand();
    const call = batched(carryOut, ANY);
    const answer = call(7);
    await turn();
    expect(batches).toEqual([[7]]);
    release[0]?.();
    expect(await answer).toBe(70);
  });

  it('gathers what comes in one turn, and what comes while a batch is under way', async () => {
    const { batches, release, carryOut } = onCommand();
    const call = batched(carryOut, ANY);
    const first = [call(1), call(2)];
    await turn();
    const second = [call(3), call(4)];
    await turn();
    expect(batches).toEqual([[1, 2]]);
    release[0]?.();
    expect(await Promise.all(first)).toEqual([10, 20]);
    await turn();
    expect(batches).toEqual([
      [1, 2],
      [3, 4],
    ]);
    release[1]?.();
    expect(await Promise.all(second)).toEqual([30, 40]);
  });

  it('begins a second batch beside the first where many wait, and never a third', async () => {
    const { batches, release, carryOut } = onCommand();
    const call = batched(carryOut, { ...ANY, max: 10 });
    const answers = [call(0)];
    await turn();
    answers.push(...Array.from({ length: 30 }, (_, index) => call(index + 1)));
    await turn();
    await turn();
    expect(batches.map(({ length }) => length)).toEqual([1, 10]);
    for (let done = 0; done < 4; done += 1) {
      release[done]?.();
      await turn();
      await turn();
    }
    expect(await Promise.all(answers)).toHaveLength(31);
    expect(batches.map(({ length }) => length)).toEqual([1, 10, 10, 10]);
  });

  it('bounds a batch by bytes, but for one call that alone has more', async () => {
    const batches: number[][] = [];
    const carryOut = async (items: readonly number[]) => {
      batches.push([...items]);
      return () => undefined;
    };
    const call = batched(carryOut, { ...ANY, maxBytes: 10, bytesOf: (item) => item });
    await Promise.all([4, 5, 6, 30, 1, 1].map(call));
    expect(batches).toEqual([[4, 5], [6], [30], [1, 1]]);
  });

  it('goes on beside a batch that never ends', async () => {
    const carryOut = async (items: readonly number[]) => {
      if (items.includes(0)) await new Promise(() => {});
      return (item: number) => item;
    };
    const call = batched(carryOut, ANY);
    void call(0);
    await turn();
    expect(await call(1)).toBe(1);
    expect(await call(2)).toBe(2);
  });

  it('fails all calls of a batch whose failure is nobody’s in particular', async () => {
    const failing = async (): Promise<never> => {
      throw new Error('gone');
    };
    const call = batched(failing, ANY);
    const answers = await Promise.allSettled([call(1), call(2)]);
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('answers each call with its own result, and fails only those at fault', async () => {
    const calls = fc.array(fc.record({ fails: fc.boolean(), turns: fc.nat(3) }), { maxLength: 60 });
    const most = fc.integer({ min: 1, max: 12 });
    await fc.assert(
      fc.asyncProperty(calls, most, async (plan, max) => {
        const call = batched(
          async (items: readonly number[]) => {
            expect(items.length).toBeLessThanOrEqual(max);
            await turn();
            if (items.some((index) => plan[index]?.fails)) throw new Error('one is bad');
            return (index) => `did ${index}`;
          },
          { ...ANY, max, isOneAtFault: () => true },
        );
        const answers: Promise<PromiseSettledResult<string>>[] = [];
        for (const [index, { turns }] of plan.entries()) {
          for (let i = 0; i < turns; i += 1) await turn();
          answers.push(Promise.allSettled([call(index)]).then(([settled]) => settled));
        }
        const settled = await Promise.all(answers);
        expect(settled.map((one) => (one.status === 'fulfilled' ? one.value : 'failed'))).toEqual(
          plan.map(({ fails }, index) => (fails ? 'failed' : `did ${index}`)),
        );
      }),
      { numRuns: 40 },
    );
  });
});
