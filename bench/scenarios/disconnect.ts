import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

import { type Benchmark, counted, quantile, timed } from '../benchmark.ts';
import { openLoop, runLoad } from '../load/index.ts';
import { CHAIN, CREATIONS, createRequestWriter } from '../load/requests.ts';
import type { ArrivedCall } from '../platform/index.ts';
import { withTestBed } from '../test-bed.ts';

const STAY_MS = 150;
/** The time after a client's disconnection during which its calls may still arrive. */
const GRACE_MS = 50;

/** Counts calls to the platform whose client has disconnected. */
export const disconnect: Benchmark = {
  name: 'disconnect',
  about: 'calls to the platform after their client has disconnected, during chains of calls',
  run: ({ isShort }) =>
    withTestBed(async ({ platform, startGateway }) => {
      const { port } = await startGateway();
      // In a short run the machine may be busy. Long calls keep a short delay from looking like an
      // unwanted call.
      const callMs = isShort ? 1_500 : 300;
      await runLoad(openLoop(100), { port, durationMs: 500 });
      platform.behave({ delayMs: callMs });
      await platform.count(true);
      const visits = await visitAll(port, isShort ? 25 : 250);
      // By now even a chain of late calls would have arrived.
      await pause(callMs * 2);
      const calls = (await platform.count()).arrived.filter(({ path }) =>
        path.includes('/instances'),
      );

      const late = calls.filter((call) => !isExpected(call, visits));
      const chained = late.filter(isFollowing);
      return [
        counted('clients that disconnected after 150 ms', visits.size, ''),
        counted('calls to the platform', calls.length, '', { atLeast: visits.size / 2 }),
        counted('chained calls after their client disconnected', chained.length, '', { atMost: 0 }),
        timed(
          'from a client to its first call, p99',
          quantile(firstCallDelays(calls, visits), 0.99),
          'ms',
        ),
        timed('calls later than 50 ms after the client', late.length, '', { atMost: 0 }),
      ];
    }),
};

interface Visit {
  readonly cameMs: number;
  readonly wentMs: number;
}

/**
 * Connects and disconnects readers and writers in small groups. Returns the time of each visit by
 * request id.
 */
async function visitAll(port: number, times: number): Promise<ReadonlyMap<string, Visit>> {
  const visits = new Map<string, Visit>();
  const writers = [
    createRequestWriter(CHAIN, 'reader', 0),
    createRequestWriter(CREATIONS, 'writer', 0),
  ];
  for (let time = 0; time < times; time++) {
    for (const write of writers) {
      const { id, text } = write();
      visit(port, text).then((stay) => visits.set(id, stay));
    }
    await pause(20);
  }
  while (visits.size < times * 2) await pause(20);
  return visits;
}

async function visit(port: number, request: string): Promise<Visit> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  const cameMs = now();
  socket.write(request);
  await pause(STAY_MS);
  socket.destroy();
  return { cameMs, wentMs: now() };
}

/**
 * Returns whether a client waits for a call: the client that caused it, or any client if the call
 * may be shared.
 */
function isExpected(call: ArrivedCall, visits: ReadonlyMap<string, Visit>): boolean {
  const { atMs } = call;
  const client = clientOf(call);
  const waiting = client === undefined ? [...visits.values()] : [visits.get(client)];
  return waiting.some((visit) => {
    return visit !== undefined && atMs >= visit.cameMs && atMs <= visit.wentMs + GRACE_MS;
  });
}

/**
 * Returns the delays of the first calls in milliseconds. They show how much the machine delays
 * every call.
 */
const firstCallDelays = (
  calls: readonly ArrivedCall[],
  visits: ReadonlyMap<string, Visit>,
): number[] =>
  calls
    .filter((call) => !isFollowing(call))
    .map((call) => call.atMs - (visits.get(clientOf(call) ?? '')?.cameMs ?? call.atMs));

/** Returns whether a call is due only after another call of the same request. */
const isFollowing = ({ path, creation }: ArrivedCall): boolean =>
  creation === undefined ? !path.endsWith('000') : !creation.endsWith('-a');

/**
 * Returns the id of the request that caused a call, or `undefined` if several may have caused it.
 */
function clientOf({ path, creation }: ArrivedCall): string | undefined {
  if (creation !== undefined) return creation.replace(/-[abc]$/, '');
  const [, instanceId] = /(?:\/instances\/|=in:)(\d+)$/.exec(path.split('&')[0] ?? '') ?? [];
  if (instanceId === undefined) return undefined;
  return `reader-${Math.floor(Number(instanceId) / 1_000) - 1}`;
}

const now = (): number => performance.timeOrigin + performance.now();
