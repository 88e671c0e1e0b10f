import type { GraphqlAnswer } from '../../support/gateway.ts';
import type { Draw } from './random.ts';

/** A list as a walk changes it, by the ids that the graph shows. */
export interface WalkedList {
  /** The ids that are there now, in the order of the walk. */
  ids(): readonly string[];
  /** Inserts a row at about this place of the order. */
  insert(at: number): Promise<void>;
  delete(id: string): Promise<void>;
  /** Changes a field that the order does not depend on. */
  update(id: string): Promise<void>;
  /** Changes the value of the order; absent where the list has no order. */
  move?(id: string): Promise<void>;
}

export interface Walk {
  readonly draw: Draw;
  readonly list: WalkedList;
  readonly first: number;
  /** The platform's longest page: fewer rows change between two pages. */
  readonly window: number;
  /** The name of the connection in the answer. */
  readonly field: string;
  readonly read: (variables: { readonly first: number; readonly after: string | null }) => Promise<GraphqlAnswer>;
}

/** What a walk showed that it must not. */
export interface WalkProblems {
  /** Rows that were there throughout and were not shown. */
  readonly lost: readonly string[];
  /** Rows that came twice before any page was said to begin at a guessed place. */
  readonly repeated: readonly string[];
  readonly pages: number;
  /** How many pages were said to begin at a guessed place. */
  readonly guessed: number;
}

/** After so many pages nothing changes any more, so that the walk ends. */
const CHANGED_PAGES = 25;

/** Reads a list page by page while others change it within the promise of docs/graph.md. */
export async function walk(options: Walk): Promise<WalkProblems> {
  const { draw, list, window } = options;
  const there = new Set(list.ids());
  const seen = new Set<string>();
  const repeated: string[] = [];
  const most = Math.min(window - 1, draw.chance(0.2) ? window : 4);
  let [pages, guessed] = [0, 0];
  for await (const { shown, isGuessed } of pagesOf(options)) {
    pages++;
    if (isGuessed) guessed++;
    if (guessed === 0) repeated.push(...shown.filter((id) => seen.has(id) && there.has(id)));
    for (const id of shown) seen.add(id);
    if (pages < CHANGED_PAGES) await change(shown, there, { draw, list, most });
  }
  return { lost: [...there].filter((id) => !seen.has(id)), repeated, pages, guessed };
}

/** Reads a list to its end: the loop of docs/clients.md. */
async function* pagesOf({ first, field, read }: Walk) {
  let after: string | null = null;
  do {
    const answer = await read({ first, after });
    const { nodes, pageInfo } = answer.data?.[field] ?? fail(answer);
    if (pageInfo.hasNextPage && nodes.length === 0) fail(answer);
    const shown: string[] = nodes.map((node: { readonly id: string }) => node.id);
    yield { shown, isGuessed: JSON.stringify(answer.extensions?.['repeated']) === JSON.stringify([[field]]) };
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
  } while (after !== null);
}

/** Makes at most so many changes: half of the time the last row is deleted, and of those that a cursor names one always stays. */
async function change(
  shown: readonly string[],
  there: Set<string>,
  { draw, list, most }: Pick<Walk, 'draw' | 'list'> & { readonly most: number },
): Promise<void> {
  const [last = '', ...before] = shown.slice(-4).reverse();
  // Where it is the only one, the promise needs it.
  const isDeleted = draw.chance(0.5) && before.length > 0 && most > 0;
  const kept = draw.oneOf(isDeleted ? (before as [string, ...string[]]) : [last, ...before]);
  const change = async (id: string | undefined, how: 'delete' | 'update' | 'move') => {
    if (id === undefined || (id === kept && how !== 'update')) return;
    if (how !== 'update' && list[how]) there.delete(id);
    await list[how]?.(id);
  };
  if (isDeleted) await change(last, 'delete');
  for (let left = draw.integer(0, most - Number(isDeleted)); left > 0; left--) {
    const ids = list.ids();
    const near = ids.indexOf(kept) + draw.integer(-6, 3);
    const at = Math.max(0, draw.chance(0.5) ? near : draw.integer(0, ids.length));
    if (draw.chance(0.45)) await list.insert(at);
    else await change(ids[at], draw.oneOf(['delete', 'delete', 'delete', 'update', 'move']));
  }
}

function fail(answer: GraphqlAnswer): never {
  throw new Error(`A page cannot be read on: ${JSON.stringify(answer).slice(0, 500)}`);
}
