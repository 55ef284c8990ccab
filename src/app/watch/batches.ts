import { setImmediate } from 'node:timers/promises';

/** Groups what an endless iterator yields: each batch holds what is available without waiting. */
export async function* batches<T>(
  items: AsyncIterator<T, unknown, void>,
  max: number,
): AsyncGenerator<T[], void, void> {
  let next = items.next();
  for (;;) {
    const first = await next;
    if (first.done) return;
    const batch = [first.value];
    next = items.next();
    next.catch(() => {});
    while (batch.length < max) {
      const ready = await Promise.race([next, setImmediate(undefined)]);
      if (!ready || ready.done) break;
      batch.push(ready.value);
      next = items.next();
      next.catch(() => {});
    }
    yield batch;
  }
}
