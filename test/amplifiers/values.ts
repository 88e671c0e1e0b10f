import {
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';

/** A value as a literal of a document, and as JSON of the variables. */
export interface Value {
  readonly literal: string;
  readonly json: string;
}

/** Creates a value of about `length` characters. */
type MakeValue = (length: number) => Value;

const same = (text: string): Value => ({ literal: text, json: text });
const repeat = (text: string, length: number) =>
  text.repeat(Math.max(1, Math.floor(length / text.length)));
const quoted = (text: string) => same(`"${text}"`);
const globalId = (...parts: readonly string[]) =>
  Buffer.from(JSON.stringify(parts)).toString('base64url');

/** The kinds of values that fit a type, by the type's name. */
export const FITTING: Readonly<Record<string, readonly string[]>> = {
  Decimal: [
    'exponent',
    'longestExponent',
    'smallExponent',
    'digits',
    'fraction',
    'digitsText',
    'exponentText',
  ],
  Float: ['exponent', 'longestExponent', 'smallExponent', 'digits', 'fraction'],
  Long: ['digits', 'digitsText', 'exponentText'],
  ID: ['text', 'escapes', 'id', 'digitsText', 'separators', 'digits'],
  String: [
    'text',
    'escapes',
    'quotes',
    'codePoints',
    'emoji',
    'block',
    'separators',
    'cursor',
    'digitsText',
  ],
  Date: ['text', 'time', 'escapes'],
  DateTime: ['text', 'time', 'escapes'],
  JSON: [
    'text',
    'escapes',
    'digits',
    'exponent',
    'list',
    'members',
    'nested',
    'fraction',
    'numbers',
  ],
  JSONObject: ['members', 'numbers'],
  _Any: ['representation', 'members'],
};

/** Kinds of values that are expensive to process. */
export const VALUES: Readonly<Record<string, MakeValue>> = {
  exponent: () => same('1e999'),
  longestExponent: () => same('1e60'),
  smallExponent: () => same('-1.5e-999'),
  digits: (length) => same(repeat('9', length)),
  fraction: (length) => same(`0.${repeat('0', length)}1`),
  text: (length) => quoted(repeat('x', length)),
  escapes: (length) => quoted(repeat('\\n', length)),
  quotes: (length) => quoted(repeat('\\"', length)),
  codePoints: (length) => quoted(repeat('\\u00e9', length)),
  emoji: (length) => quoted(repeat('😀', length)),
  block: (length) => ({
    literal: `"""${repeat('\n  x', length)}"""`,
    json: `"${repeat('\\n  x', length)}"`,
  }),
  digitsText: (length) => quoted(repeat('9', length)),
  exponentText: () => quoted('1e999'),
  separators: (length) => quoted(repeat('a,b:c=|', length)),
  word: (length) => ({ literal: repeat('X', length), json: `"${repeat('X', length)}"` }),
  nested: () => same(`${'['.repeat(60)}1${']'.repeat(60)}`),
  list: (length) =>
    listOf(Array.from({ length: Math.min(1_000, Math.ceil(length / 4)) }, () => quoted('x'))),
  numbers: (length) => ({
    literal: `[${repeat('1 ', Math.min(length, 1_800))} 0.12345678901234567]`,
    json: `[${repeat('1,', 2 * length)}0.12345678901234567]`,
  }),
  members: (length) =>
    objectOf(
      Array.from({ length: Math.min(600, Math.ceil(length / 8)) }, (_, n) => [`m${n}`, same('1')]),
    ),
  id: (length) => quoted(globalId('Instance', repeat('x', length / 2), '1')),
  cursor: () => quoted(Buffer.from('at:2147483646:1:2147483646').toString('base64url')),
  representation: () => REPRESENTATION,
  time: (length) => quoted(`2026-01-01T00:00:00.${repeat('0', length)}Z`),
};

/** Returns a list of values. */
export const listOf = (items: readonly Value[]): Value => ({
  literal: `[${items.map(({ literal }) => literal).join(' ')}]`,
  json: `[${items.map(({ json }) => json).join()}]`,
});

/** Returns an object of values by name. */
export const objectOf = (members: readonly (readonly [name: string, value: Value])[]): Value => ({
  literal: `{${members.map(([name, { literal }]) => `${name}: ${literal}`).join(' ')}}`,
  json: `{${members.map(([name, { json }]) => `${JSON.stringify(name)}:${json}`).join()}}`,
});

const REPRESENTATION = objectOf([
  ['__typename', quoted('Employee')],
  ['id', quoted(globalId('Instance', 'employee', '1'))],
]);

/** Values by the names of arguments and fields. They exist in the sandbox. */
const SAMPLES: Readonly<Record<string, string>> = {
  formId: 'purchase-request',
  field: 'supplier',
  process: 'purchase-approval',
  component: 'approval-level',
  version: '1.0',
  name: 'PurchaseRequest',
  username: 'demo',
  password: 'demo',
  id: globalId('Instance', 'employee', '1'),
};

/** Values by the names of types. */
const SAMPLES_BY_TYPE: Readonly<Record<string, string>> = {
  ID: '"1"',
  Int: '1',
  Long: '1',
  Float: '1',
  Decimal: '1.5',
  Boolean: 'true',
  Date: '"2026-01-01"',
  DateTime: '"2026-01-01T00:00:00Z"',
  JSONObject: '{}',
};

/** Returns a value that fits a type; an input object has its required fields. */
export function sampleOf(type: GraphQLInputType, name: string): Value {
  if (isNonNullType(type)) return sampleOf(type.ofType, name);
  if (isListType(type)) return listOf([sampleOf(type.ofType, name)]);
  if (isEnumType(type)) {
    const [{ name: first } = { name: '' }] = type.getValues();
    return { literal: first, json: JSON.stringify(first) };
  }
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    return objectOf(
      type.isOneOf ? membersOf(fields, fields[0]?.name) : membersOf(fields, undefined),
    );
  }
  const sample = SAMPLES[name];
  if (sample !== undefined) return same(JSON.stringify(sample));
  if (type.name === '_Any') return REPRESENTATION;
  return same(SAMPLES_BY_TYPE[type.name] ?? '"x"');
}

/** A place in an argument that gets a value. */
interface Place {
  /** The fields of input objects on the way to the place. */
  readonly path: readonly string[];
  /** The items of the outermost list on the way. */
  readonly items: number;
  /** Returns the value for the type at the place. */
  readonly leaf: (type: GraphQLInputType) => Value;
}

interface Member {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly defaultValue?: unknown;
}

/** Returns the required members and the chosen one. `place` is in the chosen one. */
export function membersOf(members: readonly Member[], chosen: string | undefined, place?: Place) {
  return members.flatMap(({ name, type, defaultValue }): [string, Value][] => {
    const isChosen = name === chosen;
    if (isChosen && place) return [[name, valueAround(type, place)]];
    const isRequired = isNonNullType(type) && defaultValue === undefined;
    return isChosen || isRequired ? [[name, sampleOf(type, name)]] : [];
  });
}

/** Returns an argument's value with the value of `place` inside. */
export function valueAround(type: GraphQLInputType, place: Place): Value {
  const { path, items, leaf } = place;
  const [name, ...rest] = path;
  if (isNonNullType(type)) {
    // The type of a variable has to be as strict as its place.
    const isLeaf = name === undefined && !isListType(type.ofType);
    return isLeaf ? leaf(type) : valueAround(type.ofType, place);
  }
  if (isListType(type)) {
    const item = valueAround(type.ofType, { ...place, items: 1 });
    return listOf(Array(items).fill(item));
  }
  if (name === undefined || !isInputObjectType(type)) return leaf(type);
  return objectOf(membersOf(Object.values(type.getFields()), name, { ...place, path: rest }));
}

/** Whether the way to a place leads through a list. */
export function hasList(type: GraphQLInputType, path: readonly string[]): boolean {
  if (String(type).includes('[')) return true;
  const [name, ...rest] = path;
  const named = getNamedType(type);
  if (name === undefined || !isInputObjectType(named)) return false;
  const field = named.getFields()[name];
  return field !== undefined && hasList(field.type, rest);
}
