import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

import { type Benchmark, counted, timed } from '../benchmark.ts';
import { runOne } from '../load/index.ts';
import { createWriter } from '../load/operations.ts';
import { quantile } from '../load/quantile.ts';
import { CALLER } from '../stage/gateway.ts';
import { onStage } from '../stage/index.ts';
import type { ArrivedCall } from '../upstream/protocol.ts';
import { pages } from './pages.ts';

const STAYS_MS = 150;
/** How long after its client has gone a call may still arrive. */
const GRACE_MS = 50;

/** Calls to the platform that nobody waits for any more. */
export const disconnect: Benchmark = {
  name: 'disconnect',
  about: 'calls to the platform after the client has gone, with several due one after the other',
  run: ({ isShort }) =>
    onStage(async (stage) => {
      // Every call is a client's: the gateway asks for no definitions by itself.
      const { port } = await stage.gateway({ TYPED_GRAPH: 'off' });
      // In a short run the machine may be busy: then calls take so long that no hiccup is taken for a call too many.
      const callMs = isShort ? 1_500 : 300;
      await runOne(pages(100), { port, durationMs: 500 });
      stage.upstream.behave({ delayMs: callMs });
      await stage.upstream.count(true);
      const visits = await visitAll(port, isShort ? 25 : 250);
      // What comes late would have come by now: a whole chain of calls.
      await pause(callMs * 2);
      const { arrived } = await stage.upstream.count();

      const late = arrived.filter((call) => !isAwaited(call, visits));
      return [
        counted('clients that went after 150 ms', visits.size, ''),
        counted('calls to the platform', arrived.length, '', { atLeast: visits.size / 2 }),
        counted('calls that follow one of a client who has gone', late.filter(isFollowing).length, '', { atMost: 0 }),
        timed('from a client to its first call, p99', quantile(delays(arrived, visits), 0.99), 'ms'),
        timed('calls later than 50 ms after the client', late.length, '', { atMost: 0 }),
      ];
    }),
};

interface Visit {
  readonly cameMs: number;
  readonly wentMs: number;
}

/** Lets readers and writers come and go in small groups; gives when each of them was there. */
async function visitAll(port: number, times: number): Promise<ReadonlyMap<string, Visit>> {
  const visits = new Map<string, Visit>();
  const chains = createWriter({ operation: 'chain', prefix: 'reader', headers: CALLER });
  const changes = createWriter({ operation: 'changes', prefix: 'writer', headers: CALLER });
  for (let time = 0; time < times; time++) {
    for (const { id, text } of [chains(), changes()]) {
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
  await pause(STAYS_MS);
  socket.destroy();
  return { cameMs, wentMs: now() };
}

/** Whether somebody waits for a call: whoever asked it, or anybody where it may be shared. */
function isAwaited(call: ArrivedCall, visits: ReadonlyMap<string, Visit>): boolean {
  const { atMs } = call;
  const owner = ownerOf(call);
  const waiting = owner === undefined ? [...visits.values()] : [visits.get(owner)];
  return waiting.some((stay) => stay !== undefined && atMs >= stay.cameMs && atMs <= stay.wentMs + GRACE_MS);
}

/** How long the first calls took to arrive, in milliseconds: what is busy delays them, and what comes late as well. */
function delays(arrived: readonly ArrivedCall[], visits: ReadonlyMap<string, Visit>): number[] {
  return arrived
    .filter((call) => !isFollowing(call))
    .map((call) => call.atMs - (visits.get(ownerOf(call) ?? '')?.cameMs ?? call.atMs));
}

/** Whether a call is due only after another one of the same request. */
const isFollowing = ({ path, mutation }: ArrivedCall): boolean =>
  mutation === undefined ? !path.endsWith('000') : !mutation.endsWith('-a');

/** Who asked for a call; `undefined` where it may be shared. */
function ownerOf({ path, mutation }: ArrivedCall): string | undefined {
  if (mutation !== undefined) return mutation.replace(/-[abc]$/, '');
  const [, instanceId] = /\/instances\/(\d+)/.exec(path) ?? [];
  return instanceId === undefined ? undefined : `reader-${Math.floor(Number(instanceId) / 1_000) - 1}`;
}

const now = (): number => performance.timeOrigin + performance.now();
