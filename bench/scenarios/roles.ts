import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { type Benchmark, counted, type Figure, timed } from '../benchmark.ts';
import { playPairs } from '../pairs.ts';
import { WORKLOADS } from '../speed/workloads.ts';
import { type TestBed, withTestBed } from '../test-bed.ts';

/** Measures the cost of roles for a read of one form. */
export const roles: Benchmark = {
  name: 'roles',
  about: 'CPU time of a read of one form with 0, 1 and 20 roles',
  run: ({ isShort }) =>
    withTestBed(async (bed) => [
      ...(await measure(bed, 1, isShort)),
      ...(await measure(bed, 20, isShort)),
    ]),
};

async function measure(bed: TestBed, count: number, isShort: boolean): Promise<Figure[]> {
  const file = join(bed.folder, `roles-${count}.json`);
  writeFileSync(file, JSON.stringify(rolesFile(count)));
  const request = WORKLOADS.find(({ name }) => name === 'W2')?.requests.generic;
  if (request === undefined) throw new Error('There is no W2.');
  const { on, off, failed } = await playPairs(bed, {
    isShort,
    request,
    settingsOf: () => ({ ROLES: file }),
  });
  const title = `${count} ${count === 1 ? 'role' : 'roles'}`;
  return [
    timed(`${title}: CPU time without`, off, 'µs'),
    timed(`${title}: CPU time with`, on, 'µs'),
    timed(`${title}: more`, 100 * (on / off - 1), '%', { atMost: 3 }),
    counted(`${title}: responses that failed`, failed, '', { atMost: 0 }),
  ];
}

/** Creates roles that each name ten forms and read all others. The caller has the last role. */
function rolesFile(count: number) {
  const forms = Object.fromEntries(
    Array.from({ length: 10 }, (_, index) => [`named${index}`, ['read', 'update']]),
  );
  const role = { forms: { ...forms, '*': ['read'] } };
  const named = Array.from({ length: count }, (_, index) => [`role${index}`, role] as const);
  return { callers: { bench: `role${count - 1}` }, roles: Object.fromEntries(named) };
}
