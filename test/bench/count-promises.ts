// Counts the promises that a process makes, and the bytes that its garbage collector takes for
// long-lived; preloaded by `--import`. It slows the process down, so nothing may be timed with it.
import { createHook } from 'node:async_hooks';
import { renameSync, writeFileSync } from 'node:fs';
import { getHeapSpaceStatistics } from 'node:v8';

let promises = 0;
createHook({
  init(_id, type) {
    if (type === 'PROMISE') promises++;
  },
}).enable();

const { COUNT_FOLDER = '.' } = process.env;
process.on('SIGUSR2', () => {
  const file = `${COUNT_FOLDER}/${process.pid}.count`;
  const oldSpace = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space');
  writeFileSync(`${file}~`, JSON.stringify({ promises, oldBytes: oldSpace?.space_used_size }));
  renameSync(`${file}~`, file);
});
