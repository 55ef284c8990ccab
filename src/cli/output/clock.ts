/** Less may be the way of an answer, and seconds that HTTP leaves out. */
const NOTICED_MS = 10_000;
let offset = 0;

/** Sets our clock by that of the service, as an answer's `Date` tells it. */
export function setClock(told: unknown): void {
  const ahead = Date.parse(String(told)) - Date.now();
  if (!Number.isNaN(ahead)) offset = Math.abs(ahead) > NOTICED_MS ? ahead : 0;
}

/** What time it is where the times that we show come from. */
export function serviceNow(): Date {
  return new Date(Date.now() + offset);
}
