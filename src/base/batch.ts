/** How calls are gathered. */
export interface BatchOptions {
  /** Calls of one batch, at most. */
  max: number;
  /** Whether a batch failed because of one of its calls, so that each is to be tried alone. */
  isOneAtFault: (error: unknown) => boolean;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

const AT_ONCE = 2;
/** So many make another batch worth its cost while one is under way. */
const WORTH_ANOTHER = 8;

/**
 * Makes one call of many: those that come together, or while earlier ones are under way, are carried
 * out as a batch; one that comes alone is carried out at once. `carryOut` does all or
 * nothing, and answers what became of each.
 */
export function batched<Item, Result>(
  carryOut: (items: readonly Item[]) => Promise<(item: Item) => Result>,
  { max, isOneAtFault }: BatchOptions,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let underWay = 0;

  async function settle(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const resultOf = await carryOut(batch.map(({ item }) => item));
      for (const { item, resolve } of batch) resolve(resultOf(item));
    } catch (error) {
      if (batch.length > 1 && isOneAtFault(error))
        await Promise.all(batch.map((one) => settle([one])));
      else for (const { reject } of batch) reject(error);
    }
  }

  /** What is not worth a batch beside another waits for that to end. */
  const isWorthOne = (others: number): boolean =>
    waiting.length >= (others > 0 ? WORTH_ANOTHER : 1);

  async function work(): Promise<void> {
    while (isWorthOne(underWay - 1)) await settle(waiting.splice(0, max));
    underWay -= 1;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (underWay >= AT_ONCE || !isWorthOne(underWay)) return;
      underWay += 1;
      setImmediate(() => void work());
    });
}
