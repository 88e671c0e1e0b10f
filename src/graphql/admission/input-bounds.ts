import { type FieldNode, Kind, visit } from 'graphql';

import { requestError } from '../errors.ts';
import type { SelectedOperation, Selection } from './selections.ts';
import type { ReadVariables } from './variables.ts';

/** Characters of an operation's arguments, each variable's value at every place that names it, fragments put in. */
const MAX_LENGTH = 1_000_000;

/**
 * Refuses values that the arguments of an operation would hold so often that they are too long together, before anything is
 * built from them: a value is sent once, and a document of a few kilobytes names its variable hundreds of times.
 */
export function boundInput(selected: SelectedOperation, read: ReadVariables): ReadVariables {
  const { literals, uses } = measureArguments(selected);
  const variables = (selected.definition.variableDefinitions ?? []).map(({ variable: { name }, defaultValue }) => ({
    name: name.value,
    count: uses.get(name.value) ?? 0,
    defaultLength: sourceLength(defaultValue),
  }));

  return (values, isPlanned) => {
    let length = literals;
    for (const { name, count, defaultLength } of variables) {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      length += count * (value === undefined ? defaultLength : lengthOf(value, MAX_LENGTH));
    }
    return length > MAX_LENGTH ? requestError(400, TOO_LONG) : read(values, isPlanned);
  };
}

const TOO_LONG = `The arguments of this operation are too long for the gateway: each variable counts at every place that names it, and at most ${MAX_LENGTH} characters are taken.`;

/** The characters of literals, and how often arguments name each variable. Conditions take no more than a Boolean. */
function measureArguments({ selections }: SelectedOperation) {
  let literals = 0;
  const uses = new Map<string, number>();
  for (const [{ arguments: args = [] }, places] of countPlaces(selections)) {
    for (const { value } of args) {
      if (value.kind !== Kind.VARIABLE) literals += places * sourceLength(value);
      visit(value, {
        Variable: ({ name }) => void uses.set(name.value, (uses.get(name.value) ?? 0) + places),
      });
    }
  }
  return { literals, uses };
}

/** At how many places each field stands: one of a fragment wherever that is spread. */
function countPlaces(selections: readonly Selection[], places = new Map<FieldNode, number>()) {
  for (const { node, selections: below } of selections) {
    places.set(node, (places.get(node) ?? 0) + 1);
    countPlaces(below, places);
  }
  return places;
}

const sourceLength = (node: Pick<FieldNode, 'loc'> | undefined): number =>
  node?.loc ? node.loc.end - node.loc.start : 0;

/** About the characters of a JSON value as text; above `max` it counts no further. */
export function lengthOf(value: unknown, max: number): number {
  if (typeof value === 'string') return Math.max(1, value.length);
  if (typeof value !== 'object' || value === null) return String(value).length;
  // An object or a list is built for it, however little is in it.
  let length = 2;
  const isList = Array.isArray(value);
  for (const [name, member] of Object.entries(value)) {
    if (length > max) break;
    length += (isList ? 1 : name.length + 2) + lengthOf(member, max - length);
  }
  return length;
}
