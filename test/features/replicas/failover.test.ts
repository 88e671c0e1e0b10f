import { expect, it } from 'vitest';

import { startRedis, startSentinel } from '../../support/redis.ts';
import { startPlatform, startReplicas } from './replicas.ts';
import { eventually, readiness } from './support.ts';

const create = (key: string) =>
  `mutation { createInstance(input: {
    formId: "supplier", values: { name: "New", country: "PT", active: true }, idempotencyKey: "${key}"
  }) { instance { instanceId } } }`;

it('a write has its outcome after a failover, and others go on, where Sentinel promotes the copy of Redis', async () => {
  const [platform, master] = await Promise.all([startPlatform(), startRedis()]);
  const copy = await startRedis({ replicaOf: master });
  await eventually(async () => expect(await copy.client.info('replication')).toContain('master_link_status:up'));
  const sentinel = await startSentinel(master);
  await eventually(async () => expect(await master.client.info('replication')).toContain('connected_slaves:1'));
  const [a, b = a] = await startReplicas(2, { UPSTREAM_URL: platform.url, REDIS_URL: sentinel });
  const before = await a.execute(create('before'));
  await eventually(async () => expect(await copy.client.dbsize()).toBe(await master.client.dbsize()));

  await master.kill();
  await eventually(async () => expect(await copy.client.info('replication')).toContain('role:master'));
  await eventually(async () => expect((await readiness(b.url)).redis).toBe('ok'));
  await eventually(async () => expect((await readiness(a.url)).redis).toBe('ok'));

  expect(await b.execute(create('before'))).toEqual(before);
  const after = [await a.execute(create('after')), await b.execute(create('after'))];
  expect(after[0]?.errors).toBeUndefined();
  expect(after[1]).toEqual(after[0]);
  expect(platform.calls.filter((call) => call === 'createFormIntance')).toHaveLength(2);
});

it('a gateway starts while no Sentinel answers, and says that Redis is unavailable', async () => {
  const [platform, redis] = await Promise.all([startPlatform(), startRedis()]);
  const { port } = new URL(redis.url);
  const [replica] = await startReplicas(1, {
    UPSTREAM_URL: platform.url,
    REDIS_URL: `redis-sentinel://user:secret@127.0.0.1:1,127.0.0.1:${port}/caseway`,
  });

  expect(await readiness(replica.url)).toEqual({ status: 200, redis: 'unavailable' });
});
