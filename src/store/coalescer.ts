import { toEnded, unlessEnded } from '../upstream/ending.ts';
import type { Journal, Mark } from './journal.ts';
import type { Resource, ResourceKey } from './resource.ts';

/** Makes one call, until the signal of all who wait for it aborts; `mark` is the moment that it began. */
type Call<T> = (signal: AbortSignal, mark: Mark) => Promise<T>;

interface Flight {
  readonly answer: Promise<unknown>;
  readonly landing: AbortController;
  readonly mark: Mark;
  waiting: number;
  isLanded: boolean;
}

export interface Coalescer {
  /**
   * Resolves to what `call` gives; a call for the same key in flight is waited for instead of made again, unless something
   * was changed since that it may not have seen.
   *
   * A waiter whose signal aborts leaves alone; the call is aborted when the last one has left.
   * @throws {UpstreamError} for a waiter who left, as its signal's reason says: `cancelled`, `timeout` or `stopped`.
   */
  join<T>(resource: Resource, call: Call<T>, signal: AbortSignal): Promise<T>;
}

/** Lets equal reads in flight share one call. One for each identity scope: an answer is one caller's. */
export function createCoalescer(journal: Journal): Coalescer {
  const flights = new Map<ResourceKey, Flight>();

  const start = <T>(key: ResourceKey, call: Call<T>): Flight => {
    const landing = new AbortController();
    const mark = journal.mark();
    const answer = call(landing.signal, mark).finally(() => {
      flight.isLanded = true;
      leaveMap(key, flight);
    });
    const flight: Flight = { landing, mark, waiting: 0, isLanded: false, answer };
    flights.set(key, flight);
    return flight;
  };
  // A later flight may have taken the key, after a change or when everybody had left this one.
  const leaveMap = (key: ResourceKey, flight: Flight) => {
    if (flights.get(key) === flight) flights.delete(key);
  };
  const underWay = ({ key, areas }: Resource) => {
    const flight = flights.get(key);
    return flight === undefined || journal.isTouched(areas, flight.mark) ? undefined : flight;
  };

  return {
    async join<T>(resource: Resource, call: Call<T>, signal: AbortSignal) {
      const { operation, key } = resource;
      if (signal.aborted) throw toEnded(operation, signal);
      const flight = underWay(resource) ?? start(key, call);
      flight.waiting++;
      try {
        return (await unlessEnded(flight.answer, operation, signal)) as T;
      } finally {
        flight.waiting--;
        if (flight.waiting === 0 && !flight.isLanded) {
          leaveMap(key, flight);
          flight.landing.abort();
        }
      }
    },
  };
}
