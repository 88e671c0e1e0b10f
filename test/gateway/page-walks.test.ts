import { expect, it } from 'vitest';
import { ChangingList, nameOf, type Paging, startChangingPlatform } from '../support/changing-platform.ts';
import { startCountedGateway, startGateway, type TestGateway } from '../support/gateway.ts';
import { defineThings } from '../support/many-instances.ts';
import { createDraw, type Draw } from './support/random.ts';
import { type Walk, type WalkedList, type WalkProblems, walk } from './support/walk.ts';

/** How many lists are read while they change; `PAGE_WALKS=5000` for the whole proof, `PAGE_SEED` for what a seed has shown. */
const WALKS = Number(process.env['PAGE_WALKS'] ?? 240);
const SEED = Number(process.env['PAGE_SEED'] ?? Date.now() % 1_000_000);

const PLATFORMS: readonly (Paging & { readonly kind: Kind })[] = [
  { kind: 'instances', tells: 'totals', longestPage: 100 },
  { kind: 'instances', tells: 'nothing', longestPage: 100 },
  { kind: 'instances', tells: 'totals', longestPage: 20 },
  { kind: 'instances', tells: 'links', longestPage: 20 },
  { kind: 'instances', tells: 'nothing', longestPage: 20 },
  { kind: 'instances', tells: 'totals', longestPage: 5 },
  { kind: 'instances', tells: 'nothing', longestPage: 5 },
  { kind: 'forms', tells: 'totals', longestPage: 50 },
  { kind: 'forms', tells: 'nothing', longestPage: 10 },
];
const WALKS_OF_EACH = Math.ceil(WALKS / (PLATFORMS.length + 1));
const HOUR = { timeout: 3_600_000 };
/** Lists of forms are cached for a minute, and show what was there then. */
const ENV = { CACHE_DEFINITIONS_MS: '0' };

type Kind = 'instances' | 'forms';

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
  const sum = (count: (problems: WalkProblems) => number) => found.reduce((total, one) => total + count(one), 0);
  const figures = `${found.length} walks, ${sum(({ pages }) => pages)} pages, ${sum(({ guessed }) => guessed)} guessed`;
  process.stdout.write(`${about}: ${figures}, ${sum(({ lost }) => lost.length)} rows lost, seed ${SEED}\n`);
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

const ORDERS = ['', ', orderBy: [{ field: "rank" }]', ', orderBy: [{ field: "rank", direction: DESC }]'] as const;

it.each(PLATFORMS)('no row of $kind is lost: $tells, pages of at most $longestPage', HOUR, async (paging) => {
  const { kind, tells, longestPage } = paging;
  const platform = await startChangingPlatform(paging);
  const gateway = await startGateway({ ...platform.env, ...ENV });
  // A list just as long as the platform's longest page would hide, for a minute, that there are no longer ones.
  platform.held.list = new ChangingList(longestPage + 1);
  await gateway.execute('{ forms(first: 100) { totalCount } instances(formId: "a", first: 100) { totalCount } }');

  await walkAll(`${kind}, ${tells}, ${longestPage}`, (draw) => {
    const first = drawFirst(draw, longestPage);
    const rows = new ChangingList(draw.integer(0, Math.min(400, first * 12)));
    platform.held.list = rows;
    const order = kind === 'forms' ? '' : draw.oneOf(ORDERS);
    const args = `first: $first, after: $after${order}`;
    const list = kind === 'forms' ? `forms(${args})` : `instances(formId: "a", ${args})`;
    const place = draw.oneOf(['end', 'front', 'anywhere']);
    return {
      list: changesOf(rows, { order, draw, place, nodeId: kind === 'forms' ? formNode : instanceNode }),
      ...{ first, window: longestPage, field: kind, read: reader(gateway, list) },
    };
  });
  await gateway.close();
});

const formNode = (id: number) => Buffer.from(JSON.stringify(['Form', nameOf(id)])).toString('base64url');
const instanceNode = (id: number) => Buffer.from(JSON.stringify(['Instance', 'a', String(id)])).toString('base64url');

interface ChangeOptions {
  readonly order: string;
  readonly draw: Draw;
  readonly place: string;
  readonly nodeId: (id: number) => string;
}

function changesOf(rows: ChangingList, { order, draw, place, nodeId }: ChangeOptions): WalkedList {
  const sort = order === '' ? null : order.includes('DESC') ? '-rank' : '+rank';
  const sorted = () => rows.sorted(sort);
  const find = (id: string) => rows.rows.find((row) => nodeId(row.id) === id);
  return {
    ids: () => sorted().map(({ id }) => nodeId(id)),
    async insert(at) {
      const rank = (sorted()[at]?.rank ?? 1_000_000) + draw.integer(-1, 1);
      rows.insert(place === 'end' ? rows.rows.length : place === 'front' ? 0 : at, rank);
    },
    async delete(id) {
      rows.delete(find(id)?.id ?? 0);
    },
    async update(id) {
      const row = find(id);
      if (row) row.note++;
    },
    ...(sort !== null && {
      async move(id: string) {
        const row = find(id);
        if (row) row.rank = draw.integer(0, rows.rows.length * 1_000);
      },
    }),
  };
}

it('no row of the sandbox is lost', HOUR, async () => {
  const ROWS = 120;
  const folder = defineThings({ things: ROWS, owners: 3 });
  const gateway = await startCountedGateway({ TYPED_FORMS: '*' }, { definitions: folder, requestLimit: 0 });
  const orders = ['', ', orderBy: [{ name: ASC }]', ', orderBy: [{ owner: DESC }, { name: ASC }]'] as const;

  await walkAll('the sandbox', async (draw) => {
    const order = draw.oneOf(orders);
    const readThings = reader(gateway, `things(first: $first, after: $after${order})`);
    const change = async (...mutations: readonly string[]) => {
      if (mutations.length === 0) return;
      const fields = mutations.map((mutation, index) => `m${index}: ${mutation} { __typename }`);
      const { errors } = await gateway.execute(`mutation { ${fields.join(' ')} }`);
      if (errors) throw new Error(JSON.stringify(errors));
    };
    let ids: readonly string[] = [];
    const readPage = async (page: number): Promise<readonly string[]> => {
      const { data } = await gateway.execute(`{ things(first: 100, page: ${page}${order}) { nodes { id } } }`);
      const found: string[] = data.things.nodes.map(({ id }: { readonly id: string }) => id);
      return found.length < 100 ? found : [...found, ...(await readPage(page + 1))];
    };
    const readIds = async () => {
      ids = await readPage(1);
    };
    const creation = () =>
      `createThing(input: { values: { name: "thing ${draw.integer(0, ROWS)}", owner: ${draw.integer(1, 3)} } })`;
    const deletion = (instanceId: string) => `deleteThing(input: { instanceId: "${instanceId}" })`;
    await readIds();
    const length = draw.integer(0, ROWS);
    const missing = Array.from({ length: Math.max(0, length - ids.length) }, creation);
    // The walks before have left what they inserted.
    const surplus = ids.slice(length).map(deletion);
    for (let mutations = [...missing, ...surplus]; mutations.length > 0; mutations = mutations.slice(60)) {
      await change(...mutations.slice(0, 60));
    }
    await readIds();
    const list: WalkedList = {
      ids: () => ids,
      insert: () => change(creation()),
      async delete(instanceId) {
        await change(deletion(instanceId));
        ids = ids.filter((id) => id !== instanceId);
      },
      update: (instanceId) => change(`updateThing(input: { instanceId: "${instanceId}", values: {} })`),
    };
    // What is inserted between two pages is known from the second on: to read all ids after each change takes most of the time.
    const read: Walk['read'] = async (variables) => {
      await readIds();
      return readThings(variables);
    };
    return {
      list,
      read,
      first: draw.oneOf([100, 50, draw.integer(5, 20), draw.integer(5, 100)]),
      window: 100,
      field: 'things',
    };
  });
});
