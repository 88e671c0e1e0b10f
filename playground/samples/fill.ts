import type { GraphqlRequest, Received } from '../requests.ts';
import { storage } from '../storage.ts';
import type { Fill, Sample } from './sample.ts';

export type Ids = Readonly<Record<string, string>>;

/** The ids for a sample's variables, or the answer that gave none. */
export type Filled = { readonly ids: Ids } | { readonly failure: Received };

/**
 * Ids for the variables of a sample that the reader has not set: from the sample's sources, sent in turn until every one
 * is found. `undefined` when there is nothing to fill in.
 */
export async function fill(
  sample: Sample | undefined,
  { variables }: GraphqlRequest,
  send: (query: string) => Promise<Received>,
): Promise<Filled | undefined> {
  if (sample?.fill === undefined) return undefined;
  const { variables: names, sources } = sample.fill;
  if (!names.every((name) => isReplaceable(sample.name, name, variables?.[name]))) return undefined;
  let received: Received | undefined;
  for (const source of sources) {
    received = await send(source);
    const ids = findIds(received.response.data, names);
    if (ids === undefined) continue;
    remember(Object.entries(ids).map(([name, id]) => keyOf(sample.name, name, id)));
    return { ids };
  }
  return received && { failure: received };
}

/** The variables pane of a new sample: empty values, and above them where they will come from. */
export function emptyVariables({ variables, note }: Fill): string {
  const members = variables.map((name) => `  "${name}": ""`).join(',\n');
  return `{\n  // ${note}\n  // Run keeps an id that you enter.\n${members}\n}`;
}

/** The pane's text with new values in place of the old ones; comments and everything else stay as they are. */
export function withIds(text: string, ids: Ids): string {
  let changed = text;
  for (const [name, id] of Object.entries(ids)) {
    const member = new RegExp(`("${name}"\\s*:\\s*)("[^"]*"|null|-?\\d+)`);
    if (!member.test(changed)) return JSON.stringify(ids, null, 2);
    changed = changed.replace(member, (_all, start: string) => start + JSON.stringify(id));
  }
  return changed;
}

/** A value for every name, or `undefined`. */
function findIds(data: unknown, names: readonly string[]): Ids | undefined {
  const found = names.flatMap((name) => {
    const id = firstMember(data, name);
    return id === undefined ? [] : [[name, id] as const];
  });
  return found.length === names.length ? Object.fromEntries(found) : undefined;
}

/** The first text with this name, at any depth. */
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

const FILLED = 'filled';
/** Enough for tabs that were stored a few runs ago. */
const MAX_FILLED = 50;

/** Whether a variable is empty or holds what an earlier run filled in. What the reader typed is never replaced. */
function isReplaceable(sample: string, variable: string, value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return remembered().includes(keyOf(sample, variable, String(value)));
}

const keyOf = (sample: string, variable: string, id: string) => `${sample}.${variable}=${id}`;

/** Stored, since tabs outlive a reload. */
function remember(keys: readonly string[]): void {
  storage.setItem(FILLED, JSON.stringify([...remembered(), ...keys].slice(-MAX_FILLED)));
}

function remembered(): readonly unknown[] {
  try {
    const stored: unknown = JSON.parse(storage.getItem(FILLED) ?? '[]');
    return Array.isArray(stored) ? stored : [];
  } catch {
    return [];
  }
}
