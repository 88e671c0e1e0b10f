import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

import { type Benchmark, counted, type Figure, quantile, timed } from '../benchmark.ts';
import { closedLoop, runLoad } from '../load/index.ts';
import { processorTimeOf } from '../process-usage.ts';
import { CALLER, type TestBed, withTestBed } from '../test-bed.ts';

const LIST =
  'subscription ($form: ID!) { instances(formId: $form, first: 5) { totalCount nodes { instanceId } } }';
/** A deletion, because reading its result costs no second call. */
const WRITE =
  'mutation { deleteInstance(input: { formId: "thing", instanceId: 1 }) { deletedId } }';
/** One client opens all streams. A known caller may open only a tenth of the limit. */
const ANONYMOUS = { CALLER_AUTH: 'none', CALLER_KEYS: '' };
const INTERVAL_MS = 5_000;
/**
 * Two runs of a list are a second apart, and a write between them is shown at the second run. So
 * writes are further apart.
 */
const WRITE_EVERY_MS = 1_200;
/**
 * The number of different operations: one caller may have compiled operations of eight megabytes.
 */
const OPERATIONS = 250;
/**
 * The number of streams opened at once: a caller may use only its share of the concurrent requests.
 */
const OPENED_AT_ONCE = 20;

/**
 * Measures the cost of subscriptions while nothing changes, and the delay until they show a change.
 */
export const live: Benchmark = {
  name: 'live',
  about: 'CPU time and memory of 2,000 quiet subscriptions, and the delay until 500 show a change',
  run: ({ isShort }) =>
    withTestBed(async (bed) => {
      const streams = isShort ? 200 : 2_000;
      return [
        ...(await measureQuiet(bed, { name: 'equal', streams, formOf: () => 'thing', isShort })),
        ...(await measureQuiet(bed, {
          name: 'different',
          streams,
          formOf: (index) => `thing-${index}`,
          isShort,
        })),
        ...(await measureWrites(bed, { name: 'equal', listOf: () => LIST, isShort })),
        ...(await measureWrites(bed, {
          name: 'different',
          listOf: (index) => named(`List${index % OPERATIONS}`),
          isShort,
        })),
      ];
    }),
};

/** Names the operation: the same list with another name is another operation. */
const named = (name: string) => LIST.replace('subscription', `subscription ${name}`);

interface Quiet {
  readonly name: string;
  readonly streams: number;
  readonly formOf: (index: number) => string;
  readonly isShort: boolean;
}

/**
 * Measures CPU time, memory and calls of streams without new results. Then changes the platform
 * once and waits until all streams show it.
 */
async function measureQuiet(
  { platform, startGateway }: TestBed,
  { name, streams, formOf, isShort }: Quiet,
): Promise<Figure[]> {
  const { port, pid, usage, isRunning, stop } = await startGateway(ANONYMOUS);
  await runLoad(closedLoop(8), { port, durationMs: isShort ? 500 : 3_000 });
  await pause(isShort ? 500 : 5_000);
  const idleMb = usage().rssMb;
  const opened = await openAll(port, streams, (index) => ({
    query: LIST,
    variables: { form: formOf(index) },
  }));
  await pause(isShort ? 500 : 5_000);

  const quietMs = isShort ? 3_000 : 20_000;
  await platform.count();
  const beforeMs = processorTimeOf(pid);
  await pause(quietMs);
  const share = (processorTimeOf(pid) - beforeMs) / quietMs;
  const { calls } = await platform.count();
  const results = opened.reduce((sum, { results }) => sum + results(), 0);
  const figures = [
    timed(`${streams} quiet ${name} streams: CPU time`, share * 100, '% of a core', { atMost: 3 }),
    timed(
      `${streams} quiet ${name} streams: memory beyond the idle gateway`,
      usage().rssMb - idleMb,
      'MB',
      {
        atMost: 130,
      },
    ),
    timed(`${streams} quiet ${name} streams: calls a minute`, (calls * 60_000) / quietMs, ''),
    timed(`${streams} quiet ${name} streams: results after the first`, results - streams, '', {
      atMost: 0,
    }),
  ];
  if (name === 'equal') {
    const changedMs = await showAll(opened, async () => platform.behave({ changes: 1 }));
    platform.behave({ changes: 0 });
    figures.push(
      // An interval may be a tenth longer, and due polls are started four times a second.
      timed('delay until all streams show a change at the platform', changedMs, 'ms', {
        atMost: INTERVAL_MS * 1.1 + 500,
      }),
    );
  }
  figures.push(counted(`${name}: gateways that ended`, isRunning() ? 0 : 1, '', { atMost: 0 }));
  for (const { socket } of opened) socket.destroy();
  await stop('SIGKILL');
  return figures;
}

interface Writes {
  readonly name: string;
  readonly listOf: (index: number) => string;
  readonly isShort: boolean;
}

/**
 * Measures the time from the response of a write to its effect at each of 500 streams. The streams
 * poll only once an hour by themselves.
 */
async function measureWrites(
  { platform, startGateway }: TestBed,
  { name, listOf, isShort }: Writes,
): Promise<Figure[]> {
  const { port, stop } = await startGateway({ ...ANONYMOUS, LIVE_INTERVAL_MS: '3600000' });
  const opened = await openAll(port, isShort ? 50 : 500, (index) => ({
    query: listOf(index),
    variables: { form: 'thing' },
  }));
  const delaysMs: number[] = [];
  for (let changes = 1; changes <= (isShort ? 5 : 50); changes++) {
    platform.behave({ changes });
    // The count is answered after the change has arrived.
    await platform.count();
    delaysMs.push(await showAll(opened, () => write(port)));
    await pause(WRITE_EVERY_MS);
  }
  for (const { socket } of opened) socket.destroy();
  await stop('SIGKILL');
  platform.behave({ changes: 0 });
  const what = `delay until ${opened.length} ${name} streams show a write`;
  return [
    timed(`${what}, median`, quantile(delaysMs, 0.5), 'ms'),
    // Different operations run one after the other.
    timed(`${what}, p99`, quantile(delaysMs, 0.99), 'ms', name === 'equal' ? { atMost: 100 } : {}),
  ];
}

async function write(port: number): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...CALLER },
    body: JSON.stringify({ query: WRITE }),
  });
  const text = await response.text();
  if (text.includes('errors')) throw new Error(`The write failed: ${text}`);
}

interface Stream {
  readonly socket: Socket;
  /** Returns the number of results so far. */
  results(): number;
  /** Resolves when this number of results has arrived. */
  until(results: number): Promise<void>;
}

/** Runs a change and returns the time until each stream has shown it, in milliseconds. */
async function showAll(streams: readonly Stream[], change: () => Promise<void>): Promise<number> {
  let startMs = 0;
  const shown = streams.map((stream) => stream.until(stream.results() + 1));
  const changed = change().then(() => {
    startMs = performance.now();
  });
  await Promise.all([changed, ...shown]);
  return performance.now() - startMs;
}

async function openAll(
  port: number,
  count: number,
  bodyOf: (index: number) => object,
): Promise<Stream[]> {
  const streams: Stream[] = [];
  while (streams.length < count) {
    const length = Math.min(OPENED_AT_ONCE, count - streams.length);
    const batch = Array.from({ length }, (_, index) =>
      openOne(port, JSON.stringify(bodyOf(streams.length + index))),
    );
    streams.push(...(await Promise.all(batch)));
  }
  return streams;
}

/**
 * Opens a stream and waits for its first result. A plain socket costs this process less than an
 * HTTP client.
 */
async function openOne(port: number, body: string): Promise<Stream> {
  const headers = {
    host: '127.0.0.1',
    'content-type': 'application/json',
    accept: 'text/event-stream',
    ...CALLER,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect(port, '127.0.0.1');
  let count = 0;
  let text = '';
  let waiting:
    | { readonly results: number; readonly promise: PromiseWithResolvers<void> }
    | undefined;
  socket.setEncoding('latin1').on('data', (chunk) => {
    text = String(chunk);
    count += text.match(/event: next/g)?.length ?? 0;
    if (waiting && count >= waiting.results) waiting.promise.resolve();
  });
  socket.on('error', () => undefined);
  socket.once('close', () => waiting?.promise.reject(new Error(`A stream has ended: ${text}`)));
  const head = `${lines.join('')}content-length: ${Buffer.byteLength(body)}`;
  socket.write(`POST /graphql HTTP/1.1\r\n${head}\r\n\r\n${body}`);
  const stream: Stream = {
    socket,
    results: () => count,
    async until(results) {
      if (count >= results) return;
      waiting = { results, promise: Promise.withResolvers() };
      await waiting.promise.promise;
    },
  };
  await stream.until(1);
  return stream;
}
