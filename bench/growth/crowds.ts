import { startClient } from '../speed/client/index.ts';
import { graphql } from '../speed/request.ts';
import { WORKLOADS } from '../speed/workloads.ts';
import { CALLER } from '../stage/gateway.ts';
import type { Stage } from '../stage/index.ts';
import { type Field, measure, type Point } from './point.ts';

const CLIENTS = [1, 4, 16, 64, 256] as const;
const DELAYS_MS = [0, 5, 50] as const;
const QUERY = WORKLOADS.find(({ name }) => name === 'W1');

/** Everybody is let in: what is refused when too much is asked is another benchmark's, `overload`. */
const OPEN_DOOR = { ADMISSION_MAX_IN_FLIGHT: '512', ADMISSION_LAG_MS: '60000' };

/** What was seen with so many clients, processes and so slow a platform. */
export interface CrowdPoint extends Point {
  readonly clients: number;
  readonly delayMs: number;
}

/** Lets more and more clients ask for lists of 100 with form and owner, before one gateway and before two. */
export async function growCrowds(stage: Stage, isShort: boolean): Promise<CrowdPoint[]> {
  const { upstream } = stage;
  const both = [await stage.gateway(OPEN_DOOR), await stage.gateway(OPEN_DOOR)];
  const client = startClient();
  const points: CrowdPoint[] = [];
  try {
    for (const gateways of [both.slice(0, 1), both]) {
      for (const delayMs of DELAYS_MS) {
        upstream.behave({ delayMs });
        points.push(...(await growCrowd({ client, upstream, gateways }, { delayMs, isShort, from: points.length })));
      }
    }
  } finally {
    client.close();
  }
  return points;
}

interface Weather {
  readonly delayMs: number;
  readonly isShort: boolean;
  /** How many points there were before. */
  readonly from: number;
}

async function growCrowd(field: Field, { delayMs, isShort, from }: Weather): Promise<CrowdPoint[]> {
  if (QUERY === undefined) throw new Error('There is a workload for crowds.');
  const template = graphql(QUERY, QUERY.generic, { headers: CALLER });
  const points: CrowdPoint[] = [];
  for (const clients of CLIENTS) {
    const crowd = (index: number, durationMs: number) => ({ clients, durationMs, from: index * 20_000 });
    const at = (from + points.length) * 2;
    await measure(template, field, crowd(at, isShort ? 100 : 500));
    points.push({ ...(await measure(template, field, crowd(at + 1, isShort ? 200 : 1_500))), clients, delayMs });
  }
  return points;
}
