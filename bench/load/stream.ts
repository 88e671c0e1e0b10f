import type { LoadJob, Stream, StreamReport } from './job.ts';
import { createWriter } from './operations.ts';
import { createPool } from './pool.ts';
import { createQueue } from './queue.ts';
import { createTally, type End } from './tally.ts';

interface Waiting {
  readonly id: string;
  readonly text: string;
  readonly dueAtMs: number;
}

/** Runs one stream to its end: until the job's time is over and every answer has come or is given up. */
export async function runStream(job: LoadJob, stream: Stream): Promise<StreamReport> {
  const pool = createPool(job.port, job.maxConnections);
  const tally = createTally(job.deadlineMs, job.isDetailed);
  const write = createWriter(stream, job.from);
  const queue = createQueue<Waiting>();
  const startMs = performance.now();
  const endMs = startMs + job.durationMs;
  let underWay = 0;
  let asked = 0;
  const isOver = () => performance.now() >= endMs && asked >= job.askAtLeast;

  const finish = (request: Waiting, end: End) => {
    underWay--;
    tally.note(request.id, request.dueAtMs - startMs, performance.now() - request.dueAtMs, end);
    if (stream.arrivals.kind === 'closed' && !isOver()) again(end);
  };
  // A client that finds nobody, or is sent away, does not ask again in the same moment.
  const again = (end: End) => {
    const isServed = typeof end === 'object' && end.status === 200;
    if (isServed) return ask(performance.now());
    underWay++;
    setTimeout(() => {
      underWay--;
      if (!isOver()) ask(performance.now());
    }, 20);
  };
  const ask = (dueAtMs: number) => {
    underWay++;
    asked++;
    send({ ...write(), dueAtMs });
  };
  const send = (request: Waiting) => {
    const connection = pool.take();
    if (connection === undefined) return queue.add(request);
    let isEnded = false;
    const end = (how: End) => {
      if (isEnded) return;
      isEnded = true;
      clearTimeout(timer);
      if (how === 'unanswered') connection.close();
      else pool.give(connection);
      finish(request, how);
      sendNext();
    };
    const timer = setTimeout(() => end('unanswered'), job.deadlineMs + job.patienceMs);
    connection.send(request.text, end);
  };
  const sendNext = () => {
    for (let next = queue.take(); next !== undefined; next = queue.take()) {
      if (performance.now() - next.dueAtMs <= job.deadlineMs) return send(next);
      finish(next, 'unsent');
    }
  };

  if (stream.arrivals.kind === 'closed') {
    for (let client = 0; client < stream.arrivals.clients; client++) ask(performance.now());
    while (!isOver()) await passed(performance.now() + 20);
  } else await arriveByChance(stream.arrivals.rate, startMs, endMs, ask);

  const giveUpMs = performance.now() + job.deadlineMs + job.patienceMs;
  while (underWay > 0 && performance.now() < giveUpMs) await passed(performance.now() + 20);
  pool.closeAll();
  return tally.report(stream.name);
}

/** Calls `ask` at random moments, `rate` a second on average. A moment that was missed is made up for at once. */
async function arriveByChance(rate: number, startMs: number, endMs: number, ask: (dueAtMs: number) => void) {
  let dueAtMs = startMs;
  for (;;) {
    const nowMs = performance.now();
    while (dueAtMs <= nowMs) {
      if (dueAtMs >= endMs) return;
      ask(dueAtMs);
      dueAtMs += (-Math.log(1 - Math.random()) / rate) * 1_000;
    }
    await passed(nowMs + 1);
  }
}

const passed = (untilMs: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.max(0, untilMs - performance.now())));
