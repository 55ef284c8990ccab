import { expect, it } from 'vitest';
import { closeInTurn } from '../../src/base/close-in-turn.ts';

it('takes each step in turn although one before it failed, and tells what failed first', async () => {
  const taken: string[] = [];
  const step = (name: string, failure?: string) => async (): Promise<void> => {
    await Promise.resolve();
    taken.push(name);
    if (failure !== undefined) throw new Error(failure);
  };
  const closing = closeInTurn(step('a'), step('b', 'first'), step('c', 'second'), step('d'));
  await expect(closing).rejects.toThrow('first');
  expect(taken).toEqual(['a', 'b', 'c', 'd']);
});
