import { describe, expect, it } from 'vitest';

import { isPassed } from '../../bench/benchmark.ts';
import { countingEnvironment, countPromises, countPromoted, judgePromises } from '../../bench/speed/promises.ts';
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

describe('a response that nothing is kept of', () => {
  it('leaves nothing that the garbage collector takes for long-lived', async () => {
    const bytes = await withTestBed(async ({ folder, startGateway }) => {
      const { port, pid } = await startGateway(await countingEnvironment(folder));
      const constant = WORKLOADS.find(({ name }) => name === 'W3');
      return constant && countPromoted({ port, pid, folder }, constant.requests.typed);
    });

    // What V8 compiles late on a busy machine is among them; requests that are kept would add a thousand.
    expect(bytes).toBeLessThan(600);
  }, 60_000);
});
