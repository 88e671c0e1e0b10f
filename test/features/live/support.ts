import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { expect, onTestFinished } from 'vitest';
import { readConfig, startGateway } from '../../../src/app/index.ts';
import type { Report } from '../../../src/config/load.ts';
import type { Gauge } from '../../../src/core/facts.ts';
import { createLog } from '../../../src/core/log.ts';
import type { ConfiguredFeature } from '../../../src/features/feature.ts';
import type { Clock } from '../../../src/features/live/clock.ts';
import { createLive } from '../../../src/features/live/index.ts';
import { createMemoryBuckets } from '../../../src/upstream/call-buckets.ts';
import { type Env, postGraphql } from '../../support/gateway.ts';
import { limitsOf } from '../../support/limits.ts';
import { type ScriptedAnswer, scriptPlatform } from '../../support/scripted-platform.ts';

export const EVENTS = 'text/event-stream';
export const PARTS = 'multipart/mixed;boundary="graphql";subscriptionSpec=1.0,application/json';

/** A subscription over HTTP, as its client reads it. */
export interface OpenedStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** All that has come, as text. */
  text(): string;
  /** Resolves to the next result; rejects where the stream ends before. */
  // biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape.
  next(): Promise<any>;
  /** Resolves when the stream has ended, to all that has come. */
  readonly ended: Promise<string>;
  close(): void;
}

interface Options {
  readonly accept?: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/**
 * Posts a request whose connection ends with the test, and is not opened again, as `fetch` may do.
 */
async function post(
  url: string,
  body: object,
  { accept = EVENTS, headers, signal }: Options,
): Promise<IncomingMessage> {
  const sent = request(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...headers },
    ...(signal && { signal }),
  });
  onTestFinished(() => void sent.destroy());
  sent.end(JSON.stringify(body));
  const [response] = await once(sent, 'response');
  sent.on('error', () => undefined);
  return response;
}

/** Subscribes at a gateway, by a text or the id of a document. The stream ends with the test. */
export async function subscribe(
  url: string,
  query: string | { readonly documentId: string },
  options: Options = {},
): Promise<OpenedStream> {
  const body = typeof query === 'string' ? { query } : query;
  const response = await post(url, { ...body, variables: options.variables }, options);
  const isMultipart = options.accept?.startsWith('multipart');
  const result = isMultipart
    ? /\r\n\r\n\{"payload":(.*)\}\r\n--graphql/g
    : /event: next\ndata: (.*)\n\n/g;
  let received = '';
  let isEnded = false;
  let wake = () => {};
  const read = async () => {
    try {
      for await (const chunk of response.setEncoding('utf8')) {
        received += chunk;
        // Looking through megabytes of a result at each of its chunks takes seconds.
        if (isMultipart || chunk.endsWith('\n')) wake();
      }
    } finally {
      isEnded = true;
      wake();
    }
    return received;
  };
  const ended = read();
  ended.catch(() => undefined);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: () => received,
    ended,
    close: () => response.destroy(),
    async next() {
      for (;;) {
        const givenTo = result.lastIndex;
        const [, json] = result.exec(received) ?? [];
        if (json !== undefined) return JSON.parse(json);
        result.lastIndex = givenTo;
        if (isEnded) throw new Error(`The stream has ended: ${received}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

/** The results among the events of a stream. */
export const resultsOf = (text: string) =>
  [...text.matchAll(/event: next\ndata: (.*)\n\n/g)].map(([, json = '']) => JSON.parse(json));

/** Subscribes by a whole body, and reads nothing of the stream but its status. */
export async function subscribeUnread(
  url: string,
  body: object,
  headers: Options['headers'] = {},
): Promise<number> {
  const response = await post(url, body, { headers });
  response.on('error', () => undefined).pause();
  return response.statusCode ?? 0;
}

export const MINUTE_MS = 60_000;

/** A clock that stands until the test moves it. */
export class MovedClock implements Clock {
  #ms = 0;
  #timers: { readonly atMs: number; readonly callback: () => void }[] = [];

  now = () => this.#ms;
  jitter = () => 1;

  after(ms: number, callback: () => void): () => void {
    const timer = { atMs: this.#ms + ms, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  }

  /** Lets time pass while something is under way. */
  skip(ms: number): void {
    this.#ms += ms;
  }

  /**
   * Lets time pass from one timer to the next, and waits after each until all that it began has
   * ended.
   */
  async pass(ms: number, settled = async () => {}): Promise<void> {
    const endMs = this.#ms + ms;
    for (;;) {
      const next = Math.min(...this.#timers.map(({ atMs }) => atMs));
      if (next > endMs) break;
      this.#ms = Math.max(this.#ms, next);
      const due = this.#timers.filter(({ atMs }) => atMs <= next);
      this.#timers = this.#timers.filter(({ atMs }) => atMs > next);
      for (const { callback } of due) callback();
      await settled();
    }
    this.#ms = Math.max(this.#ms, endMs);
  }
}

interface ClockOptions {
  /** Receives the lines of the log instead of `lines`. */
  readonly onLogLine?: (line: string) => void;
  readonly maxStreams?: number;
}

/** Starts a gateway whose live queries and call budget use a clock that the test moves. */
export async function startByClock(env: Env, options: ClockOptions = {}) {
  const lines: string[] = [];
  const { onLogLine = (line) => lines.push(line), maxStreams } = options;
  const clock = new MovedClock();
  // Cached copies age by this clock too.
  const steady = performance.now.bind(performance);
  performance.now = () => steady() + clock.now();
  onTestFinished(() => {
    performance.now = steady;
  });

  const variables = {
    PORT: '0',
    METRICS_PORT: '0',
    TYPED_FORMS: 'none',
    LOG_LEVEL: 'silent',
    ...env,
  };
  const config = readConfig({ ...variables, LIVE_INTERVAL_MS: '0' });
  const { settings } = readConfig(variables);
  const report = Object.assign(() => undefined, { file: () => undefined }) as unknown as Report;
  const live = createLive(() => clock, maxStreams).configure({
    ...config,
    settings,
    env: variables,
    report,
  });
  const gauges: Gauge[][] = [];
  const byClock: ConfiguredFeature = {
    share: async () => ({ callBuckets: createMemoryBuckets(clock.now) }),
    open: ({ facts }) => void gauges.push(facts.gauges),
  };
  const features = [...config.features, byClock, ...(live ? [live] : [])];
  const { url, metricsUrl, close } = await startGateway(
    { ...config, limits: limitsOf(env), settings, features },
    createLog(settings.LOG_LEVEL, { write: onLogLine }),
  );
  onTestFinished(close);

  const figure = async (name: string): Promise<number> => {
    const text = await (await fetch(String(metricsUrl))).text();
    return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
  };
  // The page of metrics would take milliseconds for each of thousands of timers.
  const runsInFlight = () =>
    gauges
      .flat()
      .find(({ name }) => name === 'caseway_live_runs_in_flight')
      ?.read();
  const settled = async () => {
    do await new Promise((resolve) => setImmediate(resolve));
    while ((await runsInFlight()) !== 0);
  };

  return {
    url,
    close,
    figure,
    lines,
    pass: (ms: number) => clock.pass(ms, settled),
    skip: (ms: number) => clock.skip(ms),
    /** Subscribes, and reads the first result. */
    async watch(query = listOf('a'), options: Options = {}) {
      const stream = await subscribe(url, query, options);
      return { ...stream, first: await stream.next() };
    },
    /** Deletes an instance through the gateway, so that the lists of its form are due at once. */
    async remove(form = 'a', headers: object = {}): Promise<void> {
      const query = `mutation { deleteInstance(input: { formId: "${form}", instanceId: 1 }) { deletedId } }`;
      expect((await postGraphql(url, { query }, headers)).status).toBe(200);
    },
  };
}

const OLD = new Date('2020-01-01T00:00:00Z').toUTCString();

/**
 * A platform whose lists have one row each, and which answers conditional requests by 304 until a
 * list is changed.
 */
export async function startListPlatform() {
  const totals = new Map<string, number>();
  const changedAt = new Map<string, number>();
  const state = { failing: undefined as ScriptedAnswer | undefined };
  const platform = await scriptPlatform(({ url, headers }) => {
    if (state.failing) return state.failing;
    const [, form = ''] = /\/forms\/([^/?]+)\/instances/.exec(url) ?? [];
    const modifiedMs = changedAt.get(form) ?? Date.parse(OLD);
    const isSame =
      Date.parse(headers['if-modified-since'] ?? '') >= Math.floor(modifiedMs / 1_000) * 1_000;
    const sent = {
      'last-modified': new Date(modifiedMs).toUTCString(),
      date: new Date(Date.now() + 10_000).toUTCString(),
    };
    if (isSame) return { status: 304, headers: sent, body: '' };
    const total = totals.get(form) ?? 1;
    const items = times(total).map((index) => ({ idInstance: index + 1, values: {} }));
    return { headers: sent, body: { items, total } };
  });
  return {
    ...platform,
    state,
    /** Returns the number of calls whose path contains a text. */
    countCalls: (text: string) => platform.seen.filter(({ url }) => url.includes(text)).length,
    change(form: string, total: number) {
      totals.set(form, total);
      // HTTP's dates have seconds.
      changedAt.set(form, Math.max(Date.now(), (changedAt.get(form) ?? 0) + 2_000));
    },
  };
}

export const listOf = (form: string) =>
  `subscription { instances(formId: "${form}") { totalCount } }`;

/** Returns a result of such a subscription. */
export const listResult = (totalCount: number) => ({ data: { instances: { totalCount } } });

/** Starts such a platform and, in front of it, a gateway with a clock that the test moves. */
export async function startLists(env: Env = {}, options: ClockOptions = {}) {
  const platform = await startListPlatform();
  return { ...platform, ...(await startByClock({ ...platform.env, ...env }, options)) };
}

/**
 * Starts a gateway with a clock that the test moves. Its platform has a form `a`, whose field
 * `next` refers to one instance of the form `b` for all rows, and `each` to another for each row.
 *
 * @param read responds to a read of an instance of `b`.
 */
export async function startBoard(
  read: (id: number) => ScriptedAnswer | Promise<ScriptedAnswer>,
  env: Env = {},
) {
  const board = { rows: 1, next: 7 };
  const platform = await scriptPlatform(({ method, url }) => {
    if (method === 'DELETE') return { status: 204, body: '' };
    const [, id] = /\/forms\/b\/instances\/(\d+)/.exec(url) ?? [];
    if (id) return read(Number(id));
    const fields = ['next', 'each'].map((name) => ({ name, type: 'reference', reference: 'b' }));
    if (!url.includes('/instances')) return { body: { idForm: 'a', name: 'A', fields } };
    const items = times(board.rows).map((index) => ({
      idInstance: index + 1,
      values: { next: board.next, each: index + 101 },
    }));
    return { body: { items, total: board.rows } };
  });
  return { board, ...(await startByClock({ ...platform.env, ...env })) };
}

export const times = (count: number) => Array.from({ length: count }, (_, index) => index);
