import { expect, it } from 'vitest';
import { ChangingList, type Paging, startChangingPlatform } from '../support/changing-platform.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { createDraw, type Draw } from './support/random.ts';
import { type Walk, type WalkedList, type WalkProblems, walk } from './support/walk.ts';

/** How many lists are read while they change; `npm run walks` for the whole proof, `PAGE_SEED` for what a seed has shown. */
const WALKS = Number(process.env['PAGE_WALKS'] ?? 90);
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
const WALKS_OF_EACH = Math.ceil(WALKS / (PLATFORMS.length + UNORDERED.length));
const HOUR = { timeout: 3_600_000 };

/** Reads one list after the other, each with a seed of its own. */
async function walkAll(about: string, prepare: (draw: Draw) => Omit<Walk, 'draw'> | Promise<Omit<Walk, 'draw'>>) {
  const found: (WalkProblems & { readonly seed: number; readonly first: number })[] = [];
  // The same rows and changes would show less on the next platform.
  const from = SEED + Array.from(about).reduce((sum, letter) => (31 * sum + letter.charCodeAt(0)) % 1_000_003, 0);
  for (let number = 0; number < WALKS_OF_EACH; number++) {
    const seed = from + number;
    const draw = createDraw(seed);
    const prepared = await prepare(draw);
    found.push({ ...(await walk({ ...prepared, draw })), seed, first: prepared.first });
  }
  const pages = found.reduce((sum, one) => sum + one.pages, 0);
  process.stdout.write(`${about}: ${found.length} walks, ${pages} pages, seed ${SEED}\n`);
  expect(
    found.filter(({ lost, repeated }) => lost.length + repeated.length > 0),
    `PAGE_SEED=${SEED}`,
  ).toEqual([]);
}

/** Half of the pages that are asked for are as long as the platform's, or half of it. */
const drawFirst = (draw: Draw, longestPage: number): number =>
  draw.oneOf([longestPage, Math.ceil(longestPage / 2), draw.integer(1, longestPage), draw.integer(1, 100)]);

const reader =
  ({ execute }: TestGateway, list: string): Walk['read'] =>
  (variables) =>
    execute(
      `query ($first: Int!, $after: String) { ${list} { nodes { id } pageInfo { hasNextPage endCursor } } }`,
      variables,
    );

const ORDERS = [
  '',
  ', orderBy: [{ field: "idInstance" }]',
  ', orderBy: [{ field: "idInstance", direction: DESC }]',
] as const;

it.each(PLATFORMS)('no row is lost or repeated: $tells, pages of at most $longestPage', HOUR, async (paging) => {
  const { tells, longestPage } = paging;
  const platform = await startChangingPlatform(paging);
  const gateway = await startGateway(platform.env);

  await walkAll(`${tells}, ${longestPage}`, (draw) => {
    const first = drawFirst(draw, longestPage);
    const rows = new ChangingList(draw.integer(0, Math.min(400, first * 12)));
    platform.held.list = rows;
    // Also between two calls for one page.
    platform.held.onCall = () => {
      if (draw.chance(0.1)) rows.insert(draw.integer(0, rows.rows.length), 0);
    };
    // A list that was read before, or one of which nothing is known.
    const formId = draw.chance(0.5) ? 'a' : `a${draw.integer(1, 1_000_000)}`;
    const read = reader(gateway, `instances(formId: "${formId}", first: $first, after: $after${draw.oneOf(ORDERS)})`);
    return { list: changesOf(rows, draw, formId), first, field: 'instances', read };
  });
  await gateway.close();
});

it.each(UNORDERED)(
  'no row is lost or repeated where a list does not follow ids: $tells, pages of at most $longestPage, sort $sort, criterion $criterion',
  HOUR,
  async (paging) => {
    const { tells, longestPage, sort = 'heeds', criterion = 'heeds' } = paging;
    const platform = await startChangingPlatform(paging);
    const gateway = await startGateway(platform.env);

    await walkAll(`${tells}, ${longestPage}, sort ${sort}, criterion ${criterion}`, (draw) => {
      const first = draw.oneOf([drawFirst(draw, longestPage), draw.integer(1, 4)]);
      const rows = new ChangingList();
      const size = draw.integer(0, Math.min(100, first * 12));
      // In any order, or nearly in that of ids, as where rows that change move to the end.
      const disorder = draw.oneOf([1, 0.1]);
      for (let id = 1; id <= size; id++) {
        rows.insert(draw.chance(disorder) ? draw.integer(0, rows.rows.length) : rows.rows.length, 0, id);
      }
      platform.held.list = rows;
      // Nothing is known of it.
      const formId = `a${draw.integer(1, 1_000_000)}`;
      const order = sort === 'refuses' ? '' : draw.oneOf(ORDERS);
      const read = reader(gateway, `instances(formId: "${formId}", first: $first, after: $after${order})`);
      const { ids } = changesOf(rows, draw, formId);
      const still: WalkedList = { ids, insert: async () => {}, delete: async () => {}, update: async () => {} };
      return { list: still, first, field: 'instances', read, isStill: true };
    });
    await gateway.close();
  },
);

function changesOf(rows: ChangingList, draw: Draw, formId: string): WalkedList {
  const instanceNode = (id: number) =>
    Buffer.from(JSON.stringify(['Instance', formId, String(id)])).toString('base64url');
  const gone = new Set<number>();
  const find = (id: string) => rows.rows.find((row) => instanceNode(row.id) === id);
  return {
    ids: () => rows.rows.map(({ id }) => instanceNode(id)),
    async insert() {
      // An id that is free, or the next one; the platform's own order is any.
      const free = [draw.integer(1, 500)].find((id) => !gone.has(id) && !rows.rows.some((row) => row.id === id));
      rows.insert(draw.integer(0, rows.rows.length), 0, free);
    },
    async delete(id) {
      const row = find(id);
      if (row === undefined) return;
      gone.add(row.id);
      rows.delete(row.id);
    },
    async update(id) {
      const row = find(id);
      if (row) row.note++;
    },
  };
}
