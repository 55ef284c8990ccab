/** How calls are combined into batches. */
export interface BatchOptions<Item> {
  /** Most calls in one batch. */
  max: number;
  /** Most bytes in one batch; a single call may be larger. */
  maxBytes: number;
  bytesOf: (item: Item) => number;
  /** Whether a single call may have made the batch fail; then each is tried alone. */
  isOneAtFault: (error: unknown) => boolean;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

const AT_ONCE = 2;
/** While a batch is under way, another one starts only if at least this many calls wait. */
const WORTH_ANOTHER = 8;
/**
 * A batch that takes longer than this, perhaps on a dead connection, no longer delays the next one.
 */
const PATIENCE_MS = 100;

/**
 * Combines calls into batches: calls that arrive together, or while earlier ones are under way,
 * share one `carryOut`; a call that arrives alone starts at once. `carryOut` does a whole batch or
 * nothing, and returns a function that gives each item its result.
 */
export function batched<Item, Result>(
  carryOut: (items: readonly Item[]) => Promise<(item: Item) => Result>,
  { max, maxBytes, bytesOf, isOneAtFault }: BatchOptions<Item>,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let underWay = 0;
  let isBeginning = false;

  function take(): Waiting<Item, Result>[] {
    let bytes = 0;
    const full = waiting.findIndex(({ item }, position) => {
      bytes += bytesOf(item);
      return position > 0 && (position >= max || bytes > maxBytes);
    });
    return waiting.splice(0, full === -1 ? waiting.length : full);
  }

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

  async function run(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const end = endOnce(() => {
      underWay -= 1;
      begin();
    });
    underWay += 1;
    const patience = setTimeout(end, PATIENCE_MS);
    await settle(batch);
    clearTimeout(patience);
    end();
  }

  function begin(): void {
    isBeginning = false;
    while (underWay < AT_ONCE && waiting.length >= (underWay > 0 ? WORTH_ANOTHER : 1))
      void run(take());
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (isBeginning) return;
      isBeginning = true;
      setImmediate(begin);
    });
}

function endOnce(end: () => void): () => void {
  let hasEnded = false;
  return () => {
    if (!hasEnded) end();
    hasEnded = true;
  };
}
