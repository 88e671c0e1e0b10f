import { describe, expect, it } from 'vitest';

import { isPassed } from '../../bench/benchmark.ts';
import { countingEnvironment, countPromises, judgePromises } from '../../bench/speed/promises.ts';
import { WORKLOADS } from '../../bench/speed/workloads.ts';
import { withTestBed } from '../../bench/test-bed.ts';

describe('the promises that the gateway makes', () => {
  it('for each response are within the bounds of their workload', async () => {
    const figures = await withTestBed(async ({ folder, platform, startGateway }) => {
      platform.behave({ delayMs: 0 });
      const { port, pid } = await startGateway(await countingEnvironment(folder));
      const found = [];
      for (const [index, { name, isEqual, requests }] of WORKLOADS.entries()) {
        // Equal requests find what the ones before them left.
        if (isEqual && name !== 'W3') continue;
        const promises = await countPromises({ port, pid, folder }, requests.typed, index * 1_000);
        found.push(judgePromises(name, promises));
      }
      return found;
    });

    expect(figures).toHaveLength(4);
    expect(figures.filter((figure) => !isPassed([figure], true))).toEqual([]);
  }, 60_000);
});
