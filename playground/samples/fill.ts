import type { GraphqlRequest, Received } from '../requests.ts';
import { storage } from '../storage.ts';
import type { Fill, Sample } from './sample.ts';

export type Ids = Readonly<Record<string, string>>;

/** The ids for a sample's variables, or the response that did not contain them. */
export type Filled = { readonly ids: Ids } | { readonly failure: Received };

/**
 * Finds ids for the variables of a sample that the user has not set. Sends the sample's sources in
 * turn until every id is found. Returns `undefined` if no variable needs an id.
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

/** Returns the text of a new sample's variables pane: empty values and a comment about the ids. */
export function emptyVariables({ variables, note }: Fill): string {
  const members = variables.map((name) => `  "${name}": ""`).join(',\n');
  return `{\n  // ${note}\n  // An id that you enter is kept.\n${members}\n}`;
}

/** Replaces values in the pane's text. Comments and other members stay unchanged. */
export function withIds(text: string, ids: Ids): string {
  let changed = text;
  for (const [name, id] of Object.entries(ids)) {
    const member = new RegExp(`("${name}"\\s*:\\s*)("[^"]*"|null|-?\\d+)`);
    if (!member.test(changed)) return JSON.stringify(ids, null, 2);
    changed = changed.replace(member, (_all, start: string) => start + JSON.stringify(id));
  }
  return changed;
}

/** Returns a value for every name, or `undefined`. */
function findIds(data: unknown, names: readonly string[]): Ids | undefined {
  const found = names.flatMap((name) => {
    const id = firstMember(data, name);
    return id === undefined ? [] : [[name, id] as const];
  });
  return found.length === names.length ? Object.fromEntries(found) : undefined;
}

/** Returns the first text with this name, at any depth. */
function firstMember(value: unknown, name: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const member: unknown = Object.getOwnPropertyDescriptor(value, name)?.value;
  if (typeof member === 'string') return member;
  for (const member of Object.values(value)) {
    const found = firstMember(member, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

const FILLED = 'filled';
/** Enough for the tabs of a few earlier runs. */
const MAX_FILLED = 50;

/**
 * Returns whether a variable is empty or was filled in by an earlier run. A value that the user
 * typed is never replaced.
 */
function isReplaceable(sample: string, variable: string, value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return remembered().includes(keyOf(sample, variable, String(value)));
}

const keyOf = (sample: string, variable: string, id: string) => `${sample}.${variable}=${id}`;

/** Stores the keys, because tabs survive a reload. */
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
