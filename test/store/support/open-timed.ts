import { createDepot, type DepotOptions, USUAL_WINDOWS, type Windows } from '../../../src/store/depot.ts';
import { createMeter } from '../../../src/store/meter.ts';
import type { Reads } from '../../../src/store/resource.ts';
import { type Received, type Reply, valuesOf } from '../../upstream/support/http-server.ts';
import { openPlatform } from '../../upstream/support/open.ts';
import { openScope } from './open-scope.ts';

const START_MS = Date.UTC(2026, 0, 1);

/** What a platform holds of one address. */
interface Shown {
  readonly body: unknown;
  readonly modifiedAtMs: number;
}

interface TimedOptions extends Partial<Omit<DepotOptions, 'windows' | 'now'>> {
  readonly windows?: Partial<Windows>;
}

/**
 * A store and a platform by one clock, which stands until the test moves it. The platform answers each address with what was
 * last put there, as HTTP has it: to the second, and by 304 where nothing has changed since.
 */
export async function openTimed({ windows, ...options }: TimedOptions = {}) {
  let nowMs = START_MS;
  const shown = new Map<string, Shown>();
  const failing: Reply[] = [];
  const toSecond = (ms: number) => Math.floor(ms / 1000) * 1000;

  const answer = (received: Received): Reply => {
    const failure = failing.shift();
    if (failure !== undefined) return failure;
    const { body, modifiedAtMs } = shown.get(received.target.split('?')[0] ?? '') ?? { body: BODY, modifiedAtMs: 0 };
    const headers = {
      date: new Date(nowMs).toUTCString(),
      'last-modified': new Date(toSecond(modifiedAtMs)).toUTCString(),
    };
    const [since] = valuesOf(received, 'if-modified-since');
    const isSame = since !== undefined && toSecond(modifiedAtMs) <= Date.parse(since);
    return isSame ? { status: 304, headers } : { status: 200, headers, body };
  };

  const { upstream, asked } = await openPlatform(answer);
  const now = () => nowMs;
  const depot = createDepot({ windows: { ...USUAL_WINDOWS, ...windows }, now, ...options });
  const { store } = openScope(upstream, 'somebody', depot);
  const { signal } = new AbortController();
  const conditions = () => asked.map((received) => valuesOf(received, 'if-modified-since').length > 0);

  return {
    store,
    upstream,
    depot,
    asked,
    signal,
    /** Of each call, whether it was conditional. */
    conditions,
    /** Begins an operation. */
    begin() {
      const meter = createMeter(Number.POSITIVE_INFINITY, now);
      return { meter, ...store.reads(signal, meter) };
    },
    /** Runs reads as one operation, and gives what its meter says. */
    async run<T>(read: (reads: Reads) => Promise<T>, maxCalls?: number) {
      const meter = createMeter(maxCalls, now);
      const got = await read(store.reads(signal, meter));
      return { got, meter };
    },
    meter: (maxCalls?: number) => createMeter(maxCalls, now),
    pass(ms: number) {
      nowMs += ms;
    },
    /** Changes what is at an address, as somebody else would: the gateway is not told. */
    put(path: string, body: unknown) {
      shown.set(`/v1.0${path}`, { body, modifiedAtMs: nowMs });
    },
    /** Answers the next calls so. */
    failNext: (...replies: readonly Reply[]) => void failing.push(...replies),
  };
}

export const BODY = { idForm: 'a', idInstance: 1, items: [], values: {}, name: 'old' };
export const PAGE = { where: [], orderBy: [], pageNumber: 1, perPage: 10 };
export const KEY = { formId: 'a', instanceId: '1' };
