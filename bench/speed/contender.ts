import type { RequestTemplate } from './request.ts';
import type { Arguments, Workload } from './workloads.ts';

/** A server that takes part, in a process of its own. */
export interface Contender {
  readonly name: ContenderName;
  readonly port: number;
  readonly pid: number;
  /** How it is asked a workload; `undefined` where it takes no part. */
  request(workload: Workload, kind: Arguments): RequestTemplate | undefined;
}

export const CONTENDERS = {
  caseway: 'Caseway',
  casewayByOne: 'Caseway, a call for each owner',
  casewayKnown: 'Caseway, all known true',
  apollo: 'Apollo Server, standalone, DataLoaders',
  apolloFastify: 'Apollo Server, fastify, DataLoaders',
  yoga: 'GraphQL Yoga, DataLoaders',
  mercurius: 'Mercurius, jit, DataLoaders',
  tailcall: 'Tailcall, dedupe',
  tailcallPlain: 'Tailcall, as it comes',
  rest: 'REST endpoint by hand',
  restByOne: 'REST endpoint by hand, a call for each owner',
  bare: 'bare node:http, the same bytes',
} as const;

export type ContenderName = keyof typeof CONTENDERS;
