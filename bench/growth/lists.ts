import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { type Client, startClient } from '../speed/client/index.ts';
import { graphql } from '../speed/request.ts';
import { WORKLOADS } from '../speed/workloads.ts';
import { CALLER } from '../stage/gateway.ts';
import type { Stage } from '../stage/index.ts';
import { measure, type Point } from './point.ts';

const SIZES = [10, 100, 1_000, 10_000] as const;
/** An answer of 10,000 is some megabytes, and a heap has 256. */
const CLIENTS = 4;
const QUERY = WORKLOADS.find(({ name }) => name === 'W4');

/** A point for each length of a list, of instances with ten fields each; every length at a gateway of its own. */
export type ListPoints = ReadonlyMap<number, Point>;

export async function growLists(stage: Stage, isShort: boolean): Promise<ListPoints> {
  stage.upstream.behave({ delayMs: 0 });
  const client = startClient();
  const points = new Map<number, Point>();
  try {
    for (const size of SIZES) points.set(size, await growTo(size, { stage, client, isShort }));
  } finally {
    client.close();
  }
  return points;
}

interface Setup {
  readonly stage: Stage;
  readonly client: Client;
  readonly isShort: boolean;
}

async function growTo(size: number, { stage, client, isShort }: Setup): Promise<Point> {
  const { upstream, folder } = stage;
  const UPSTREAM_DIALECT = join(folder, 'long-pages.json');
  writeFileSync(UPSTREAM_DIALECT, '{"list":{"maxPageSize":10000}}');
  const gateway = await stage.gateway({ UPSTREAM_DIALECT, PAGE_SIZE_MAX: '10000', ANSWER_FIELDS_MAX: '1000000' });
  if (QUERY === undefined) throw new Error('There is a workload for lists.');
  const template = graphql(QUERY, QUERY.generic.replace('first: 100', `first: ${size}`), { headers: CALLER });
  const field = { client, upstream, gateways: [gateway] };
  await measure(template, field, { clients: CLIENTS, durationMs: isShort ? 200 : 1_500, from: 0 });
  const point = await measure(template, field, { clients: CLIENTS, durationMs: isShort ? 500 : 4_000, from: 50_000 });
  await gateway.stop('SIGKILL');
  return point;
}
