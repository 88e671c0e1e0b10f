import { hash } from 'node:crypto';
import fc from 'fast-check';
import {
  buildClientSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
} from 'graphql';
import { expect, it, onTestFinished } from 'vitest';

import { MAX_BODY_BYTES } from '../../src/http/request-body.ts';
import { postGraphql } from '../support/gateway.ts';
import { CALLERS, send, startGateways } from './support.ts';

/** `npm run amplifiers` sets a longer time and another seed. */
const SECONDS = Number(process.env['AMPLIFIERS_SECONDS'] ?? 30);
const SEED = Number(process.env['AMPLIFIERS_SEED'] ?? 1);

/** Leaves a part of a request plain in four of five requests. */
const sometimes = <T extends string>(...kinds: readonly T[]) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...kinds) },
  );

const number = (...choices: readonly number[]) => fc.constantFrom(...choices);

const NUMBERS = ['1e999', '1e60', '-1.5e-999', 'digits', 'fraction', 'digitsText'] as const;
const TEXTS = ['text', 'escapes', 'quotes', 'codePoints', 'emoji', 'separators', 'time'] as const;
const OBJECTS = ['members', 'numbers', 'nested', 'representation'] as const;

/** The parts of a request that make it expensive. */
const requests = fc.record({
  /** The steps from the root to a field, and to a place in its arguments. */
  steps: fc.array(fc.nat(9_999), { minLength: 24, maxLength: 24 }),
  caller: fc.constantFrom('key', ...CALLERS),
  /** The rows of each list on the way. */
  rows: number(100, 10, 1),
  selected: fc.constantFrom('one', 'all', 'texts'),
  /** Whether an argument gets an expensive value. */
  hasValue: fc.boolean(),
  decimal: fc.constantFrom(...NUMBERS),
  text: fc.constantFrom(...TEXTS),
  object: fc.constantFrom(...OBJECTS),
  /** The length of the value, and the number of fields: parts of the limits. */
  length: number(1, 0.3, 0.1, 0.03, 0.01),
  count: number(1, 0.5, 0.2),
  items: number(1, 30, 100, 1_000),
  via: fc.constantFrom('literal', 'variable', 'variables', 'default', 'whole'),
  repeat: sometimes('aliases', 'longAliases', 'keys', 'inline'),
  spread: sometimes('wide', 'deep'),
  directive: sometimes('@skip(if: false)', '@unknown', '@include(if: $on)'),
  filler: sometimes('\n', '\r\n', '#\n', ',', ' ', '\uFEFF', 'comment'),
  operations: number(1, 1, 1, 1, 50),
  mistake: fc.constantFrom(...Array(20).fill(undefined), 'field', 'variable', 'syntax'),
  headers: sometimes('brotli', 'gzip', 'accept', 'forwarded', 'cookies', 'tags', 'many'),
  way: fc.constantFrom('new', 'new', 'again', 'hash'),
});
type Parts = typeof requests extends fc.Arbitrary<infer T> ? T : never;

it('no random request takes more than 250 ms of CPU time or 64 MB', {
  timeout: 1_000 * SECONDS + 240_000,
}, async () => {
  const { stop, ...gateways } = await startGateways();
  onTestFinished(stop);
  const answer = await postGraphql(
    gateways.reader.url,
    { query: getIntrospectionQuery({ oneOf: true }) },
    { 'x-api-key': 'reader' },
  );
  const schema = buildClientSchema(answer.data);
  let count = 0;
  let accepted = 0;

  const property = fc.asyncProperty(requests, async (parts) => {
    // A request beyond a limit is sent again, made smaller until the limits accept it.
    for (let scale = 1; scale > 0.01; scale *= 0.6) {
      const document = writeRequest(scaled(parts, scale), schema);
      const query = parts.way === 'new' ? `${document.query} #${count++}` : document.query;
      const { before, init } = toInit(parts, { ...document, query });
      const url = `${gateways[parts.caller].url}/graphql`;
      // If the connection is closed, the next one is closed too.
      if (before) await fetch(url, before).then(drain, () => undefined);

      const { status, text, excess } = await send(gateways[parts.caller], '/graphql', init);

      expect(excess, `${query.slice(0, 1_000)}\n${document.variables.slice(0, 500)}`).toBe(
        undefined,
      );
      accepted += Number(hasData(text));
      if (isBeyond(status, text, init.body)) continue;
      expect(status, text).not.toBe(0);
      return;
    }
  });
  await fc.assert(property, {
    seed: SEED,
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: 1_000 * SECONDS,
    endOnFailure: true,
  });

  expect(accepted).toBeGreaterThan(10);
});

const atLeastOne = (count: number): number => Math.max(1, Math.floor(count));

/** Returns a smaller request. */
const scaled = (parts: Parts, scale: number): Parts => ({
  ...parts,
  rows: atLeastOne(parts.rows * scale),
  length: parts.length * scale,
  count: parts.count * scale,
  items: atLeastOne(parts.items * scale),
  operations: atLeastOne(parts.operations * scale),
});

/** Messages about a limit, or about a document that was refused before it was persisted. */
const BEYOND = /"message":"[^"]*(too (many|long|large)|at most|PersistedQueryNotFound)/i;

/** Whether a limit has refused a request. A closed connection refuses a body that is too large. */
const isBeyond = (status: number, text: string, body: string) =>
  status === 0 ? Buffer.byteLength(body) > MAX_BODY_BYTES : BEYOND.test(text.slice(0, 500));

/** Whether a text is a response with data, or starts a stream with some. */
const hasData = (text: string) => text.startsWith('{"data"') || text.includes('event: next');

const drain = async (response: Response) => void (await response.body?.cancel());

const HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  brotli: { 'accept-encoding': 'br' },
  gzip: { 'accept-encoding': 'gzip' },
  accept: { accept: `application/json${', a/b;q=0.1'.repeat(1_200)}` },
  forwarded: { 'x-forwarded-for': '10.0.0.1, '.repeat(1_200) },
  cookies: { cookie: 'a=b; '.repeat(2_500) },
  tags: { 'if-none-match': '"x", '.repeat(2_500) },
  many: Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`x-${n}`, 'x'])),
};

/** A document with its variables as JSON. */
interface Document {
  readonly query: string;
  readonly variables: string;
  readonly accept: string;
}

/** Returns what `fetch` needs, and the same for a request to send first. */
function toInit({ caller, headers, way, operations }: Parts, document: Document) {
  const { query, variables, accept } = document;
  const initOf = (members: object) => {
    const start = JSON.stringify({ ...members, ...(operations > 1 && { operationName: 'Q0' }) });
    return {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept,
        'x-api-key': caller,
        ...(headers && HEADERS[headers]),
      },
      body: `${start.slice(0, -1)},"variables":${variables}}`,
    };
  };
  if (way === 'new') return { init: initOf({ query }) };
  if (way === 'again') return { before: initOf({ query }), init: initOf({ query }) };
  const extensions = { persistedQuery: { version: 1, sha256Hash: hash('sha256', query) } };
  return { before: initOf({ query, extensions }), init: initOf({ extensions }) };
}

// The limits of a document, with some room.
const MAX_TEXT = 99_900;
const MAX_VARIABLES = 230_000;
const MAX_SELECTIONS = 4_800;
const MAX_DIRECTIVES = 95;
const MAX_REPEATS = { aliases: 190, longAliases: 190, keys: 135, inline: 135 };

/** Writes a document. */
function writeRequest(parts: Parts, schema: GraphQLSchema): Document {
  const { repeat, operations } = parts;
  const place = chooseField(parts, schema);
  const { root, opened, parent, field } = place;
  const selection = writeSelection(field, parts.selected, schema);
  const repeats = repeat ? atLeastOne(MAX_REPEATS[repeat] * parts.count) : 1;
  const size = 2 + selection.split(' ').length;
  const spreads = parts.spread ? atLeastOne((MAX_SELECTIONS / size / repeats) * parts.count) : 1;

  const variables = new Variables();
  const length = lengthOfValue(parts, repeats);
  const fields = Array.from({ length: repeats }, (_, index) => {
    const given = writeGiven(parts, place, index, length, variables);
    const name = parts.mistake === 'field' ? `${field.name}x` : field.name;
    const args =
      parts.mistake === 'variable' ? '(no: $no)' : writeArguments(field, parts.rows, given);
    const directive = index < MAX_DIRECTIVES ? (parts.directive ?? '') : '';
    const text = `${writeAlias(repeat, index)}${name}${args} ${directive} ${selection}`;
    return repeat === 'inline' ? `... on ${parent.name} { ${text} }` : text;
  }).join(' ');
  if (parts.directive?.includes('$on')) variables.declare('on', 'Boolean!', 'true');

  const levels = parts.spread === 'deep' ? 5 : 2;
  const spreadOf = (level: number) => `...F${level} `.repeat(atLeastOne(spreads ** (1 / levels)));
  const fragments = Array.from({ length: parts.spread ? levels : 0 }, (_, level) => {
    const inside = level === levels - 1 ? fields : spreadOf(level + 1);
    return `fragment F${level} on ${parent.name} { ${inside} }`;
  });
  const selected = parts.spread ? spreadOf(0) : fields;
  const inside = `${opened.join(' ')} ${selected}${' }'.repeat(opened.length)}`;
  const text = [
    ...Array.from(
      { length: operations },
      (_, n) => `${root} Q${n}${variables.header} { ${inside} }`,
    ),
    ...fragments,
    parts.mistake === 'syntax' ? '}' : '',
  ].join(' ');
  return {
    query: writeFiller(parts.filler, MAX_TEXT - text.length) + text,
    variables: variables.json,
    accept: root === 'subscription' ? 'text/event-stream' : 'application/graphql-response+json',
  };
}

/** The variables of a document. */
class Variables {
  readonly #definitions = new Map<string, string>();
  readonly #values: string[] = [];

  /** Defines a variable once, with a value or a default. Returns its text for the document. */
  declare(name: string, type: string, literal: string, isDefault = false): string {
    if (!this.#definitions.has(name)) {
      const definition = `$${name}: ${type}`;
      this.#definitions.set(name, isDefault ? `${definition} = ${literal}` : definition);
      if (!isDefault) this.#values.push(`"${name}":${toJson(literal)}`);
    }
    return `$${name}`;
  }

  get header(): string {
    return this.#definitions.size === 0 ? '' : `(${[...this.#definitions.values()].join(' ')})`;
  }

  get json(): string {
    return `{${this.#values.join()}}`;
  }
}

/** Returns the characters of a value if the document or the variables are full of it. */
function lengthOfValue({ via, operations, items, length }: Parts, repeats: number): number {
  const copies = { literal: repeats * operations * items, variables: repeats, whole: items };
  const isInDocument = via === 'literal' || via === 'default';
  const room = isInDocument ? 0.8 * MAX_TEXT : MAX_VARIABLES;
  return length * Math.min(MAX_TEXT, room / (copies[via as keyof typeof copies] ?? 1));
}

const writeAlias = (repeat: Parts['repeat'], index: number): string => {
  if (repeat === 'aliases') return `a${index}: `;
  return repeat === 'longAliases' ? `${`a${index}`.padEnd(200, 'x')}: ` : '';
};

/** Writes the argument with the value, if the field has arguments. */
function writeGiven(
  parts: Parts,
  { field, path }: ReturnType<typeof chooseField>,
  index: number,
  length: number,
  variables: Variables,
): Readonly<Record<string, string>> {
  const { via, items } = parts;
  const argument = field.args.find(({ name }) => name === path[0]);
  if (!parts.hasValue || argument === undefined) return {};
  const variable = via === 'variables' ? `v${index % 95}` : 'v0';
  const leaf = (type: GraphQLInputType): string => {
    const value = writeValue(parts, type, length);
    if (via === 'literal' || via === 'whole') return value;
    return variables.declare(variable, String(type), value, via === 'default');
  };
  const text = writeInput(argument.type, argument.name, { path: path.slice(1), items, leaf });
  const isWhole = via === 'whole';
  return { [argument.name]: isWhole ? variables.declare('v0', String(argument.type), text) : text };
}

function writeFiller(filler: string | undefined, length: number): string {
  if (filler === undefined || length < 10) return '';
  if (filler === 'comment') return `#${'x'.repeat(length - 2)}\n`;
  return filler.repeat(Math.min(length, 120_000 / Buffer.byteLength(filler)) / filler.length);
}

type AnyField = GraphQLField<unknown, unknown>;

/** Follows the steps from a root to a field, and to a place in its arguments. */
function chooseField({ steps, rows }: Parts, schema: GraphQLSchema) {
  const left = [...steps];
  const choose = <T>(choices: readonly T[]): T => choices[(left.pop() ?? 0) % choices.length] as T;
  const root = choose(['query', 'query', 'query', 'mutation', 'subscription'] as const);
  const rootType = schema.getRootType(root as never) ?? schema.getQueryType();
  let parent = rootType as GraphQLNamedType;
  const opened: string[] = [];
  let field = choose(fieldsOf(parent, schema));
  while (
    !isLeafType(getNamedType(field.type)) &&
    opened.length < 8 &&
    choose([0, 1, 2, 3, 4]) > 1
  ) {
    opened.push(`${field.name}${writeArguments(field, rows)} {`);
    parent = getNamedType(field.type);
    if (isAbstractType(parent)) {
      parent = choose(schema.getPossibleTypes(parent));
      opened.push(`... on ${parent.name} {`);
    }
    field = choose(fieldsOf(parent, schema));
  }
  const path: string[] = [];
  let members: readonly GraphQLArgument[] = field.args;
  while (members.length > 0 && path.length < 5) {
    const member = choose(members);
    path.push(member.name);
    const type = getNamedType(member.type);
    members = isInputObjectType(type) ? (Object.values(type.getFields()) as never) : [];
  }
  return { root, opened, parent, field, path };
}

function fieldsOf(type: GraphQLNamedType, schema: GraphQLSchema): readonly AnyField[] {
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  const fields = Object.values(type.getFields());
  return type === schema.getQueryType()
    ? [...fields, SchemaMetaFieldDef, TypeMetaFieldDef]
    : fields;
}

/** Writes the required arguments, `rows` as the page size, and the given ones. */
function writeArguments(
  { args }: AnyField,
  rows: number,
  given: Readonly<Record<string, string>> = {},
): string {
  const texts = args.flatMap((argument) => {
    const { name, type } = argument;
    if (given[name] !== undefined) return [`${name}: ${given[name]}`];
    if (name === 'first') return [`first: ${rows}`];
    return isRequiredArgument(argument) ? [`${name}: ${writeInput(type, name)}`] : [];
  });
  return texts.length === 0 ? '' : `(${texts.join(' ')})`;
}

/** Writes a selection: `__typename`, with all leaves or long ones. */
function writeSelection({ type }: AnyField, selected: string, schema: GraphQLSchema): string {
  const named = getNamedType(type);
  if (isLeafType(named)) return '';
  if (selected === 'one') return '{ __typename }';
  const leavesOf = (parent: GraphQLNamedType): string =>
    fieldsOf(parent, schema)
      .filter(
        (field) => isLeafType(getNamedType(field.type)) && !field.args.some(isRequiredArgument),
      )
      .map(({ name }) => name)
      .filter((name) => selected === 'all' || ['notes', 'jobTitle', 'sdl'].includes(name))
      .join(' ');
  const nodes = fieldsOf(named, schema).find(({ name }) => name === 'nodes');
  const rows = nodes
    ? `nodes { __typename ${leavesOf(getNamedType(nodes.type))} }`
    : leavesOf(named);
  return `{ __typename ${rows} }`;
}

/** Values that exist in the sandbox, by the names of arguments and fields. */
const SAMPLES: Readonly<Record<string, string>> = {
  formId: 'purchase-request',
  field: 'supplier',
  process: 'purchase-approval',
  component: 'approval-level',
  version: '1.0',
  name: 'PurchaseRequest',
  username: 'demo',
  password: 'demo',
  id: 'WyJJbnN0YW5jZSIsImVtcGxveWVlIiwiMSJd',
};
const REPRESENTATION = `{__typename: "Employee", id: "${SAMPLES['id']}"}`;
/** Other values, by the names of types. */
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
  _Any: REPRESENTATION,
};

/** A place in an input: fields of input objects, and the number of items of the list around it. */
interface Place {
  readonly path: readonly string[];
  readonly items: number;
  readonly leaf: (type: GraphQLInputType) => string;
}

/** Writes a valid input with its required fields. `place` has another value. */
function writeInput(type: GraphQLInputType, name: string, place?: Place): string {
  const isPlace = place?.path.length === 0;
  if (isNonNullType(type)) {
    // The type of a variable has to be as strict as its place.
    if (isPlace && !isListType(type.ofType)) return place.leaf(type);
    return writeInput(type.ofType, name, place);
  }
  if (isListType(type)) {
    const item = writeInput(type.ofType, name, place && { ...place, items: 1 });
    return `[${Array(place?.items ?? 1)
      .fill(item)
      .join()}]`;
  }
  if (isPlace) return place.leaf(type);
  if (isInputObjectType(type)) return writeObject(type, place);
  return isEnumType(type) ? (type.getValues()[0]?.name ?? '') : writeSample(type.name, name);
}

const writeSample = (typeName: string, name: string): string =>
  SAMPLES[name] ? `"${SAMPLES[name]}"` : (SAMPLES_BY_TYPE[typeName] ?? '"x"');

function writeObject(type: GraphQLInputObjectType, place?: Place): string {
  const fields = Object.values(type.getFields());
  const chosen = place?.path[0] ?? (type.isOneOf ? fields[0]?.name : undefined);
  const texts = fields
    .filter((field) => field.name === chosen || isRequiredInputField(field))
    .map((field) => {
      const inner = place?.path[0] === field.name;
      const at = inner ? { ...place, path: place.path.slice(1) } : undefined;
      return `${field.name}: ${writeInput(field.type, field.name, at)}`;
    });
  return `{${texts.join()}}`;
}

/** Writes an expensive value of about `length` characters that fits a type. */
function writeValue(parts: Parts, type: GraphQLInputType, length: number): string {
  const { name } = getNamedType(type);
  let kind: string = parts.text;
  if (/^(Decimal|Float|Long|Int)$/.test(name)) kind = parts.decimal;
  if (/JSON|_Any/.test(name)) kind = parts.object;
  const repeat = (text: string) => text.repeat(Math.max(1, length / text.length));
  const members = Array.from({ length: Math.min(600, length / 8 + 1) }, (_, n) => `m${n}: 1`);
  const values: Readonly<Record<string, string>> = {
    digits: repeat('9'),
    digitsText: `"${repeat('9')}"`,
    fraction: `0.${repeat('0')}1`,
    text: `"${repeat('x')}"`,
    escapes: `"${repeat('\\n')}"`,
    quotes: `"${repeat('\\"')}"`,
    codePoints: `"${repeat('\\u00e9')}"`,
    emoji: `"${repeat('😀')}"`,
    separators: `"${repeat('a,b:c=|')}"`,
    time: `"2026-01-01T00:00:00.${repeat('0')}Z"`,
    members: `{${members.join()}}`,
    numbers: `{a: [${repeat('1,')}0.12345678901234567]}`,
    nested: `{a: ${'['.repeat(60)}1${']'.repeat(60)}}`,
    representation: REPRESENTATION,
  };
  return values[kind] ?? kind;
}

/** Writes a literal of a document as JSON: its names get quotes. */
const toJson = (literal: string): string =>
  literal.replace(/"(?:[^"\\]|\\.)*"|-?\d[\w.+-]*|[A-Za-z_]\w*/g, (token) =>
    /^([-"\d]|(true|false|null)$)/.test(token) ? token : `"${token}"`,
  );
