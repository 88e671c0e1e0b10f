import { expect, it } from 'vitest';

import { startCountedGateway, startGateway } from '../support/gateway.ts';
import { limits } from '../support/limits.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';

const lookAt = (id: number) => `{ instance(formId: "expense", instanceId: ${id}) { values } }`;

it('the cache stays within its limit and evicts the least recently used entry', async () => {
  const { execute, calls } = await startCountedGateway({
    ...limits({ cacheBytes: 16_384 }),
    CACHE_INSTANCES_MS: '3600000',
  });
  const ids = Array.from({ length: 30 }, (_, index) => index + 1);
  for (const id of ids) await execute(lookAt(id));
  calls.length = 0;

  // Backwards, so that re-reading an entry evicts only later ones.
  for (const id of ids.toReversed()) await execute(lookAt(id));

  const known = ids.length - calls.length;
  expect(known).toBeGreaterThan(1);
  expect(known).toBeLessThan(16_384 / 900);
});

it('a cached copy is not served for a failing read by default', async () => {
  let isDown = false;
  const { env } = await scriptPlatform(() =>
    isDown ? { status: 503 } : { body: { idInstance: 1, values: { n: 1 } } },
  );
  const gateway = await startGateway(env);
  const before = await gateway.execute(lookAt(1));

  isDown = true;
  const { data, errors } = await gateway.execute(lookAt(1));

  expect(before.data.instance.values).toEqual({ n: 1 });
  expect([data, errors?.[0]?.extensions['code']]).toEqual([{ instance: null }, 'UPSTREAM_ERROR']);
});
