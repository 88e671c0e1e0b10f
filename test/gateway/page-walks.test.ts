import {
  array,
  assert,
  asyncProperty,
  boolean,
  constantFrom,
  integer,
  nat,
  oneof,
  record,
} from 'fast-check';
import { expect, it } from 'vitest';

import { ChangingList, type Paging, startChangingPlatform } from '../support/changing-platform.ts';
import { startGateway } from '../support/gateway.ts';

/**
 * The number of lists that are read while they change. `npm run walks` reads many more; `PAGE_SEED`
 * repeats a run.
 */
const WALKS = Number(process.env['PAGE_WALKS'] ?? 240);
const SEED = Number(process.env['PAGE_SEED'] ?? Date.now() % 1_000_000);

const PLATFORMS: readonly Paging[] = [
  { tells: 'totals', longestPage: 100 },
  { tells: 'nothing', longestPage: 100 },
  { tells: 'totals', longestPage: 20 },
  { tells: 'links', longestPage: 20 },
  { tells: 'nothing', longestPage: 20 },
  { tells: 'totals', longestPage: 5 },
  { tells: 'nothing', longestPage: 5 },
];
/** Platforms on which cursors are positions: their lists stand still. */
const UNORDERED: readonly Paging[] = [
  { tells: 'totals', longestPage: 100, sort: 'ignores' },
  { tells: 'nothing', longestPage: 20, sort: 'ignores' },
  { tells: 'links', longestPage: 20, sort: 'ignores', criterion: 'ignores' },
  { tells: 'nothing', longestPage: 5, sort: 'ignores', criterion: 'refuses' },
  { tells: 'totals', longestPage: 20, criterion: 'ignores' },
  { tells: 'nothing', longestPage: 20, criterion: 'refuses' },
  { tells: 'nothing', longestPage: 5, sort: 'refuses' },
];
const OPTIONS = {
  numRuns: Math.ceil(WALKS / (PLATFORMS.length + UNORDERED.length)),
  seed: SEED,
  endOnFailure: true,
};
const HOUR = { timeout: 3_600_000 };

const ORDERS = [
  '',
  ', orderBy: [{ field: "idInstance" }]',
  ', orderBy: [{ field: "idInstance", direction: DESC }]',
] as const;

/** Half of the requested pages have the platform's page size or half of it. */
const anyFirst = (longest: number) =>
  oneof(
    { weight: 2, arbitrary: constantFrom(longest, Math.ceil(longest / 2)) },
    { weight: 1, arbitrary: integer({ min: 1, max: longest }) },
    { weight: 1, arbitrary: integer({ min: 1, max: 100 }) },
  );

async function start(paging: Paging) {
  const { held, env } = await startChangingPlatform(paging);
  const { dataOf } = await startGateway(env);
  let lists = 0;
  /**
   * Reads a list to its end: the loop of docs/clients.md. One in two is known from walks before.
   */
  async function* walk(first: number, order: string, isKnown: boolean) {
    const list = `instances(formId: "${isKnown ? 'a' : `a${lists++}`}", first: $first, after: $after${order})`;
    const query = `query ($first: Int!, $after: String) { ${list} { nodes { instanceId } pageInfo { hasNextPage endCursor } } }`;
    let after: string | undefined;
    do {
      const { nodes, pageInfo } = (await dataOf(query, { first, after })).instances;
      expect(pageInfo.hasNextPage && nodes.length === 0).toBe(false);
      const ids: readonly { readonly instanceId: string }[] = nodes;
      yield ids.map(({ instanceId }) => Number(instanceId));
      after = pageInfo.hasNextPage ? pageInfo.endCursor : undefined;
    } while (after !== undefined);
  }
  return { held, walk };
}

interface Change {
  readonly kind: 'insert' | 'delete' | 'update';
  readonly at: number;
  readonly id: number;
}

/** Changes a list as others do; `there` are the ids of rows that are there throughout. */
function changesOf(rows: ChangingList) {
  const there = new Set(rows.rows.map(({ id }) => id));
  const gone = new Set<number>();
  const remove = (id: number) => {
    there.delete(id);
    gone.add(id);
    rows.delete(id);
  };
  const insert = (at: number, id: number) => {
    // An id that is free, or the next one; the platform's own order is any.
    const isFree = !gone.has(id) && rows.rows.every((row) => row.id !== id);
    rows.insert(at, 0, isFree ? id : undefined);
  };
  const change = ({ kind, at, id }: Change) => {
    const place = at % (rows.rows.length + 1);
    const row = rows.rows[place];
    if (kind === 'insert') insert(place, id);
    else if (row && kind === 'delete') remove(row.id);
    else if (row) row.note++;
  };
  return { there, remove, change };
}

it.each(PLATFORMS)(
  'no row is lost or repeated: $tells, pages of at most $longestPage',
  HOUR,
  async (paging) => {
    const { held, walk } = await start(paging);
    const anyChange = record({
      kind: constantFrom('insert' as const, 'delete' as const, 'update' as const),
      at: nat(400),
      id: integer({ min: 1, max: 500 }),
    });
    const walks = record({
      first: anyFirst(paging.longestPage),
      pages: nat(12),
      order: constantFrom(...ORDERS),
      isKnown: boolean(),
      // What happens before each call of the first pages; also between two calls for one page.
      changes: array(array(anyChange, { maxLength: 10 }), { maxLength: 40 }),
      isLastDeleted: boolean(),
    });

    const property = asyncProperty(
      walks,
      async ({ first, pages, order, isKnown, changes, isLastDeleted }) => {
        const rows = new ChangingList(Math.min(400, first * pages));
        const { there, remove, change } = changesOf(rows);
        held.list = rows;
        const left = [...changes];
        held.onCall = () => left.shift()?.forEach(change);
        const seen: number[] = [];
        for await (const shown of walk(first, order, isKnown)) {
          seen.push(...shown);
          const last = shown.at(-1);
          if (isLastDeleted && left.length > 0 && last !== undefined) remove(last);
        }

        expect(seen).toHaveLength(new Set(seen).size);
        expect([...there].filter((id) => !seen.includes(id))).toEqual([]);
      },
    );
    await assert(property, OPTIONS);
  },
);

it.each(UNORDERED)(
  'no row is lost or repeated where a list does not follow ids: $tells, pages of at most $longestPage, sort $sort, criterion $criterion',
  HOUR,
  async (paging) => {
    const { held, walk } = await start(paging);
    const walks = record({
      first: oneof(anyFirst(paging.longestPage), integer({ min: 1, max: 4 })),
      order: constantFrom(...(paging.sort === 'refuses' ? [''] : ORDERS)),
      // In any order, or nearly sorted by id, as on platforms that move changed rows to the end.
      places: oneof(
        array(nat(100), { maxLength: 100 }),
        nat(100).map((size) => Array<number>(size).fill(100)),
      ),
      moved: array(nat(100), { maxLength: 4 }),
    });

    const property = asyncProperty(walks, async ({ first, order, places, moved }) => {
      const rows = new ChangingList();
      for (const place of [...places.slice(0, first * 12), ...moved])
        rows.insert(Math.min(place, rows.rows.length), 0);
      held.list = rows;
      const ids = rows.rows.map(({ id }) => id);
      const seen: number[] = [];
      // Nothing is known of it.
      for await (const shown of walk(first, order, false)) seen.push(...shown);

      expect(seen).toHaveLength(ids.length);
      expect(new Set(seen)).toEqual(new Set(ids));
    });
    await assert(property, OPTIONS);
  },
);
