import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { isPassed } from '../../bench/benchmark.ts';
import { graphqlRequest } from '../../bench/load/requests.ts';
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

/** Its resolver copies its context, as those do that pass it on. */
const OWN_FIELD = `export default {
  typeDefs: 'extend type Query { own: String }',
  services: { rates: { url: 'http://127.0.0.1:9' } },
  resolvers: { Query: { own: { async batch(sources, _args, context) {
    const { caller, services, platform } = { ...context };
    return sources.map(() => [caller?.name, typeof services.rates.json, typeof platform.query.forms].join());
  } } } },
};`;

describe('a response that nothing is kept of', () => {
  it.each([
    ['a constant', '{ __typename }', undefined],
    ['a field of an extension', '{ own }', OWN_FIELD],
  ])(
    'leaves nothing that the garbage collector takes for long-lived: %s',
    async (_about, query, extension) => {
      const bytes = await withTestBed(async ({ folder, startGateway }) => {
        const file = join(folder, 'own.js');
        if (extension !== undefined) writeFileSync(file, extension);
        const env = await countingEnvironment(folder);
        const { port, pid } = await startGateway({ ...env, ...(extension && { EXTENSIONS: file }) });
        return countPromoted({ port, pid, folder }, graphqlRequest(query));
      });

      // What V8 compiles late on a busy machine is among them; requests that are kept would add a thousand.
      expect(bytes).toBeLessThan(600);
    },
    60_000,
  );
});
