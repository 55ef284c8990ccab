const names = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Sorted by name, as people count: `env-2` stands before `env-10`. */
export function inOrder<T>(all: readonly T[], nameOf: (it: T) => string): T[] {
  return all.toSorted((a, b) => names.compare(nameOf(a), nameOf(b)));
}

export function byName<T extends { name: string }>(all: readonly T[]): T[] {
  return inOrder(all, ({ name }) => name);
}
