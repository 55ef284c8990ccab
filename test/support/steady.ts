const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
/** Fields that hold chance. */
const CHANCE: Record<string, string> = {
  run_time: 'PT2M30S',
  token: 'token_of_this_claim',
  run_key: 'rl_key_of_this_run',
  notebook_uid: 'Notebook00000000000000',
};

/** Makes real answers comparable: ids by order of appearance, one time, one address, no secrets. */
export function createSteadier(origin: string): (value: unknown) => unknown {
  const ids = new Map<string, string>();
  const idOf = (id: string): string => {
    const known =
      ids.get(id) ?? `00000000-0000-4000-8000-${String(ids.size + 1).padStart(12, '0')}`;
    ids.set(id, known);
    return known;
  };
  const steadyText = (text: string): string =>
    TIME.test(text)
      ? '2026-01-01T12:00:00.000Z'
      : text
          .replaceAll(origin, 'https://runlink.example')
          .replaceAll(UUID, idOf)
          .replaceAll(/expires=\d+/g, 'expires=1767269700')
          .replaceAll(/signature=[\w-]+/g, 'signature=c2lnbmF0dXJl');
  const steady = (value: unknown): unknown => {
    if (typeof value === 'string') return steadyText(value);
    if (Array.isArray(value)) return value.map(steady);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        name,
        typeof item === 'string' ? (CHANCE[name] ?? steady(item)) : steady(item),
      ]),
    );
  };
  return steady;
}
