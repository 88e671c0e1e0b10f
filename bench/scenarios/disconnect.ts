import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

import { type Benchmark, counted, quantile, timed } from '../benchmark.ts';
import { openLoop, runLoad } from '../load/index.ts';
import { CHAIN, CREATIONS, createRequestWriter } from '../load/requests.ts';
import type { ArrivedCall } from '../platform/index.ts';
import { withTestBed } from '../test-bed.ts';

const STAY_MS = 150;
/** How long after its client disconnected a call may still arrive. */
const GRACE_MS = 50;

/** Calls to the platform whose client has disconnected. */
export const disconnect: Benchmark = {
  name: 'disconnect',
  about: 'calls to the platform after the client has gone, with several due one after the other',
  run: ({ isShort }) =>
    withTestBed(async ({ platform, startGateway }) => {
      const { port } = await startGateway();
      // In a short run the machine may be busy: then calls take so long that no hiccup passes for a call too many.
      const callMs = isShort ? 1_500 : 300;
      await runLoad(openLoop(100), { port, durationMs: 500 });
      platform.behave({ delayMs: callMs });
      await platform.count(true);
      const visits = await visitAll(port, isShort ? 25 : 250);
      // A late call would have arrived by now: a whole chain of them.
      await pause(callMs * 2);
      const calls = (await platform.count()).arrived.filter(({ path }) => path.includes('/instances'));

      const late = calls.filter((call) => !isExpected(call, visits));
      return [
        counted('clients that went after 150 ms', visits.size, ''),
        counted('calls to the platform', calls.length, '', { atLeast: visits.size / 2 }),
        counted('calls that follow one of a client that has gone', late.filter(isFollowing).length, '', { atMost: 0 }),
        timed('from a client to its first call, p99', quantile(firstCallDelays(calls, visits), 0.99), 'ms'),
        timed('calls later than 50 ms after the client', late.length, '', { atMost: 0 }),
      ];
    }),
};

interface Visit {
  readonly cameMs: number;
  readonly wentMs: number;
}

/** Lets readers and writers come and go in small groups; gives when each of them was there, by request id. */
async function visitAll(port: number, times: number): Promise<ReadonlyMap<string, Visit>> {
  const visits = new Map<string, Visit>();
  const writers = [createRequestWriter(CHAIN, 'reader', 0), createRequestWriter(CREATIONS, 'writer', 0)];
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

/** Whether a client waits for a call: the one that caused it, or any where the call may be shared. */
function isExpected(call: ArrivedCall, visits: ReadonlyMap<string, Visit>): boolean {
  const { atMs } = call;
  const client = clientOf(call);
  const waiting = client === undefined ? [...visits.values()] : [visits.get(client)];
  return waiting.some((stay) => stay !== undefined && atMs >= stay.cameMs && atMs <= stay.wentMs + GRACE_MS);
}

/** How long the first calls took to arrive, in milliseconds: what delays them delays late ones as well. */
const firstCallDelays = (calls: readonly ArrivedCall[], visits: ReadonlyMap<string, Visit>): number[] =>
  calls
    .filter((call) => !isFollowing(call))
    .map((call) => call.atMs - (visits.get(clientOf(call) ?? '')?.cameMs ?? call.atMs));

/** Whether a call is due only after another one of the same request. */
const isFollowing = ({ path, creation }: ArrivedCall): boolean =>
  creation === undefined ? !path.endsWith('000') : !creation.endsWith('-a');

/** The id of the request that caused a call; `undefined` where several may have. */
function clientOf({ path, creation }: ArrivedCall): string | undefined {
  if (creation !== undefined) return creation.replace(/-[abc]$/, '');
  const [, instanceId] = /(?:\/instances\/|=in:)(\d+)$/.exec(path.split('&')[0] ?? '') ?? [];
  return instanceId === undefined ? undefined : `reader-${Math.floor(Number(instanceId) / 1_000) - 1}`;
}

const now = (): number => performance.timeOrigin + performance.now();
