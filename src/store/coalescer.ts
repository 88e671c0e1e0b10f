import { toEnded, unlessEnded } from '../upstream/ending.ts';
import type { Resource, ResourceKey } from './resource.ts';

type Call<T> = (signal: AbortSignal) => Promise<T>;

interface Flight {
  readonly answer: Promise<unknown>;
  readonly landing: AbortController;
  waiting: number;
}

export interface Coalescer {
  /**
   * Resolves to what `call` gives; a call for the same key in flight is waited for instead of made again.
   *
   * A waiter whose signal aborts leaves alone; the call is aborted when the last one has left.
   * @throws {UpstreamError} for a waiter who left, as its signal's reason says: `cancelled`, `timeout` or `stopped`.
   */
  join<T>(resource: Resource, call: Call<T>, signal: AbortSignal): Promise<T>;
  /** Lets nobody join what is in flight now. Those who wait already get their answer. */
  forget(): void;
}

/** Lets equal reads in flight share one call. One for each identity scope: an answer is one caller's. */
export function createCoalescer(): Coalescer {
  const flights = new Map<ResourceKey, Flight>();

  const start = <T>(key: ResourceKey, call: Call<T>): Flight => {
    const landing = new AbortController();
    const flight: Flight = { landing, waiting: 0, answer: call(landing.signal).finally(() => leaveMap(key, flight)) };
    flights.set(key, flight);
    return flight;
  };
  // A later flight may have taken the key, after a write or when everybody had left this one.
  const leaveMap = (key: ResourceKey, flight: Flight) => {
    if (flights.get(key) === flight) flights.delete(key);
  };

  return {
    async join<T>({ operation, key }: Resource, call: Call<T>, signal: AbortSignal) {
      if (signal.aborted) throw toEnded(operation, signal);
      const flight = flights.get(key) ?? start(key, call);
      flight.waiting++;
      try {
        return (await unlessEnded(flight.answer, operation, signal)) as T;
      } finally {
        flight.waiting--;
        if (flight.waiting === 0) {
          leaveMap(key, flight);
          flight.landing.abort();
        }
      }
    },
    forget() {
      flights.clear();
    },
  };
}
