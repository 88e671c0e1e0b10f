import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';

import type { Json } from '../../../src/core/json.ts';
import { nodeIdsOf } from '../../../src/graphql/relay.ts';
import { type Entity, keyOf } from '../../../src/upstream/operation.ts';
import {
  ENTITIES,
  type EntityRecord,
  type OperationName,
} from '../../../src/upstream/operations.ts';
import type { Ids } from '../../../src/upstream/records.ts';
import { platformToken } from '../../identity/support.ts';
import { ROWS } from '../../operations/index.ts';
import { startCountedGateway } from '../../support/gateway.ts';
import { planOf } from '../../support/plan.ts';
import { writeDialect } from '../../support/write-dialect.ts';
import { dialectOf } from '../../upstream/support/open.ts';

const QUERY =
  'query ($representations: [_Any!]!) { _entities(representations: $representations) { __typename } }';
/** More representations than one search has ids. */
const MOST = 120;

type CallPlatform = (path: string, body?: object) => Promise<Json>;

/** Reads the ids of the sandbox's records of one kind, through the lists of their parents. */
async function readIds(entity: Entity<EntityRecord>, call: CallPlatform): Promise<readonly Ids[]> {
  const around = entity.path.slice(0, -1);
  const parent = ENTITIES.find(({ path }) => isDeepStrictEqual(path, around));
  const parents = parent ? await readIds(parent, call) : [{} as Ids];
  const all: Ids[] = [];
  for (const ids of parents) {
    const answer = { status: 200, headers: {}, body: await call(entity.list.path(ids)) };
    const query = { where: [], orderBy: [], pageNumber: 1, perPage: 100 };
    const page = entity.list.decode(answer, dialectOf(), { ...ids, ...query });
    all.push(...page.items.map((record) => keyOf(entity, record as EntityRecord)));
  }
  return all;
}

it.each([
  ['searches by lists of ids', {}],
  ['does not search by lists of ids', { search: { operators: { IN: null } } }],
])(
  '_entities with records of any kind costs as many calls as it makes, if the platform %s',
  async (_, dialect) => {
    const gateway = await startCountedGateway({
      FEDERATION: 'on',
      UPSTREAM_DIALECT: writeDialect(dialect),
      COST_MAX_CALLS: '1000',
      CACHE_DEFINITIONS_MS: '0',
    });
    const headers = {
      authorization: await platformToken(gateway.origin, 'demo'),
      'content-type': 'application/json',
    };
    const call: CallPlatform = async (path, body) => {
      const post = body && { method: 'POST', body: JSON.stringify(body) };
      const response = await fetch(`${gateway.origin}/v1.0${path}`, { headers, ...post });
      return response.json() as Promise<Json>;
    };

    for (const entity of ENTITIES) {
      const { created } = ROWS[entity.list.name as OperationName];
      if (created) for (const _ of [1, 2]) await call(created.path, created.body);
      const ids = (await readIds(entity, call)).slice(0, MOST).map(nodeIdsOf(entity));
      expect(ids.length, `the sandbox has records of ${entity.kind}`).toBeGreaterThan(1);
      const { node } = await gateway.dataOf(`{ node(id: "${ids[0]}") { __typename } }`);
      const count = async (representations: readonly object[]) => {
        const plan = await planOf(gateway.url, QUERY, { representations });
        gateway.calls.length = 0;
        const data = await gateway.dataOf(QUERY, { representations });
        expect(data._entities).toEqual(representations.map(() => node));
        return { charged: plan.calls.most, made: gateway.calls.length };
      };
      const representations = ids.map((id) => ({ ...node, id }));

      const one = await count(representations.slice(0, 1));
      const several = await count(representations);
      const repeated = await count([...representations, ...representations]);

      expect(one, entity.kind).toEqual({ charged: 1, made: 1 });
      expect(several.charged, entity.kind).toBe(several.made);
      expect(repeated, entity.kind).toEqual(several);
    }
  },
);
