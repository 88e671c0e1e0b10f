// Counts the promises that a process makes; preloaded by `--import`. It slows the process down, so nothing may be timed with it.
import { createHook } from 'node:async_hooks';
import { renameSync, writeFileSync } from 'node:fs';

let promises = 0;
createHook({
  init(_id, type) {
    if (type === 'PROMISE') promises++;
  },
}).enable();

const { COUNT_FOLDER = '.' } = process.env;
process.on('SIGUSR2', () => {
  const file = `${COUNT_FOLDER}/${process.pid}.count`;
  writeFileSync(`${file}~`, String(promises));
  renameSync(`${file}~`, file);
});
