// Counts the bytes that a process allocates in V8's heap and the time that its garbage collector takes; preloaded by `--import`. A
// signal ends one count and begins the next. It watches each collection, so nothing may be timed with it.
import { renameSync, writeFileSync } from 'node:fs';
import { GCProfiler, getHeapStatistics } from 'node:v8';

import type { HeapCounts } from './heap.ts';

const { COUNT_FOLDER = '.' } = process.env;
let profiler = new GCProfiler();
let usedBefore = 0;

/** What is used more than at the beginning, and what the collections freed in between, was allocated. */
function count(): HeapCounts {
  const { statistics } = profiler.stop();
  let allocatedBytes = getHeapStatistics().used_heap_size - usedBefore;
  let gcMs = 0;
  for (const { beforeGC, afterGC, cost } of statistics) {
    allocatedBytes += beforeGC.heapStatistics.usedHeapSize - afterGC.heapStatistics.usedHeapSize;
    gcMs += cost / 1_000;
  }
  return { allocatedBytes, gcMs, memory: process.memoryUsage() };
}

function begin(): void {
  profiler = new GCProfiler();
  profiler.start();
  usedBefore = getHeapStatistics().used_heap_size;
}

process.on('SIGUSR2', () => {
  const file = `${COUNT_FOLDER}/${process.pid}.count`;
  writeFileSync(`${file}~`, JSON.stringify(count()));
  renameSync(`${file}~`, file);
  begin();
});
begin();
