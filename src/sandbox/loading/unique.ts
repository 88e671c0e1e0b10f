import type { Path, Source } from './source.ts';

interface Named {
  readonly id: string;
  readonly at: string;
}

/** Says of every id but the first where the same one already stands. */
export function duplicates(kind: string, named: Iterable<Named>): readonly string[] {
  const first = new Map<string, string>();
  const problems: string[] = [];
  for (const { id, at } of named) {
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, at);
    else problems.push(`${at}: the ${kind} "${id}" is already defined at ${earlier}`);
  }
  return problems;
}

/** A list's ids with their lines. */
export function namedIn<T>(at: Source['at'], path: Path, list: readonly T[], idOf: (item: T) => string) {
  return list.map((item, index) => ({ id: idOf(item), at: at([...path, index]) }));
}
