import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';

import type { Target } from '../attacks/target.ts';

/** A view of the CPU time and memory of a process. */
export interface Meter {
  /** Returns the CPU time of all its threads, in milliseconds. */
  cpuMs(): Promise<number>;
  /** Collects garbage, and returns the memory in use, in bytes. */
  heldBytes(): Promise<number>;
  /** Starts watching the peak of its memory. */
  watchPeak(): void;
  /** Returns the largest growth of its memory since `watchPeak`, in bytes. */
  peakGrowth(): number;
  close(): void;
}

/** Attaches to the inspector of a process. */
export async function attachMeter({ output, pid }: Pick<Target, 'output' | 'pid'>): Promise<Meter> {
  const socket = new WebSocket(/ws:\S+/.exec(output())?.[0] ?? '');
  await once(socket, 'open');
  let count = 0;
  let before = 0;
  const ask = async (
    method: string,
    params?: object,
  ): Promise<{ result?: { value?: unknown } }> => {
    const id = ++count;
    const { promise, resolve, reject } = Promise.withResolvers<{ result?: { value?: unknown } }>();
    const onMessage = ({ data }: MessageEvent) => {
      const message = JSON.parse(String(data));
      if (message.id === id) resolve(message.result);
    };
    const onClose = () => reject(new Error('the process ended'));
    socket.addEventListener('message', onMessage);
    socket.addEventListener('close', onClose);
    socket.send(JSON.stringify({ id, method, params }));
    try {
      return await promise;
    } finally {
      socket.removeEventListener('message', onMessage);
      socket.removeEventListener('close', onClose);
    }
  };
  const readMemory = (name: string) =>
    Number(
      new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1],
    ) * 1_024;
  const evaluate = async (expression: string): Promise<number> => {
    const { result } = await ask('Runtime.evaluate', { expression });
    return Number(result?.value);
  };
  return {
    cpuMs: () => evaluate('(({ user, system }) => (user + system) / 1000)(process.cpuUsage())'),
    async heldBytes() {
      await ask('HeapProfiler.collectGarbage');
      return evaluate('(({ heapUsed, external }) => heapUsed + external)(process.memoryUsage())');
    },
    watchPeak() {
      before = readMemory('VmRSS');
      // Resets the peak to the current memory: see proc(5).
      writeFileSync(`/proc/${pid}/clear_refs`, '5');
    },
    peakGrowth: () => readMemory('VmHWM') - before,
    close: () => socket.close(),
  };
}

/** The time that the reference loop takes on the machine that the bounds are for. */
const REFERENCE_MS = 25;
const ROUNDS = 21;
const ROW = { id: '1', values: { title: 'A chair', amount: 1.5, tags: ['a', 'b'], isOpen: true } };

/**
 * Returns the speed of this machine: the time of a fixed amount of work, relative to
 * `REFERENCE_MS`.
 */
export function measureSpeed(): number {
  const text = JSON.stringify(Array(1_000).fill(ROW));
  const before = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round++) {
    const rows: (typeof ROW)[] = JSON.parse(text);
    JSON.stringify(rows.map(({ values }) => Object.entries(values)));
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / REFERENCE_MS;
}
