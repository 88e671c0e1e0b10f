import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

import { type ConnectionPool, createConnectionPool, type RequestEnd } from './http-client.ts';
import type { LoadJob, LoadReport, Stream, StreamReport } from './index.ts';
import { createRequestWriter, type WrittenRequest } from './requests.ts';
import { createTally } from './tally.ts';

// The load has its own process, so that it does not share an event loop with a measured server.
process.on('message', async (job: LoadJob) => {
  process.send?.(await run(job));
});
process.on('disconnect', () => process.exit());

/** The interval at which the end of a run is checked. */
const POLL_MS = 20;
/**
 * The longest wait of a request for a free connection of its client. With a longer wait, an
 * overloaded stream would send every request when it is nearly late, however fast the gateway is.
 */
const QUEUE_MS = 100;

async function run(job: LoadJob): Promise<LoadReport> {
  const lag = monitorEventLoopDelay({ resolution: 1 });
  lag.enable();
  const before = process.cpuUsage();
  const startMs = performance.now();
  const streams = await Promise.all(job.streams.map((stream) => runStream(job, stream)));
  const { user, system } = process.cpuUsage(before);
  lag.disable();
  const busy = (user + system) / 1_000 / (performance.now() - startMs);
  return { streams, lagP99Ms: lag.percentile(99) / 1e6, busy };
}

type DueRequest = WrittenRequest & { readonly dueAtMs: number };

/** Runs one stream until its time is over and every response has arrived or is given up. */
async function runStream(
  job: LoadJob,
  { request, arrivals, prefix, addresses }: Stream,
): Promise<StreamReport> {
  const pools = await openPools(job, addresses);
  const tally = createTally(job.deadlineMs, job.isDetailed);
  const writeNext = createRequestWriter(request, prefix, job.from);
  const equal = writeNext();
  const write = job.isEqual ? () => equal : writeNext;
  const queue: DueRequest[] = [];
  let queueHead = 0;
  const startMs = performance.now();
  const endMs = startMs + job.durationMs;
  let pending = 0;
  let sent = 0;
  const isOver = () => performance.now() >= endMs && sent >= job.minRequests;

  const issue = (dueAtMs: number) => {
    pending++;
    sent++;
    send({ ...write(), dueAtMs });
  };
  const send = (due: DueRequest) => {
    const pool = pools[Math.floor(Math.random() * pools.length)];
    const connection = pool?.acquire();
    if (connection === undefined) return void queue.push(due);
    let isGivenUp = false;
    const timer = setTimeout(() => {
      if (job.clients === 'leaving') return connection.close();
      isGivenUp = true;
      finish(due, connection.isConnected() ? 'unanswered' : 'unsent');
    }, job.deadlineMs + job.graceMs);
    connection.send(due.text, (end) => {
      clearTimeout(timer);
      pool?.release(connection);
      if (!isGivenUp) finish(due, end);
      sendQueued();
    });
  };
  const sendQueued = () => {
    // An index instead of `shift`, which moves all elements of a long queue.
    for (let due = queue[queueHead]; due !== undefined; due = queue[queueHead]) {
      queueHead++;
      if (performance.now() - due.dueAtMs <= QUEUE_MS) return send(due);
      finish(due, 'unsent');
    }
  };
  const finish = (due: DueRequest, end: RequestEnd) => {
    pending--;
    tally.add(due.id, due.dueAtMs - startMs, performance.now() - due.dueAtMs, end);
    if (arrivals.kind === 'closed' && !isOver()) issueAfter(end);
  };
  // After a refusal or a failed connection a client pauses.
  const issueAfter = (end: RequestEnd) => {
    if (typeof end === 'object' && end.status === 200) return issue(performance.now());
    pending++;
    setTimeout(() => {
      pending--;
      if (!isOver()) issue(performance.now());
    }, POLL_MS);
  };

  if (arrivals.kind === 'closed') {
    for (let client = 0; client < arrivals.clients; client++) issue(performance.now());
    while (!isOver()) await pause(POLL_MS);
  } else await arriveAtRandom(arrivals.rate, startMs, endMs, issue);

  const giveUpMs = performance.now() + job.deadlineMs + job.graceMs;
  while (pending > 0 && performance.now() < giveUpMs) await pause(1);
  for (const due of queue.slice(queueHead)) finish(due, 'unsent');
  queueHead = queue.length;
  for (const pool of pools) pool.closeAll();
  return { ...tally.report(), connections: countConnections(pools) };
}

/** Creates a connection pool for each address. Opens all connections if they are fixed. */
async function openPools(job: LoadJob, addresses: readonly (string | undefined)[] = [undefined]) {
  const pools = addresses.map((address) =>
    createConnectionPool(job.port, job.maxConnections, address),
  );
  if (job.clients === 'fixed') await Promise.all(pools.map((pool) => pool.fill()));
  return pools;
}

function countConnections(pools: readonly ConnectionPool[]): StreamReport['connections'] {
  const counts = pools.map((pool) => pool.counts());
  return {
    opened: counts.reduce((sum, { opened }) => sum + opened, 0),
    abandoned: counts.reduce((sum, { abandoned }) => sum + abandoned, 0),
  };
}

/**
 * Calls `issue` at random moments, `rate` per second on average. Catches up on missed moments at
 * once.
 */
async function arriveAtRandom(
  rate: number,
  startMs: number,
  endMs: number,
  issue: (dueAtMs: number) => void,
) {
  let dueAtMs = startMs;
  for (;;) {
    const nowMs = performance.now();
    while (dueAtMs <= nowMs) {
      if (dueAtMs >= endMs) return;
      issue(dueAtMs);
      dueAtMs += (-Math.log(1 - Math.random()) / rate) * 1_000;
    }
    await pause(1);
  }
}
