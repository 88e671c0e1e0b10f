import { GraphQLBoolean, GraphQLID, type GraphQLLeafType, GraphQLString } from 'graphql';

import { quote } from './quote.ts';

/** Writes the value of a leaf, which is not `null`, as JSON. @throws {Error} for a value that does not fit the type. */
export type WriteLeaf = (value: unknown) => string;

/** Makes the writer of a leaf type. */
export function compileLeaf(type: GraphQLLeafType): WriteLeaf {
  const write: WriteLeaf = (value) => {
    const serialized = type.serialize(value);
    const text = serialized == null ? undefined : toJson(serialized);
    if (text !== undefined) return text;
    throw new Error(`Expected \`${type}.serialize()\` to return a value.`);
  };
  // What these types hold is mostly what they are written as.
  if (type === GraphQLString || type === GraphQLID)
    return (value) => (typeof value === 'string' ? quote(value) : write(value));
  if (type === GraphQLBoolean) return (value) => (typeof value === 'boolean' ? String(value) : write(value));
  return write;
}

function toJson(value: unknown): string | undefined {
  if (typeof value === 'string') return quote(value);
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : JSON.stringify(value);
}
