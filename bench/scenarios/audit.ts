import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { type Benchmark, counted, timed } from '../benchmark.ts';
import { KEYED_CREATION } from '../load/requests.ts';
import { playPairs } from '../pairs.ts';
import { withTestBed } from '../test-bed.ts';

/** Measures the cost of the audit for a write. */
export const audit: Benchmark = {
  name: 'audit',
  about: 'CPU time of a write with an idempotency key, with the audit on and off',
  run: ({ isShort }) =>
    withTestBed(async (bed) => {
      const files: string[] = [];
      const settingsOf = (pair: number) => {
        const file = join(bed.folder, `audit-${pair}`);
        files.push(file);
        return { AUDIT_FILE: file };
      };
      const { on, off, failed } = await playPairs(bed, {
        isShort,
        request: KEYED_CREATION,
        settingsOf,
      });
      const made = bed.platform.effects().size;
      const lines = files.map((file) => readFileSync(file, 'utf8')).join('');
      return [
        timed('CPU time of a write without the audit', off, 'µs'),
        timed('CPU time of a write with the audit', on, 'µs'),
        timed('more with the audit', on - off, 'µs', { atMost: 30 }),
        counted('writes', made, ''),
        counted('writes that failed', failed, '', { atMost: 0 }),
        counted('audited writes', lines.match(/"event":"done"/g)?.length ?? 0, '', {
          atLeast: made / 2,
        }),
      ];
    }),
};
