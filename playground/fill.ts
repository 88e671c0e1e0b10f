import { isOurs, remember } from './filled-values.ts';
import type { Answer, Asked } from './post.ts';
import type { Sample } from './samples/sample.ts';

export type Ids = Readonly<Record<string, string>>;

/** The ids that a sample was given, or the answer that gave none. */
export type Filled = { readonly ids: Ids } | { readonly failure: Answer };

/**
 * Ids for the variables of a sample that the reader has not set: from the sample's sources, asked in turn until every
 * one is found. `undefined` when there is nothing to fill in.
 */
export async function fill(
  sample: Sample | undefined,
  asked: Asked,
  ask: (query: string) => Promise<Answer>,
): Promise<Filled | undefined> {
  const wanted = sample?.fill?.variables ?? [];
  if (sample?.fill === undefined || !wanted.every((name) => isOurs(sample.name, name, asked.variables?.[name]))) {
    return undefined;
  }
  let answer: Answer = {};
  for (const source of sample.fill.sources) {
    answer = await ask(source);
    const ids = idsIn(answer.data, wanted);
    if (ids !== undefined) {
      remember(Object.entries(ids).map(([name, id]) => `${sample.name}.${name}=${id}` as const));
      return { ids };
    }
  }
  return { failure: answer };
}

/** A value for every name, or `undefined`. */
function idsIn(data: unknown, names: readonly string[]): Ids | undefined {
  const found = names.flatMap((name) => {
    const id = firstMember(data, name);
    return id === undefined ? [] : [[name, id] as const];
  });
  return found.length === names.length ? Object.fromEntries(found) : undefined;
}

/** The first member with this name, at any depth. */
function firstMember(value: unknown, name: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const own: unknown = Object.getOwnPropertyDescriptor(value, name)?.value;
  if (typeof own === 'string') return own;
  for (const member of Object.values(value)) {
    const found = firstMember(member, name);
    if (found !== undefined) return found;
  }
  return undefined;
}
