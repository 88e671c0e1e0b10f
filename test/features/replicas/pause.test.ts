import { expect, it } from 'vitest';

import { startRedis } from '../../support/redis.ts';
import { scriptPlatform } from '../../support/scripted-platform.ts';
import { startReplicas } from './replicas.ts';
import { eventually } from './support.ts';

const FORM = 'query ($formId: ID!) { form(formId: $formId) { name } }';

it('a request limit that one replica meets pauses the other, which never met it', async () => {
  const refusal = { status: 403, headers: { 'retry-after': '60' }, body: { errorCode: 'REQUEST_LIMIT_EXCEEDED' } };
  const redis = await startRedis();
  const platform = await scriptPlatform(() => (platform.seen.length === 1 ? refusal : { body: { idForm: 'a' } }));
  const env = { ...platform.env, REDIS_URL: redis.url };
  const [a, b = a] = await startReplicas(2, env);

  const met = await a.execute(FORM, { formId: 'a' });

  let asked = 0;
  await eventually(async () => {
    // Another form each time: one that was read before the pause arrived is answered from the cache.
    asked += 1;
    const [error] = (await b.execute(FORM, { formId: `b${asked}` })).errors ?? [];
    expect(error?.extensions).toMatchObject({ code: 'RATE_LIMITED' });
  });
  expect(met.errors?.[0]?.extensions).toMatchObject({ code: 'RATE_LIMITED' });
});
