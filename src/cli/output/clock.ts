/**
 * A smaller difference may come from the network, or from HTTP's times, which have only seconds.
 */
const NOTICED_MS = 10_000;
let offset = 0;

/** Sets our clock to the service's, by the `Date` header of an answer. */
export function setClock(told: unknown): void {
  const ahead = Date.parse(String(told)) - Date.now();
  if (!Number.isNaN(ahead)) offset = Math.abs(ahead) > NOTICED_MS ? ahead : 0;
}

/** The current time on the service's clock, to compare with the times it sends. */
export function serviceNow(): Date {
  return new Date(Date.now() + offset);
}
