import { GraphQLBoolean, GraphQLFloat, GraphQLID, GraphQLInt, type GraphQLLeafType, GraphQLString } from 'graphql';

/** Characters that a JSON string must escape. Halves of surrogate pairs are escaped, so that the text is valid UTF-8. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must be escaped.
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Gives a string as JSON. The general way is slower, and most strings need no escape. */
export const quote = (text: string): string => (ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`);

/** Writes a leaf value that is not `null` as JSON. @throws {Error} for a value that does not fit the type. */
type WriteLeaf = (value: unknown) => string;

/** Makes the writer of a leaf type. */
export function compileLeaf(type: GraphQLLeafType): WriteLeaf {
  const write: WriteLeaf = (value) => {
    const serialized = type.serialize(value);
    const text = serialized == null ? undefined : toJson(serialized);
    if (text === undefined) throw new Error(`Expected \`${type}.serialize()\` to return a value.`);
    return text;
  };
  // What the built-in types hold mostly is as it is written.
  if (type === GraphQLString || type === GraphQLID) {
    return (value) => (typeof value === 'string' ? quote(value) : write(value));
  }
  if (type === GraphQLBoolean) return (value) => (typeof value === 'boolean' ? String(value) : write(value));
  if (type === GraphQLInt) return (value) => (isInt(value) ? String(value) : write(value));
  if (type === GraphQLFloat) return (value) => (Number.isFinite(value) ? String(value) : write(value));
  return write;
}

/** Whether a value is an integer of 32 bits. */
const isInt = (value: unknown): boolean => typeof value === 'number' && (value | 0) === value;

function toJson(value: unknown): string | undefined {
  if (typeof value === 'string') return quote(value);
  return Number.isFinite(value) ? String(value) : JSON.stringify(value);
}
