import type { GraphqlAnswer } from '../../support/gateway.ts';
import type { Draw } from './random.ts';

/** A list as a walk changes it, by the ids that the graph shows. */
export interface WalkedList {
  /** The ids that are there now, in the order of the walk. */
  ids(): readonly string[];
  insert(): Promise<void>;
  delete(id: string): Promise<void>;
  /** Changes a field that the order does not depend on. */
  update(id: string): Promise<void>;
}

export interface Walk {
  readonly draw: Draw;
  readonly list: WalkedList;
  readonly first: number;
  /** Whether nothing changes. */
  readonly isStill?: boolean;
  /** The name of the connection in the answer. */
  readonly field: string;
  readonly read: (variables: { readonly first: number; readonly after: string | null }) => Promise<GraphqlAnswer>;
}

/** What a walk showed that it must not. */
export interface WalkProblems {
  /** Rows that were there throughout and were not shown. */
  readonly lost: readonly string[];
  /** Rows that came twice. */
  readonly repeated: readonly string[];
  readonly pages: number;
}

/** After so many pages nothing changes any more, so that the walk ends. */
const CHANGED_PAGES = 25;

/** Reads a list page by page while others change it. */
export async function walk(options: Walk): Promise<WalkProblems> {
  const { draw, list, isStill } = options;
  const there = new Set(list.ids());
  const seen = new Set<string>();
  const repeated: string[] = [];
  const most = draw.oneOf([0, 4, 30]);
  let pages = 0;
  for await (const shown of pagesOf(options)) {
    pages++;
    repeated.push(...shown.filter((id) => seen.has(id)));
    for (const id of shown) seen.add(id);
    if (!isStill && pages < CHANGED_PAGES) await change(shown, there, { draw, list, most });
  }
  return { lost: [...there].filter((id) => !seen.has(id)), repeated, pages };
}

/** Reads a list to its end: the loop of docs/clients.md. */
async function* pagesOf({ first, field, read }: Walk) {
  let after: string | null = null;
  do {
    const answer = await read({ first, after });
    const { nodes, pageInfo } = answer.data?.[field] ?? fail(answer);
    if (pageInfo.hasNextPage && nodes.length === 0) fail(answer);
    const shown: string[] = nodes.map((node: { readonly id: string }) => node.id);
    yield shown;
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
  } while (after !== null);
}

/** Makes at most so many changes: half of the time the last row is deleted. */
async function change(
  shown: readonly string[],
  there: Set<string>,
  { draw, list, most }: Pick<Walk, 'draw' | 'list'> & { readonly most: number },
): Promise<void> {
  const remove = async (id: string | undefined) => {
    if (id === undefined || !list.ids().includes(id)) return;
    there.delete(id);
    await list.delete(id);
  };
  if (most > 0 && draw.chance(0.5)) await remove(shown.at(-1));
  for (let left = draw.integer(0, most); left > 0; left--) {
    const ids = list.ids();
    const id = ids[draw.integer(0, ids.length)];
    if (draw.chance(0.45)) await list.insert();
    else if (draw.chance(0.75)) await remove(id);
    else if (id !== undefined) await list.update(id);
  }
}

function fail(answer: GraphqlAnswer): never {
  throw new Error(`A page cannot be read on: ${JSON.stringify(answer).slice(0, 500)}`);
}
