import { makeExecutableSchema } from '@graphql-tools/schema';
import { GraphQLError, type GraphQLSchema, getVariableValues, parse } from 'graphql';

import { selectOperation } from '../../../../src/graphql/admission/selections.ts';
import { compileOperation } from '../../../../src/graphql/executor.ts';

export type CompileOptions = Parameters<typeof compileOperation>[1];

/**
 * Compiles an operation of a document. Variables are coerced when it runs.
 *
 * @throws if the document has no such operation.
 */
export function compile(
  ofSchema: GraphQLSchema,
  text: string,
  {
    operationName,
    ...options
  }: Partial<CompileOptions> & { readonly operationName?: string | undefined } = {},
) {
  const selected = selectOperation(ofSchema, parse(text), operationName);
  if (selected instanceof GraphQLError) throw selected;
  const run = compileOperation(selected, { maxLength: Infinity, ...options });
  return (context: unknown, variables: Readonly<Record<string, unknown>> = {}) => {
    const { coerced = {} } = getVariableValues(
      ofSchema,
      selected.definition.variableDefinitions ?? [],
      variables,
    );
    return run(context, coerced);
  };
}

const TYPE_DEFS = `
  "What becomes of a field."
  enum How { NOW SOON SHARED NULL NULL_LATER ERROR THROW REJECT SHARED_REJECT WRONG }

  interface Thing {
    text(how: How): String
    mustText(how: How! = NOW): String!
    number(how: How): Int
    ratio: Float
    any(value: Any): Any
    thing(how: How, as: String): Thing
    mustThing(how: How, as: String): Thing!
    things(how: How, items: [How!]): [Thing]
    mustThings(how: How, items: [How!]): [Thing!]
    either(how: How, as: String): Either
    grid(items: [How!]): [[String!]]
  }
  type A implements Thing { ONLY a(how: How): String }
  type B implements Thing { ONLY b: String! }
  union Either = A | B
  scalar Any
  type Query implements Thing { ONLY _: Int }
  type Mutation implements Thing { ONLY _: Int }
`;
const FIELDS = /interface Thing {([^}]*)}/.exec(TYPE_DEFS)?.[1] ?? '';

const HOWS = [
  'NOW',
  'SOON',
  'SHARED',
  'NULL',
  'NULL_LATER',
  'ERROR',
  'THROW',
  'REJECT',
  'SHARED_REJECT',
  'WRONG',
] as const;
type How = (typeof HOWS)[number];

/** The usual arguments: two fields of three succeed. */
export const KNOWN = {
  as: ['A', 'B'],
  how: [...HOWS, ...Array<readonly How[]>(4).fill(['NOW', 'SOON', 'SHARED']).flat()],
  items: [
    [],
    ['NOW', 'NOW'],
    ['SOON', 'NULL', 'SHARED'],
    ['NOW', 'REJECT'],
    ['REJECT', 'NULL', 'THROW'],
  ],
};

export interface Context {
  /** Promises that several fields share, by their value. */
  readonly shared: Map<string, Promise<unknown>>;
  /** The resolved fields in order. */
  readonly seen: string[];
}

export const newContext = (): Context => ({ shared: new Map(), seen: [] });

const fail = (): never => {
  throw new Error('it failed');
};

const become = (how: How | null | undefined, value: unknown, { shared }: Context): unknown => {
  const share = (name: string, make: () => unknown) => {
    const promise = shared.get(name) ?? new Promise((resolve) => setImmediate(resolve)).then(make);
    shared.set(name, promise);
    return promise;
  };
  const ways: Readonly<Record<How, () => unknown>> = {
    NOW: () => value,
    SOON: async () => value,
    SHARED: () => share(JSON.stringify(value), () => value),
    NULL: () => null,
    NULL_LATER: async () => undefined,
    ERROR: () => new Error('it is an error'),
    THROW: fail,
    REJECT: async () => fail(),
    SHARED_REJECT: () => share('failure', fail),
    WRONG: () => ({ wrong: true }),
  };
  return ways[how ?? 'NOW']();
};

interface Args {
  readonly how?: How;
  readonly as?: string;
  readonly items?: readonly How[];
  readonly value?: unknown;
}
type Resolver = (source: unknown, args: Args, context: Context) => unknown;

const thing: Resolver = (_source, { how, as }, context) =>
  become(how, { type: as === 'B' ? 'B' : 'A' }, context);
const list: Resolver = (_source, { how, items = [] }, context) => {
  const rows = items.map((item, index) =>
    become(item, { type: index % 2 === 0 ? 'A' : 'B' }, context),
  );
  return become(how, rows, context);
};
const words =
  (word: string): Resolver =>
  (_source, { how }, context) => {
    context.seen.push(word);
    return become(how, word, context);
  };

const FIELD_RESOLVERS = {
  text: words('a "text"\n\ud83d\ude00\u2028'),
  mustText: words('must'),
  number: ((_source, { how }, context) => become(how, 7, context)) satisfies Resolver,
  ratio: () => -0.5,
  any: (_source: unknown, { value }: Args) => value,
  thing,
  mustThing: thing,
  things: list,
  mustThings: list,
  either: thing,
  grid: ((_source, { items = [] }, context) => [
    items.map((how) => become(how, how, context)),
    [],
  ]) satisfies Resolver,
};

const resolveType = ({ type }: { type?: string }) => type ?? 'Nothing';

/** A schema whose fields become what their arguments say. */
export const schema = makeExecutableSchema({
  typeDefs: TYPE_DEFS.replaceAll('ONLY', FIELDS),
  resolvers: {
    Thing: { __resolveType: resolveType },
    Either: { __resolveType: (value: { type?: string }) => resolveType(value) },
    Query: FIELD_RESOLVERS,
    Mutation: FIELD_RESOLVERS,
    A: { ...FIELD_RESOLVERS, a: words('a') },
    B: { ...FIELD_RESOLVERS, b: () => 'b' },
  },
});
