import { makeExecutableSchema } from '@graphql-tools/schema';

import { later } from '../../../../src/loaders/later.ts';

const TYPE_DEFS = `
  "What becomes of a field."
  enum How { NOW SOON LATER NULL NULL_LATER ERROR THROW REJECT LATER_THROW WRONG }

  interface Thing {
    text(how: How): String
    mustText(how: How! = NOW): String!
    number(how: How): Int
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

export type How =
  | 'NOW'
  | 'SOON'
  | 'LATER'
  | 'NULL'
  | 'NULL_LATER'
  | 'ERROR'
  | 'THROW'
  | 'REJECT'
  | 'LATER_THROW'
  | 'WRONG';
export const HOWS: readonly How[] = [
  ...(['NOW', 'SOON', 'LATER', 'NULL', 'NULL_LATER', 'ERROR', 'THROW', 'REJECT', 'LATER_THROW', 'WRONG'] as const),
];

/** The promise that all values which come together come with. */
interface Context {
  readonly batch: Promise<void>;
  /** What was resolved, in order. */
  readonly seen: string[];
}

const become = (how: How | null | undefined, value: unknown, { batch }: Context): unknown => {
  const fail = () => {
    throw new Error('it failed');
  };
  const ways: Readonly<Record<How, () => unknown>> = {
    NOW: () => value,
    SOON: async () => value,
    LATER: () => later(batch, () => later(batch, () => value)),
    NULL: () => null,
    NULL_LATER: () => later(batch, () => undefined),
    ERROR: () => new Error('it is an error'),
    THROW: fail,
    REJECT: async () => fail(),
    LATER_THROW: () => later(batch, fail),
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

const thing: Resolver = (_source, { how, as }, context) => become(how, { type: as === 'B' ? 'B' : 'A' }, context);
const list: Resolver = (_source, { how, items = [] }, context) => {
  const rows = items.map((item, index) => become(item, { type: index % 2 === 0 ? 'A' : 'B' }, context));
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
  any: (_source: unknown, { value }: Args) => value,
  thing,
  mustThing: thing,
  things: list,
  mustThings: list,
  either: thing,
  grid: ((_source, { items = [] }, context) => [items.map((how) => become(how, how, context)), []]) satisfies Resolver,
};

/** A schema whose fields become what their arguments say. */
export const schema = makeExecutableSchema({
  typeDefs: TYPE_DEFS.replaceAll('ONLY', FIELDS),
  resolvers: {
    Thing: { __resolveType: ({ type }: { type?: string }) => type ?? 'Nothing' },
    Either: { __resolveType: ({ type }: { type?: string }) => type ?? 'Nothing' },
    Query: FIELD_RESOLVERS,
    Mutation: FIELD_RESOLVERS,
    A: { ...FIELD_RESOLVERS, a: words('a') },
    B: { ...FIELD_RESOLVERS, b: () => 'b' },
  },
});
